import type { Environment } from '../../core/environments.ts';
import type { Lease, Leases } from '../../core/limits/lease.ts';
import { SECOND } from '../../lib/clock.ts';
import { select } from '../schema/selection.ts';
import type { Queries } from './queries.ts';

/** A lease that was not renewed for this time, in ms, has expired; holders renew it every second. */
const EXPIRES_AFTER = 3 * SECOND;

const LOOK_EVERY = 0.25 * SECOND;

/** How often another process may acquire the lease first before this one gives up. */
const TRIES = 10;

/** The holder name for all processes that share their counters. */
const TOGETHER = 'together';

/** The table of limiter leases. It has its former name, which processes of all 1.x releases share. */
const LIMITER_LEASES = 'counting';

const FIND = select(LIMITER_LEASES, ['holder', 'renewals'], 'WHERE environment = ?');
type LeaseRow = NonNullable<(typeof FIND)['row']>;

/**
 * Leases stored as rows with a renewal counter. A process that finds a row watches whether it is renewed, so no
 * clocks of other machines are involved, and the lease of a killed process blocks others for only 3 s.
 */
export class RowLeases implements Leases {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async acquire(environment: Environment, how: 'alone' | 'together'): Promise<Lease | undefined> {
    const me = how === 'together' ? TOGETHER : Bun.randomUUIDv7();
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await this.#find(environment);
      if (found?.holder === TOGETHER && how === 'together') return this.#leaseOf(environment, me);
      if (found && !(await this.#hasExpired(environment, found))) return undefined;
      if (await this.#take(environment, me, found)) return this.#leaseOf(environment, me);
    }
    return undefined;
  }

  async #find(environment: Environment): Promise<LeaseRow | undefined> {
    const [row] = await this.#queries.rows(FIND, environment);
    return row;
  }

  async #hasExpired(environment: Environment, { holder, renewals }: LeaseRow): Promise<boolean> {
    for (let waited = 0; waited < EXPIRES_AFTER; waited += LOOK_EVERY) {
      await Bun.sleep(LOOK_EVERY);
      const now = await this.#find(environment);
      if (!now) return true;
      if (now.holder !== holder || now.renewals !== renewals) return false;
    }
    return true;
  }

  /** `false` when another process was faster. */
  async #take(environment: Environment, me: string, found: LeaseRow | undefined): Promise<boolean> {
    const taken = found
      ? await this.#queries.run(
          `UPDATE ${LIMITER_LEASES} SET holder = $1, renewals = renewals + 1
           WHERE environment = $2 AND holder = $3 AND renewals = $4`,
          ...[me, environment, found.holder, found.renewals],
        )
      : await this.#queries.run(
          `INSERT INTO ${LIMITER_LEASES} (environment, holder, renewals) VALUES ($1, $2, 0)
           ON CONFLICT (environment) DO NOTHING`,
          ...[environment, me],
        );
    return taken > 0;
  }

  #leaseOf(environment: Environment, me: string): Lease {
    const mine = [environment, me] as const;
    return {
      renew: async () => {
        const renewed = await this.#queries.run(
          `UPDATE ${LIMITER_LEASES} SET renewals = renewals + 1 WHERE environment = $1 AND holder = $2`,
          ...mine,
        );
        return renewed > 0;
      },
      release: async () => {
        // Other processes may still hold the lease; without them the row is no longer renewed and expires.
        if (me === TOGETHER) return;
        const sql = `DELETE FROM ${LIMITER_LEASES} WHERE environment = $1 AND holder = $2`;
        // A row that is left behind blocks others only for some seconds, so ignore a failure.
        await this.#queries.run(sql, ...mine).catch(() => {});
      },
    };
  }
}
