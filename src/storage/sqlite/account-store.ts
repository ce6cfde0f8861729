import type { Account, AccountStore, Role } from '../../core/accounts.ts';
import type { Actor } from '../../core/audit.ts';
import { newId } from '../../core/ids.ts';
import { type Subscription, subscribe } from '../../core/plans.ts';
import { type AccountRow, accountFromRow } from '../rows.ts';
import type { SqliteFile } from './file.ts';

/** Accounts and their plans. */
export class SqliteAccountStore implements AccountStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async create(
    email: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<Account | undefined> {
    const role: Role = 'customer';
    const account = { id: newId('acct', now), email, role, ...subscription, createdAt: now };
    const created = await this.#file.write({ name: 'createAccount', input: { account, by } });
    return created ? account : undefined;
  }

  async signUp(email: string, passwordHash: string, now: number): Promise<Account | undefined> {
    const id = newId('acct', now);
    const input = { id, email, passwordHash, credentialId: Bun.randomUUIDv7('hex', now), now };
    const created = await this.#file.write({ name: 'signUpAccount', input });
    if (!created) return undefined;
    return { id, email, role: 'customer', ...subscribe('free'), createdAt: now };
  }

  delete(id: string, now: number, by: Actor): Promise<void> {
    return this.#file.write({ name: 'deleteAccount', input: { id, now, by } });
  }

  find(id: string): Account | undefined {
    const row = this.#file.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', id);
    return row && accountFromRow(row);
  }

  findByEmail(email: string): Account | undefined {
    const row = this.#file.get<AccountRow>('SELECT * FROM accounts WHERE email = ?', email);
    return row && accountFromRow(row);
  }

  list(): Account[] {
    return this.#file
      .all<AccountRow>('SELECT * FROM accounts ORDER BY created_at, id')
      .map(accountFromRow);
  }

  search(text: string, limit: number): Account[] {
    return this.#file
      .all<AccountRow>(
        'SELECT * FROM accounts WHERE instr(lower(email), lower(?)) > 0 ORDER BY email LIMIT ?',
        text,
        limit,
      )
      .map(accountFromRow);
  }

  setSubscription(id: string, subscription: Subscription, now: number, by: Actor): Promise<void> {
    return this.#file.write({ name: 'setSubscription', input: { id, subscription, now, by } });
  }

  setRole(id: string, role: Role, now: number, by: Actor): Promise<void> {
    return this.#file.write({ name: 'setRole', input: { id, role, now, by } });
  }
}
