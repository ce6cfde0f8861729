import type { Transaction } from '../schema/schema.ts';

/**
 * Serializes changes to the keys or second factors of an account, so that each one reads the result of the previous
 * one. An update locks the row on PostgreSQL; SQLite has a single writer and no `FOR UPDATE`.
 * @returns whether there is such an account.
 */
export async function lockAccount(transaction: Transaction, id: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('accounts')
    .set((update) => ({ role: update.ref('role') }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
