import type { Account } from '../core/accounts.ts';
import { newId } from '../core/ids.ts';
import type { Subscription } from '../core/plans.ts';
import type { AccountStore } from '../core/ports.ts';
import { type AccountRow, accountFromRow } from './account-rows.ts';
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
  ): Promise<Account | undefined> {
    const account = { id: newId('acct', now), email, ...subscription, createdAt: now };
    const created = await this.#file.write({ name: 'createAccount', input: account });
    return created ? account : undefined;
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

  setSubscription(id: string, subscription: Subscription): Promise<void> {
    return this.#file.write({ name: 'setSubscription', input: { id, subscription } });
  }
}
