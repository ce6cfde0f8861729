import type { Actor } from '../../core/accounts/audit.ts';
import { recordChange } from '../change-log.ts';
import type { Transaction } from '../schema/schema.ts';
import { recordAudit } from './audit.ts';

export const suspensionChanges = {
  /** `false` when there is no such account, or it is already suspended. */
  async suspend(
    transaction: Transaction,
    accountId: string,
    reason: string,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    return setSuspension(transaction, accountId, reason, at, by);
  },

  /** `false` when the account is not suspended. */
  async resume(
    transaction: Transaction,
    accountId: string,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    return setSuspension(transaction, accountId, undefined, at, by);
  },
};

/** @param reason `undefined` ends the suspension. */
async function setSuspension(
  transaction: Transaction,
  accountId: string,
  reason: string | undefined,
  at: number,
  by: Actor,
): Promise<boolean> {
  const ends = reason === undefined;
  const { numUpdatedRows } = await transaction
    .updateTable('accounts')
    .set({ suspended_at: ends ? null : at, suspension_reason: reason ?? null })
    .where('id', '=', accountId)
    .where('suspended_at', ends ? 'is not' : 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await recordChange(transaction, 'account', accountId);
  const action = ends ? 'account.resumed' : 'account.suspended';
  await recordAudit(transaction, { at, by, action, accountId, detail: reason ?? '' });
  return true;
}
