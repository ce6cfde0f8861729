import type { Actor } from '../../core/accounts/audit.ts';
import { recordChange } from '../change-log.ts';
import type { Transaction } from '../schema/schema.ts';
import { recordAudit } from './audit.ts';

export const suspensionChanges = {
  /**
   * `false` when there is no such account, or it is in that state already.
   * @param reason `null` ends the suspension.
   */
  async setSuspension(
    transaction: Transaction,
    accountId: string,
    reason: string | null,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    const ends = reason === null;
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ suspended_at: ends ? null : at, suspension_reason: reason })
      .where('id', '=', accountId)
      .where('suspended_at', ends ? 'is not' : 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await recordChange(transaction, 'account', accountId);
    const action = ends ? 'account.resumed' : 'account.suspended';
    await recordAudit(transaction, { at, by, action, accountId, detail: reason ?? '' });
    return true;
  },
};
