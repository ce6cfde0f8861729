import type { Database } from 'bun:sqlite';
import type { Account, Role } from '../../core/accounts.ts';
import type { ApiKey, ApiKeyStore } from '../../core/api-keys.ts';
import { describeKey } from '../../core/api-keys.ts';
import { type Actor, type AuditEntry, describeSubscription } from '../../core/audit.ts';
import type { BanRecord } from '../../core/ban-records.ts';
import type { Subscription } from '../../core/plans.ts';
import { type ApiKeyRow, apiKeyFromRow, type BanRow, banFromRow } from '../rows.ts';

type Replaced = Awaited<ReturnType<ApiKeyStore['replace']>>;

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

interface Change {
  readonly id: string;
  /** Epoch ms. */
  readonly now: number;
  readonly by: Actor;
}

interface Replacement extends NewKey {
  readonly old: { readonly id: string; readonly expiresAt: number };
}

/** The condition of a live key; takes the moment (epoch ms). */
const LIVE = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)';

/** Every change to the accounts file; each runs inside of a transaction of the writer thread. */
export const accountWrites = {
  /** `false` when the address is taken. */
  createAccount(database: Database, { account, by }: { account: Account; by: Actor }): boolean {
    const { id, email, createdAt } = account;
    const { changes } = database
      .query(
        `INSERT INTO accounts (id, email, plan, per_minute, per_day, created_at)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (email) DO NOTHING`,
      )
      .run(id, email, account.plan, ...customLimits(account), createdAt);
    if (changes === 0) return false;
    const detail = `${email}, ${describeSubscription(account)}`;
    record(database, { at: createdAt, by, action: 'account.created', accountId: id, detail });
    return true;
  },

  setSubscription(
    database: Database,
    { id, subscription, now, by }: Change & { readonly subscription: Subscription },
  ): void {
    const { changes } = database
      .query('UPDATE accounts SET plan = ?, per_minute = ?, per_day = ? WHERE id = ?')
      .run(subscription.plan, ...customLimits(subscription), id);
    if (changes === 0) return;
    const detail = describeSubscription(subscription);
    record(database, { at: now, by, action: 'account.plan_changed', accountId: id, detail });
  },

  setRole(database: Database, { id, role, now, by }: Change & { readonly role: Role }): void {
    const { changes } = database.query('UPDATE accounts SET role = ? WHERE id = ?').run(role, id);
    if (changes === 0) return;
    record(database, { at: now, by, action: 'account.role_changed', accountId: id, detail: role });
  },

  insertKey(database: Database, newKey: NewKey): 'kept' | 'too_many' {
    const { key, now, by } = newKey;
    if (addKey(database, newKey) === 'too_many') return 'too_many';
    const { accountId } = key;
    record(database, { at: now, by, action: 'key.created', accountId, detail: describeKey(key) });
    return 'kept';
  },

  replaceKey(database: Database, { old, ...successor }: Replacement): Replaced {
    const live = database
      .query(`SELECT 1 FROM api_keys WHERE id = ? AND ${LIVE}`)
      .get(old.id, successor.now);
    if (!live) return 'not_live';
    // A key that ends at once makes room for its successor.
    const room = old.expiresAt <= successor.now ? 1 : 0;
    const kept = addKey(database, { ...successor, most: successor.most + room });
    if (kept === 'too_many') return kept;
    // Whoever else replaced it just now may have given it less time.
    database
      .query('UPDATE api_keys SET expires_at = min(ifnull(expires_at, ?1), ?1) WHERE id = ?2')
      .run(old.expiresAt, old.id);
    const { key, now, by } = successor;
    const detail = `${old.id}, followed by ${describeKey(key)}`;
    record(database, { at: now, by, action: 'key.rotated', accountId: key.accountId, detail });
    return kept;
  },

  revokeKey(database: Database, { id, now, by }: Change): boolean {
    const revoked = database
      .query<ApiKeyRow, [number, string]>(
        'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *',
      )
      .get(now, id);
    if (!revoked) return false;
    const key = apiKeyFromRow(revoked);
    const { accountId } = key;
    record(database, { at: now, by, action: 'key.revoked', accountId, detail: describeKey(key) });
    return true;
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
  liftBan(database: Database, { id, by, now }: Change): boolean {
    const lifted = database
      .query<BanRow, [number, string, string, number]>(
        `UPDATE bans SET lifted_at = ?, lifted_by = ?
         WHERE id = ? AND lifted_at IS NULL AND ends_at > ? RETURNING *`,
      )
      .get(now, by, id, now);
    if (!lifted) return false;
    const { keyId, accountId } = banFromRow(lifted);
    const detail = `${id} of key ${keyId}`;
    record(database, { at: now, by, action: 'ban.lifted', accountId, detail });
    return true;
  },

  recordAudit(database: Database, entry: AuditEntry): void {
    record(database, entry);
  },

  /** Keeps the value that is there already, if any. */
  initSetting(database: Database, { name, value }: { name: string; value: string }): void {
    database.query('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, value);
  },
};

/** Adds a key when the account has room for it. */
function addKey(database: Database, { key, digest, most, now }: NewKey): 'kept' | 'too_many' {
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
      Buffer.from(digest, 'hex'),
      key.prefix,
      key.lastFour,
      key.createdAt,
      key.expiresAt ?? null,
    );
  return 'kept';
}

/** Puts an entry on the audit log, inside of the transaction of what it is about. */
export function record(
  database: Database,
  { at, by, action, accountId, detail }: AuditEntry,
): void {
  database
    .query('INSERT INTO audit (at, actor, action, account_id, detail) VALUES (?, ?, ?, ?, ?)')
    .run(at, by, action, accountId, detail);
}

/** Only Enterprise's numbers are stored; the other plans' are published. */
function customLimits({ plan, limits }: Subscription): [number | null, number | null] {
  return plan === 'enterprise' ? [limits.perMinute, limits.perDay] : [null, null];
}
