import type { Database } from 'bun:sqlite';
import type { Actor } from '../../core/audit.ts';
import { record } from './writes-accounts.ts';

interface SignUp {
  readonly id: string;
  readonly email: string;
  /** Of the password, never the password itself. */
  readonly passwordHash: string;
  readonly credentialId: string;
  /** Epoch ms. */
  readonly now: number;
}

/** How an account comes and goes by its holder's hand; each change whole, in one transaction. */
export const signUpWrites = {
  /** `false` when the address is taken. */
  signUpAccount(database: Database, { id, email, now, ...credential }: SignUp): boolean {
    const moment = new Date(now).toISOString();
    const { changes } = database
      .query(
        `INSERT INTO accounts (id, email, plan, created_at, signed_up_at, updated_at)
         VALUES (?, ?, 'free', ?, ?, ?) ON CONFLICT (email) DO NOTHING`,
      )
      .run(id, email, now, moment, moment);
    if (changes === 0) return false;
    database
      .query(
        `INSERT INTO credentials
           (id, user_id, account_id, provider_id, password, created_at, updated_at)
         VALUES (?, ?, ?, 'credential', ?, ?, ?)`,
      )
      .run(credential.credentialId, id, id, credential.passwordHash, moment, moment);
    const entry = { at: now, by: email, accountId: id, detail: email };
    record(database, { ...entry, action: 'account.created' });
    return true;
  },

  /** Takes everything of the account with it but its part of the audit log. */
  deleteAccount(
    database: Database,
    { id, now, by }: { readonly id: string; readonly now: number; readonly by: Actor },
  ): void {
    const deleted = database
      .query<{ email: string }, [string]>('DELETE FROM accounts WHERE id = ? RETURNING email')
      .get(id);
    if (!deleted) return;
    const entry = { at: now, by, accountId: id, detail: deleted.email };
    record(database, { ...entry, action: 'account.deleted' });
  },
};
