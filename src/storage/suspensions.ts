import type { Actor } from '../core/audit.ts';
import { recordAudit } from './audit.ts';
import { recordChange } from './change-log.ts';
import type { Transaction } from './schema.ts';

export const suspensionChanges = {
  /** `false` when there is no such account, or it is suspended already. */
  async suspendAccount(
    transaction: Transaction,
    accountId: string,
    reason: string,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ suspended_at: at, suspension_reason: reason })
      .where('id', '=', accountId)
      .where('suspended_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await recordChange(transaction, 'account', accountId);
    const entry = { at, by, action: 'account.suspended', accountId, detail: reason } as const;
    await recordAudit(transaction, entry);
    return true;
  },

  /** `false` when the account is not suspended. */
  async resumeAccount(
    transaction: Transaction,
    accountId: string,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ suspended_at: null, suspension_reason: null })
      .where('id', '=', accountId)
      .where('suspended_at', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await recordChange(transaction, 'account', accountId);
    const entry = { at, by, action: 'account.resumed', accountId, detail: '' } as const;
    await recordAudit(transaction, entry);
    return true;
  },
};
