import type { ApiKey, ApiKeyStore, KeyRow } from '../../core/api-keys.ts';
import { describeKey } from '../../core/api-keys.ts';
import type { Actor, AuditAction } from '../../core/audit.ts';
import {
  type ApiKeyRow,
  apiKeyFromRow,
  credentialFromRow,
  type KeyPart,
  type PlanPart,
} from '../rows.ts';
import { API_KEY_COLUMNS } from './account-rows.ts';
import { integers, type PostgresDatabase, type Queries, texts } from './database.ts';
import { announceChange, putOnRecord } from './on-record.ts';

/** The condition of a live key; takes the moment (epoch ms) as its second parameter. */
const LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)';

const FIND_BY_DIGEST = `SELECT keys.id, keys.account_id, keys.environment, keys.digest,
  keys.expires_at::float8 AS expires_at, keys.revoked_at::float8 AS revoked_at,
  keys.last_used_at::float8 AS last_used_at, accounts.plan,
  accounts.per_minute::float8 AS per_minute, accounts.per_day::float8 AS per_day
  FROM api_keys AS keys JOIN accounts ON accounts.id = keys.account_id WHERE keys.digest = $1`;

interface NewKey {
  readonly key: ApiKey;
  readonly digest: Buffer;
  /** Live keys that the account may have. */
  readonly most: number;
  /** Epoch ms. */
  readonly now: number;
}

/** API keys, by digest, by id and by account. */
export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  insert(
    key: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many'> {
    return this.#database.transaction(async (queries) => {
      await lockAccount(queries, key.accountId);
      if (!(await addKey(queries, { key, digest, most, now }))) return 'too_many';
      await putKeyOnRecord(queries, key, 'key.created', describeKey(key), now, by);
      return 'kept';
    });
  }

  replace(
    old: { readonly id: string; readonly expiresAt: number },
    key: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many' | 'not_live'> {
    return this.#database.transaction(async (queries) => {
      await lockAccount(queries, key.accountId);
      const live = await queries.get(
        `SELECT id FROM api_keys WHERE id = $1 AND ${LIVE}`,
        old.id,
        now,
      );
      if (!live) return 'not_live';
      // A key that ends at once makes room for its successor.
      const room = old.expiresAt <= now ? 1 : 0;
      if (!(await addKey(queries, { key, digest, most: most + room, now }))) return 'too_many';
      // Whoever else replaced it just now may have given it less time.
      await queries.run(
        'UPDATE api_keys SET expires_at = least(expires_at, $1) WHERE id = $2',
        old.expiresAt,
        old.id,
      );
      await announceChange(queries);
      const detail = `${old.id}, followed by ${describeKey(key)}`;
      await putKeyOnRecord(queries, key, 'key.rotated', detail, now, by);
      return 'kept';
    });
  }

  async findByDigest(digest: Buffer): Promise<KeyRow | undefined> {
    const row = await this.#database.get<KeyPart & PlanPart & { digest: Buffer }>(
      FIND_BY_DIGEST,
      digest,
    );
    return row && { credential: credentialFromRow(row, row), digest: Buffer.from(row.digest) };
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.#database.get<ApiKeyRow>(
      `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE id = $1`,
      id,
    );
    return row && apiKeyFromRow(row);
  }

  async list(accountId: string): Promise<ApiKey[]> {
    const rows = await this.#database.all<ApiKeyRow>(
      `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE account_id = $1
       ORDER BY api_keys.created_at, id`,
      accountId,
    );
    return rows.map(apiKeyFromRow);
  }

  revoke(id: string, now: number, by: Actor): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const row = await queries.get<ApiKeyRow>(
        `UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL
         RETURNING ${API_KEY_COLUMNS}`,
        now,
        id,
      );
      if (!row) return false;
      await announceChange(queries);
      const key = apiKeyFromRow(row);
      await putKeyOnRecord(queries, key, 'key.revoked', describeKey(key), now, by);
      return true;
    });
  }

  async touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    if (uses.length === 0) return;
    // Several processes note the uses of one key: the latest stays.
    await this.#database.run(
      `UPDATE api_keys SET last_used_at = used.at
       FROM unnest($1::text[], $2::bigint[]) AS used (id, at)
       WHERE api_keys.id = used.id AND coalesce(api_keys.last_used_at, 0) < used.at`,
      texts(uses.map(([id]) => id)),
      integers(uses.map(([, usedAt]) => usedAt)),
    );
  }

  async any(): Promise<boolean> {
    return (await this.#database.get('SELECT id FROM api_keys LIMIT 1')) !== undefined;
  }
}

/** Lets changes to an account's keys take turns, so that each counts what the last one left. */
async function lockAccount(queries: Queries, id: string): Promise<void> {
  await queries.get('SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', id);
}

/** Adds a key when the account has room for it. */
async function addKey(queries: Queries, { key, digest, most, now }: NewKey): Promise<boolean> {
  const row = await queries.get<{ live: bigint }>(
    `SELECT count(*) AS live FROM api_keys WHERE account_id = $1 AND ${LIVE}`,
    key.accountId,
    now,
  );
  if (Number(row?.live ?? 0) >= most) return false;
  await queries.run(
    `INSERT INTO api_keys (id, account_id, environment, name, digest, prefix, last_four,
       created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    key.id,
    key.accountId,
    key.environment,
    key.name,
    digest,
    key.prefix,
    key.lastFour,
    key.createdAt,
    key.expiresAt ?? null,
  );
  return true;
}

function putKeyOnRecord(
  queries: Queries,
  { accountId }: ApiKey,
  action: AuditAction,
  detail: string,
  now: number,
  by: Actor,
): Promise<void> {
  return putOnRecord(queries, { at: now, by, action, accountId, detail });
}
