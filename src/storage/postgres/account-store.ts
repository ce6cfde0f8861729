import type { Account, AccountStore, Role } from '../../core/accounts.ts';
import { type Actor, describeSubscription } from '../../core/audit.ts';
import { newId } from '../../core/ids.ts';
import { type Subscription, subscribe } from '../../core/plans.ts';
import {
  ACCOUNT_COLUMNS,
  type SpelledAccountRow,
  spelledAccountFromRow,
  spellingOf,
} from './account-rows.ts';
import type { PostgresDatabase } from './database.ts';
import { announceChange, putOnRecord } from './on-record.ts';

const SELECT = `SELECT ${ACCOUNT_COLUMNS} FROM accounts`;

/** Accounts and their plans. */
export class PostgresAccountStore implements AccountStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async create(
    email: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<Account | undefined> {
    const role: Role = 'customer';
    const account = { id: newId('acct', now), email, role, ...subscription, createdAt: now };
    const { id, plan } = account;
    const isNew = await this.#database.transaction(async (queries) => {
      const made = await queries.run(
        `INSERT INTO accounts (id, email, written_as, plan, per_minute, per_day, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) DO NOTHING`,
        ...[id, email.toLowerCase(), email, plan, ...customLimits(account), now],
      );
      if (made === 0) return false;
      const detail = `${email}, ${describeSubscription(account)}`;
      await putOnRecord(queries, {
        at: now,
        by,
        action: 'account.created',
        accountId: id,
        detail,
      });
      return true;
    });
    return isNew ? account : undefined;
  }

  async signUp(email: string, passwordHash: string, now: number): Promise<Account | undefined> {
    const id = newId('acct', now);
    const moment = new Date(now).toISOString();
    const isNew = await this.#database.transaction(async (queries) => {
      const made = await queries.run(
        `INSERT INTO accounts (id, email, written_as, plan, created_at, signed_up_at, updated_at)
         VALUES ($1, $2, $3, 'free', $4, $5, $5) ON CONFLICT (email) DO NOTHING`,
        ...[id, email.toLowerCase(), email, now, moment],
      );
      if (made === 0) return false;
      await queries.run(
        `INSERT INTO credentials
           (id, user_id, account_id, provider_id, password, created_at, updated_at)
         VALUES ($1, $2, $2, 'credential', $3, $4, $4)`,
        ...[Bun.randomUUIDv7('hex', now), id, passwordHash, moment],
      );
      const entry = { at: now, by: email, accountId: id, detail: email };
      await putOnRecord(queries, { ...entry, action: 'account.created' });
      return true;
    });
    if (!isNew) return undefined;
    return { id, email, role: 'customer', ...subscribe('free'), createdAt: now };
  }

  async delete(id: string, now: number, by: Actor): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const row = await queries.get<SpelledAccountRow>(
        `DELETE FROM accounts WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
        id,
      );
      if (!row) return;
      // Keys go with their account, and servers remember keys.
      await announceChange(queries);
      const entry = { at: now, by, accountId: id, detail: spellingOf(row) };
      await putOnRecord(queries, { ...entry, action: 'account.deleted' });
    });
  }

  async find(id: string): Promise<Account | undefined> {
    const row = await this.#database.get<SpelledAccountRow>(`${SELECT} WHERE id = $1`, id);
    return row && spelledAccountFromRow(row);
  }

  async findByEmail(email: string): Promise<Account | undefined> {
    const lowerCase = email.toLowerCase();
    const row = await this.#database.get<SpelledAccountRow>(
      `${SELECT} WHERE email = $1`,
      lowerCase,
    );
    return row && spelledAccountFromRow(row);
  }

  async list(): Promise<Account[]> {
    const rows = await this.#database.all<SpelledAccountRow>(
      `${SELECT} ORDER BY accounts.created_at, accounts.id`,
    );
    return rows.map(spelledAccountFromRow);
  }

  async search(text: string, limit: number): Promise<Account[]> {
    const rows = await this.#database.all<SpelledAccountRow>(
      `${SELECT} WHERE strpos(email, $1) > 0 ORDER BY email COLLATE "C" LIMIT $2`,
      text.toLowerCase(),
      limit,
    );
    return rows.map(spelledAccountFromRow);
  }

  async setSubscription(
    id: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<void> {
    const detail = describeSubscription(subscription);
    await this.#database.transaction(async (queries) => {
      const changed = await queries.run(
        'UPDATE accounts SET plan = $1, per_minute = $2, per_day = $3 WHERE id = $4',
        ...[subscription.plan, ...customLimits(subscription), id],
      );
      if (changed === 0) return;
      await announceChange(queries);
      await putOnRecord(queries, {
        at: now,
        by,
        action: 'account.plan_changed',
        accountId: id,
        detail,
      });
    });
  }

  async setRole(id: string, role: Role, now: number, by: Actor): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const sql = 'UPDATE accounts SET role = $1 WHERE id = $2';
      if ((await queries.run(sql, role, id)) === 0) return;
      await putOnRecord(queries, {
        at: now,
        by,
        action: 'account.role_changed',
        accountId: id,
        detail: role,
      });
    });
  }
}

/** Only Enterprise's numbers are stored; the other plans' are published. */
function customLimits({ plan, limits }: Subscription): [number | null, number | null] {
  return plan === 'enterprise' ? [limits.perMinute, limits.perDay] : [null, null];
}
