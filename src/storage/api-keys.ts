import type { ApiKey, ApiKeyStore, AuthenticatedKey, KeyRow, KeySource } from '../core/api-keys.ts';
import { describeKey } from '../core/api-keys.ts';
import type { Actor } from '../core/audit.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Access } from './access.ts';
import { type PlanColumns, subscriptionFromRow } from './accounts.ts';
import { recordAudit } from './audit.ts';
import { recordChange } from './change-log.ts';
import type { Transaction } from './schema.ts';
import { select } from './selection.ts';

interface NewKey {
  readonly key: ApiKey;
  /** In hexadecimal digits. */
  readonly digest: string;
  /** Live keys that the account may have. */
  readonly most: number;
  /** Epoch ms. */
  readonly now: number;
  readonly by: Actor;
}

interface Successor extends NewKey {
  readonly old: { readonly id: string; readonly expiresAt: number };
}

/** The columns of a key that requests need. */
export interface KeyColumns {
  readonly id: string;
  readonly account_id: string;
  readonly environment: Environment;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly chain_id: string | null;
}

interface ApiKeyRow extends KeyColumns {
  readonly name: string;
  readonly prefix: string;
  readonly last_four: string;
  readonly created_at: number;
}

// Without Kysely: every start looks.
const ANY = select('api_keys', ['id'], 'LIMIT 1');

/** What each engine does with keys beside requests, by hand. */
export interface KeyUses extends KeySource {
  /** Notes when keys were last used (epoch ms); an earlier time changes nothing. */
  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void>;
}

const COLUMNS = [
  ...(['id', 'account_id', 'environment', 'name', 'prefix', 'last_four', 'created_at'] as const),
  ...(['expires_at', 'revoked_at', 'last_used_at', 'chain_id'] as const),
] as const;

export const apiKeyChanges = {
  async insertKey(transaction: Transaction, newKey: NewKey): Promise<'kept' | 'too_many'> {
    const { key, now: at, by } = newKey;
    await lockAccount(transaction, key.accountId);
    if (!(await addKey(transaction, newKey))) return 'too_many';
    const { accountId } = key;
    const detail = describeKey(key);
    await recordAudit(transaction, { at, by, action: 'key.created', accountId, detail });
    return 'kept';
  },

  async replaceKey(
    transaction: Transaction,
    { old, ...successor }: Successor,
  ): Promise<'kept' | 'too_many' | 'not_live'> {
    const { key, most, now: at, by } = successor;
    await lockAccount(transaction, key.accountId);
    const live = await liveKeys(transaction, at)
      .where('id', '=', old.id)
      .select('expires_at')
      .executeTakeFirst();
    if (!live) return 'not_live';
    // A key that ends at once makes room for its successor.
    const room = old.expiresAt <= at ? 1 : 0;
    if (!(await addKey(transaction, { ...successor, most: most + room }))) return 'too_many';
    await transaction
      .updateTable('api_keys')
      // A concurrent rotation may have given it less time.
      .set({ expires_at: Math.min(live.expires_at ?? old.expiresAt, old.expiresAt) })
      .where('id', '=', old.id)
      .execute();
    await recordChange(transaction, 'key', old.id);
    const { accountId } = key;
    const detail = `${old.id}, followed by ${describeKey(key)}`;
    await recordAudit(transaction, { at, by, action: 'key.rotated', accountId, detail });
    return 'kept';
  },

  /** `false` when there is no such key, or it was revoked before. */
  async revokeKey(transaction: Transaction, id: string, at: number, by: Actor): Promise<boolean> {
    const row = await transaction
      .updateTable('api_keys')
      .set({ revoked_at: at })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(COLUMNS)
      .executeTakeFirst();
    if (!row) return false;
    await recordChange(transaction, 'key', id);
    const key = apiKeyFromRow(row);
    const { accountId } = key;
    const detail = describeKey(key);
    await recordAudit(transaction, { at, by, action: 'key.revoked', accountId, detail });
    return true;
  },
};

/** API keys by id and by account on either engine, and by digest as the engine looks them up. */
export class StoredApiKeys implements ApiKeyStore {
  readonly #access: Access<typeof apiKeyChanges>;
  readonly #uses: KeyUses;

  constructor(access: Access<typeof apiKeyChanges>, uses: KeyUses) {
    this.#access = access;
    this.#uses = uses;
  }

  insert(key: ApiKey, digest: Buffer, most: number, now: number, by: Actor) {
    const newKey = { key, digest: digest.toHex(), most, now, by };
    return this.#access.changes.insertKey(newKey);
  }

  replace(
    old: { readonly id: string; readonly expiresAt: number },
    key: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ) {
    const successor = { old, key, digest: digest.toHex(), most, now, by };
    return this.#access.changes.replaceKey(successor);
  }

  findByDigest(digest: Buffer): Awaitable<KeyRow | undefined> {
    return this.#uses.findByDigest(digest);
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await (await this.#select()).where('id', '=', id).executeTakeFirst();
    return row && apiKeyFromRow(row);
  }

  async list(accountId: string): Promise<ApiKey[]> {
    const select = await this.#select();
    const ofAccount = select.where('account_id', '=', accountId);
    const rows = await ofAccount.orderBy('created_at').orderBy('id').execute();
    return rows.map(apiKeyFromRow);
  }

  revoke(id: string, now: number, by: Actor): Promise<boolean> {
    return this.#access.changes.revokeKey(id, now, by);
  }

  async touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    if (uses.length > 0) await this.#uses.touch(uses);
  }

  async any(): Promise<boolean> {
    return (await this.#access.rows(ANY)).length > 0;
  }

  async #select() {
    return (await this.#access.queries()).selectFrom('api_keys').select(COLUMNS);
  }
}

/** @throws OperatorError when the row names a plan that this release does not know. */
export function authenticatedKeyFromRow(key: KeyColumns, plan: PlanColumns): AuthenticatedKey {
  return {
    id: key.id,
    accountId: key.account_id,
    chainId: key.chain_id ?? key.id,
    caller: `account:${key.account_id}`,
    environment: environmentFromRow(key),
    expiresAt: key.expires_at ?? undefined,
    revokedAt: key.revoked_at ?? undefined,
    lastUsedAt: key.last_used_at ?? undefined,
    limits: subscriptionFromRow(plan).limits,
  };
}

function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    chainId: row.chain_id ?? row.id,
    environment: environmentFromRow(row),
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}

/** Keys are cached by the hundred thousand: the name is one text of ours, not as many of the database's. */
function environmentFromRow({ environment }: Pick<KeyColumns, 'environment'>): Environment {
  return ENVIRONMENTS.find((known) => known === environment) ?? environment;
}

/**
 * Lets changes to an account's keys take turns, so that each counts what the last one left. An update
 * locks the row on PostgreSQL; SQLite has one writer, and no `FOR UPDATE`.
 */
async function lockAccount(transaction: Transaction, id: string): Promise<void> {
  await transaction
    .updateTable('accounts')
    .set((update) => ({ role: update.ref('role') }))
    .where('id', '=', id)
    .execute();
}

/** @param now epoch ms. */
function liveKeys(transaction: Transaction, now: number) {
  return transaction
    .selectFrom('api_keys')
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]));
}

/** Adds a key; `false` when the account has no room for it. */
async function addKey(
  transaction: Transaction,
  { key, digest, most, now }: NewKey,
): Promise<boolean> {
  const { live } = await liveKeys(transaction, now)
    .where('account_id', '=', key.accountId)
    .select((select) => select.fn.countAll<number>().as('live'))
    .executeTakeFirstOrThrow();
  if (live >= most) return false;
  await transaction
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      environment: key.environment,
      name: key.name,
      digest: Buffer.from(digest, 'hex'),
      prefix: key.prefix,
      last_four: key.lastFour,
      created_at: key.createdAt,
      expires_at: key.expiresAt ?? null,
      chain_id: key.chainId,
    })
    .execute();
  return true;
}
