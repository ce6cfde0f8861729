import type { Actor, AuditAction } from '../../core/accounts/audit.ts';
import {
  type ApiKey,
  type ApiKeyStore,
  describeKey,
  type KeyActivity,
  type KeyBounds,
  type KeyFilter,
  type KeyInsertion,
  type KeyPosition,
  type KeyRow,
  type MovedKey,
  type NewApiKey,
} from '../../core/keys/api-keys.ts';
import { FINGERPRINTS, isLatestSecret, secretIdOf } from '../../core/keys/secrets.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { Access } from '../access.ts';
import { recordAudit } from '../accounts/audit.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { recordChange } from '../change-log.ts';
import { changeByRows } from '../schema/row-statements.ts';
import type { Transaction } from '../schema/schema.ts';
import { select } from '../schema/selection.ts';
import { addKey, clockOffsetOf, liveKeys, type NewKey } from './add-key.ts';
import { type ApiKeyRow, apiKeyFromRow, KEY_COLUMNS } from './api-key-rows.ts';
import { matchesKeyFilter } from './key-filter.ts';
import { type FindRow, findByDigest } from './key-look-up.ts';
import { pruneKeys } from './prune-keys.ts';

interface Successor extends NewKey {
  readonly old: { readonly id: string; readonly expiresAt: number };
}

// Without Kysely, because every start needs it.
const ANY = select('api_keys', ['id'], 'LIMIT 1');

const TOUCH = changeByRows(
  'saves of last uses',
  'api_keys',
  ['id', 'last_used_at'],
  (given) => `UPDATE api_keys SET last_used_at = given.last_used_at FROM ${given}
    WHERE api_keys.id = given.id AND coalesce(api_keys.last_used_at, 0) < given.last_used_at`,
);

export const apiKeyChanges = {
  async insertKey(transaction: Transaction, newKey: NewKey): Promise<KeyInsertion> {
    const { key, now: at, by } = newKey;
    await lockAccount(transaction, key.accountId);
    const added = await addKey(transaction, newKey);
    if (added !== 'added') return added;
    await recordOfKey(transaction, 'key.created', key, at, by);
    return 'added';
  },

  async replaceKey(
    transaction: Transaction,
    { old, ...successor }: Successor,
  ): Promise<KeyInsertion | 'not_live'> {
    const { key, bounds, now: at, by } = successor;
    await lockAccount(transaction, key.accountId);
    const live = await liveKeys(transaction, at)
      .where('id', '=', old.id)
      .select(['expires_at', 'clock_offset'])
      .executeTakeFirst();
    if (!live) return 'not_live';
    const clockOffset = await clockOffsetOf(transaction, key);
    const moved = Math.max(0, clockOffset - live.clock_offset);
    const expiry = live.expires_at === null ? old.expiresAt : live.expires_at - moved;
    // A key that ends immediately makes room for its successor.
    const room = old.expiresAt <= at ? 1 : 0;
    const roomy = { ...bounds, live: bounds.live + room };
    const added = await addKey(transaction, { ...successor, bounds: roomy });
    if (added !== 'added') return added;
    await transaction
      .updateTable('api_keys')
      // The key may have its own expiry, or an earlier end that a concurrent rotation has set.
      .set({ expires_at: Math.min(expiry, old.expiresAt), clock_offset: clockOffset })
      .where('id', '=', old.id)
      .execute();
    await recordChange(transaction, 'key', old.id);
    const detail = `${old.id}, followed by ${describeKey(key)}`;
    await recordOfKey(transaction, 'key.rotated', key, at, by, detail);
    return 'added';
  },

  /** `false` when there is no such key, or it is already revoked. */
  async revokeKey(transaction: Transaction, id: string, at: number, by: Actor): Promise<boolean> {
    const row = await transaction
      .updateTable('api_keys')
      .set({ revoked_at: at })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning(KEY_COLUMNS)
      .executeTakeFirst();
    if (!row) return false;
    await recordChange(transaction, 'key', id);
    await recordOfKey(transaction, 'key.revoked', apiKeyFromRow(row), at, by);
    return true;
  },

  /** `false` when there is no such key. */
  async renameKey(
    transaction: Transaction,
    id: string,
    name: string,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    const row = await transaction
      .updateTable('api_keys')
      .set({ name })
      .where('id', '=', id)
      .returning(KEY_COLUMNS)
      .executeTakeFirst();
    if (!row) return false;
    await recordOfKey(transaction, 'key.renamed', apiKeyFromRow(row), at, by);
    return true;
  },

  /** No cache needs to know: the keys themselves do not change. */
  async moveKeys(
    transaction: Transaction,
    keys: readonly MovedKey[],
    fingerprint: string,
  ): Promise<void> {
    const { value } = await transaction
      .selectFrom('settings')
      .select('value')
      .where('name', '=', FINGERPRINTS)
      .executeTakeFirstOrThrow();
    if (!isLatestSecret(fingerprint, value)) return;
    // In one order in every process, so that their transactions never wait for each other in a circle.
    for (const { id, from, to } of keys.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      await transaction
        .updateTable('api_keys')
        .set({ digest: Buffer.from(to, 'hex'), secret_id: secretIdOf(fingerprint) })
        .where('id', '=', id)
        .where('digest', '=', Buffer.from(from, 'hex'))
        .execute();
    }
  },

  pruneKeys,
};

/** API keys, on either engine. */
export class StoredApiKeys implements ApiKeyStore {
  readonly #access: Access<typeof apiKeyChanges>;
  readonly #findRow: FindRow;

  constructor(access: Access<typeof apiKeyChanges>, findRow: FindRow) {
    this.#access = access;
    this.#findRow = findRow;
  }

  insert(key: NewApiKey, digest: Buffer, bounds: KeyBounds, now: number, by: Actor) {
    const newKey = { key, digest: digest.toHex(), bounds, now, by };
    return this.#access.changes.insertKey(newKey);
  }

  replace(
    old: { readonly id: string; readonly expiresAt: number },
    key: NewApiKey,
    digest: Buffer,
    bounds: KeyBounds,
    now: number,
    by: Actor,
  ) {
    const successor = { old, key, digest: digest.toHex(), bounds, now, by };
    return this.#access.changes.replaceKey(successor);
  }

  findByDigest(...digests: Buffer[]): Awaitable<KeyRow | undefined> {
    return findByDigest(this.#findRow, digests);
  }

  move(keys: readonly MovedKey[], fingerprint: string): Promise<void> {
    return this.#access.changes.moveKeys(keys, fingerprint);
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await (await this.#select()).where('id', '=', id).executeTakeFirst();
    const [key] = await this.#keysFrom(row ? [row] : []);
    return key;
  }

  async findAll(ids: readonly string[]): Promise<ApiKey[]> {
    if (ids.length === 0) return [];
    return this.#keysFrom(await (await this.#select()).where('id', 'in', ids).execute());
  }

  async page(
    accountId: string,
    limit: number,
    from?: KeyPosition,
    filter: KeyFilter = {},
  ): Promise<ApiKey[]> {
    const clockOffset = filter.live
      ? await clockOffsetOf(await this.#access.queries(), { accountId, environment: 'staging' })
      : 0;
    const select = (await this.#select())
      .where('account_id', '=', accountId)
      .where((where) => matchesKeyFilter(where, filter, clockOffset));
    const rest = from
      ? select.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('created_at', 'id'), '<', tuple(from.createdAt, from.id)),
        )
      : select;
    const newestFirst = rest.orderBy('created_at', 'desc').orderBy('id', 'desc');
    return this.#keysFrom(await newestFirst.limit(limit).execute());
  }

  async successors(accountId: string, ids: readonly string[]): Promise<ApiKey[]> {
    if (ids.length === 0) return [];
    const rows = await (await this.#select())
      .where('account_id', '=', accountId)
      .where('predecessor_id', 'in', ids)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return this.#keysFrom(rows);
  }

  rename(id: string, name: string, now: number, by: Actor): Promise<boolean> {
    return this.#access.changes.renameKey(id, name, now, by);
  }

  async activity(accountId: string, now: number): Promise<KeyActivity> {
    const { live, last_used_at } = await liveKeys(await this.#access.queries(), now)
      .where('account_id', '=', accountId)
      .select(({ fn }) => [
        fn.countAll<number>().as('live'),
        fn.max('last_used_at').as('last_used_at'),
      ])
      .executeTakeFirstOrThrow();
    return { live, lastUsedAt: last_used_at ?? undefined };
  }

  async prune(before: number, bannedUntil: number, now: number): Promise<void> {
    while ((await this.#access.changes.pruneKeys(before, bannedUntil, now)) > 0);
  }

  async list(accountId: string): Promise<ApiKey[]> {
    const select = await this.#select();
    const ofAccount = select.where('account_id', '=', accountId);
    const rows = await ofAccount.orderBy('created_at').orderBy('id').execute();
    return this.#keysFrom(rows);
  }

  revoke(id: string, now: number, by: Actor): Promise<boolean> {
    return this.#access.changes.revokeKey(id, now, by);
  }

  async touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    const rows = uses.map(([id, usedAt]) => ({ id, last_used_at: usedAt }));
    await this.#access.runForRows(TOUCH, rows);
  }

  async any(): Promise<boolean> {
    return (await this.#access.rows(ANY)).length > 0;
  }

  /** The keys of these rows, with how far their accounts' clocks were moved since they were created. */
  async #keysFrom(rows: readonly ApiKeyRow[]): Promise<ApiKey[]> {
    const ofStaging = rows.filter(({ environment }) => environment === 'staging');
    const accounts = new Set(ofStaging.map(({ account_id }) => account_id));
    const found =
      accounts.size === 0
        ? []
        : await (await this.#access.queries())
            .selectFrom('sandboxes')
            .select(['account_id', 'clock_offset'])
            .where('account_id', 'in', [...accounts])
            .execute();
    const clocks = new Map(found.map((row) => [row.account_id, row.clock_offset]));
    return rows.map((row) =>
      apiKeyFromRow(row, row.environment === 'staging' ? clocks.get(row.account_id) : undefined),
    );
  }

  async #select() {
    return (await this.#access.queries()).selectFrom('api_keys').select(KEY_COLUMNS);
  }
}

async function recordOfKey(
  transaction: Transaction,
  action: AuditAction,
  key: ApiKey,
  at: number,
  by: Actor,
  detail = describeKey(key),
): Promise<void> {
  await recordAudit(transaction, { at, by, action, accountId: key.accountId, detail });
}
