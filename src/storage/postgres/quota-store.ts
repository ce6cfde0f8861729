import type { Environment } from '../../core/environments.ts';
import type { QuotaStore, SavedQuota } from '../../core/limits/quota.ts';
import { chunks } from '../../lib/chunks.ts';
import { DAY } from '../../lib/clock.ts';
import { QUOTA_COLUMNS, quotaFromRow } from '../keys/quotas.ts';
import { select } from '../schema/selection.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { integers, texts } from './queries.ts';
import { valuesOf } from './several-nodes.ts';

const FIND = select('quotas', QUOTA_COLUMNS, 'WHERE caller = ? AND environment = ?');

const INSERT =
  'INSERT INTO quotas (environment, caller, minute_ends_at, minute_used, day, day_used)';

const OR_REPLACE = `ON CONFLICT (environment, caller) DO UPDATE SET
  minute_ends_at = excluded.minute_ends_at, minute_used = excluded.minute_used,
  day = excluded.day, day_used = excluded.day_used`;

/** Stores the used quotas of one environment, for the process that counts them in memory. */
export class PostgresQuotaStore implements QuotaStore {
  readonly #database: PostgresDatabase;
  readonly #environment: Environment;
  readonly #reads: Statements;
  readonly #saves: Statements;

  constructor(database: PostgresDatabase, environment: Environment) {
    this.#database = database;
    this.#environment = environment;
    this.#reads = database.of('reads');
    this.#saves = database.of('saves');
  }

  async find(caller: string): Promise<SavedQuota | undefined> {
    const [row] = await this.#reads.rows(FIND, caller, this.#environment);
    return row && quotaFromRow(row);
  }

  async save(quotas: readonly SavedQuota[]): Promise<void> {
    if (quotas.length === 0) return;
    const latest = [...new Map(quotas.map((quota) => [quota.caller, quota])).values()];
    if (this.#database.isDistributed) {
      await this.#upsert(latest);
      return;
    }
    await this.#saves.run(
      `${INSERT} SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
       ${OR_REPLACE}`,
      this.#environment,
      texts(latest.map(({ caller }) => caller)),
      integers(latest.map(({ minuteEndsAt }) => minuteEndsAt)),
      integers(latest.map(({ minuteUsed }) => minuteUsed)),
      integers(latest.map(({ day }) => day)),
      integers(latest.map(({ dayUsed }) => dayUsed)),
    );
  }

  async #upsert(quotas: readonly SavedQuota[]): Promise<void> {
    for (const some of chunks(quotas)) {
      const rows = some.map(({ caller, minuteEndsAt, minuteUsed, day, dayUsed }) => [
        ...[this.#environment, caller, minuteEndsAt, minuteUsed, day, dayUsed],
      ]);
      await this.#saves.run(`${INSERT} ${valuesOf(rows)} ${OR_REPLACE}`);
    }
  }

  async drop(callers: readonly string[]): Promise<void> {
    if (callers.length === 0) return;
    await this.#saves.run(
      'DELETE FROM quotas WHERE environment = $1 AND caller = ANY($2::text[])',
      this.#environment,
      texts(callers),
    );
  }

  async prune(now: number): Promise<void> {
    await this.#saves.run(
      'DELETE FROM quotas WHERE environment = $1 AND day < $2 AND minute_ends_at <= $3',
      this.#environment,
      Math.floor(now / DAY),
      now,
    );
  }
}
