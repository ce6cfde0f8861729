import type { KeyRow } from '../../core/keys/api-keys.ts';
import { MOST_PREVIOUS_SECRETS } from '../../core/keys/secrets.ts';
import {
  type AccountColumns,
  authenticatedKeyFromRow,
  type KeyColumns,
} from '../keys/api-key-rows.ts';
import type { KeyUses } from '../keys/api-keys.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { integers, texts } from './queries.ts';

interface FoundRow extends KeyColumns, AccountColumns {
  readonly digest: Buffer;
  /** `null` if the account does not use the sandbox, and for production keys. */
  readonly account_clock_offset: number | null;
  readonly simulation: string | null;
}

// Every node of a sharded database has all accounts and keys, so that this join uses a single node.
const find = (
  digests: number,
) => `SELECT keys.id, keys.account_id, keys.environment, keys.digest, keys.chain_id, keys.simulate,
  keys.expires_at::float8 AS expires_at, keys.revoked_at::float8 AS revoked_at,
  keys.last_used_at::float8 AS last_used_at, keys.clock_offset::float8 AS clock_offset, accounts.plan,
  accounts.per_minute::float8 AS per_minute, accounts.per_day::float8 AS per_day,
  accounts.suspended_at::float8 AS suspended_at,
  sandboxes.clock_offset::float8 AS account_clock_offset, sandboxes.simulation
  FROM api_keys AS keys JOIN accounts ON accounts.id = keys.account_id
  LEFT JOIN sandboxes ON sandboxes.account_id = keys.account_id AND keys.environment = 'staging'
  WHERE keys.digest IN (${Array.from({ length: digests }, (_, index) => `$${index + 1}`).join(', ')})`;

/** The statement for one digest, and for one more with each previous secret. */
const FIND = Array.from({ length: 1 + MOST_PREVIOUS_SECRETS }, (_, previous) => find(1 + previous));

/** The key operations of the request path. */
export class PostgresKeyUses implements KeyUses {
  readonly #lookUps: Statements;
  readonly #saves: Statements;

  constructor(database: PostgresDatabase) {
    this.#lookUps = database.of('keys');
    this.#saves = database.of('saves');
  }

  async findByDigest(...digests: Buffer[]): Promise<KeyRow | undefined> {
    const row = await this.#lookUps.get<FoundRow>(FIND[digests.length - 1] ?? '', ...digests);
    if (!row) return undefined;
    const { account_clock_offset: clock_offset, simulation } = row;
    const sandbox = clock_offset === null ? undefined : { clock_offset, simulation };
    const key = authenticatedKeyFromRow(row, row, sandbox);
    return { key, digest: Buffer.from(row.digest) };
  }

  async touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    await this.#saves.run(
      `UPDATE api_keys SET last_used_at = used.at
       FROM unnest($1::text[], $2::bigint[]) AS used (id, at)
       WHERE api_keys.id = used.id AND coalesce(api_keys.last_used_at, 0) < used.at`,
      texts(uses.map(([id]) => id)),
      integers(uses.map(([, usedAt]) => usedAt)),
    );
  }
}
