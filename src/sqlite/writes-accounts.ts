import type { Database } from 'bun:sqlite';
import type { Account, ApiKey, BanRecord } from '../core/accounts.ts';
import type { Subscription } from '../core/plans.ts';
import type { ApiKeyStore } from '../core/ports.ts';

type Replaced = Awaited<ReturnType<ApiKeyStore['replace']>>;

interface NewKey {
  readonly key: ApiKey;
  readonly digest: Uint8Array;
  /** Live keys that the account may have. */
  readonly most: number;
  /** Epoch ms. */
  readonly now: number;
}

interface Replacement extends NewKey {
  readonly old: { readonly id: string; readonly expiresAt: number };
}

/** The condition of a live key; takes the moment (epoch ms). */
const LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';

/** Every change to the accounts file; each runs inside of a transaction of the writer thread. */
export const accountWrites = {
  /** `false` when the address is taken. */
  createAccount(database: Database, { id, email, plan, limits, createdAt }: Account): boolean {
    const custom = customLimits({ plan, limits });
    const { changes } = database
      .query('INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING')
      .run(id, email, plan, ...custom, createdAt);
    return changes === 1;
  },

  setSubscription(
    database: Database,
    { id, subscription }: { id: string; subscription: Subscription },
  ): void {
    database
      .query('UPDATE accounts SET plan = ?, per_minute = ?, per_day = ? WHERE id = ?')
      .run(subscription.plan, ...customLimits(subscription), id);
  },

  insertKey(database: Database, { key, digest, most, now }: NewKey): 'kept' | 'too_many' {
    const live = database
      .query<{ live: bigint }, [string, number]>(
        `SELECT count(*) AS live FROM api_keys WHERE account_id = ? AND ${LIVE}`,
      )
      .get(key.accountId, now);
    if (Number(live?.live ?? 0) >= most) return 'too_many';
    database
      .query(
        `INSERT INTO api_keys (id, account_id, environment, name, digest, prefix, last_four,
           created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
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
    return 'kept';
  },

  replaceKey(database: Database, { old, ...successor }: Replacement): Replaced {
    const live = database
      .query(`SELECT 1 FROM api_keys WHERE id = ? AND ${LIVE}`)
      .get(old.id, successor.now);
    if (!live) return 'not_live';
    // A key that ends at once makes room for its successor.
    const room = old.expiresAt <= successor.now ? 1 : 0;
    const kept = accountWrites.insertKey(database, { ...successor, most: successor.most + room });
    if (kept === 'kept') {
      database.query('UPDATE api_keys SET expires_at = ? WHERE id = ?').run(old.expiresAt, old.id);
    }
    return kept;
  },

  revokeKey(database: Database, { id, now }: { id: string; now: number }): boolean {
    const { changes } = database
      .query('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
      .run(now, id);
    return changes === 1;
  },

  touchKeys(database: Database, uses: ReadonlyArray<readonly [id: string, at: number]>): void {
    const statement = database.query('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
    for (const [id, usedAt] of uses) statement.run(usedAt, id);
  },

  /** May be asked for again, when it is not known whether it was done. */
  recordBan(database: Database, ban: BanRecord): void {
    database
      .query(
        `INSERT INTO bans (id, key_id, account_id, environment, reason, level, starts_at, ends_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
      )
      .run(
        ban.id,
        ban.keyId,
        ban.accountId,
        ban.environment,
        ban.reason,
        ban.level,
        ban.startsAt,
        ban.endsAt,
      );
  },

  /** `false` when there is no such ban in force. */
  liftBan(database: Database, { id, by, now }: { id: string; by: string; now: number }): boolean {
    const { changes } = database
      .query(
        'UPDATE bans SET lifted_at = ?, lifted_by = ? WHERE id = ? AND lifted_at IS NULL AND ends_at > ?',
      )
      .run(now, by, id, now);
    return changes === 1;
  },

  /** Keeps the value that is there already, if any. */
  initSetting(database: Database, { name, value }: { name: string; value: string }): void {
    database.query('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, value);
  },
};

/** Only Enterprise's numbers are stored; the other plans' are published. */
function customLimits({ plan, limits }: Subscription): [number | null, number | null] {
  return plan === 'enterprise' ? [limits.perMinute, limits.perDay] : [null, null];
}
