import { type Actor, withoutPersonalData } from '../../core/accounts/audit.ts';
import type { Access } from '../access.ts';
import { recordChange } from '../change-log.ts';
import { deleteInBatches } from '../schema/batches.ts';
import { TABLE_NAMES, TABLES, type TableName, type Transaction } from '../schema/schema.ts';
import { deleteEvents, forgetClients, recordAudit } from './audit.ts';
import { beginDeletion, endDeletion } from './unfinished-deletions.ts';

/** The account to delete, and who deletes it. */
interface Deletion {
  readonly id: string;
  /** The stored address and the spelling of its holder. */
  readonly addresses: readonly string[];
  /** Epoch ms. */
  readonly at: number;
  readonly by: Actor;
}

/** The number of audit log entries that are rewritten in one transaction. */
const ENTRIES_AT_ONCE = 500;

/**
 * Tables that may have many rows of one account. Keys come first: without keys no more rows are added. The sign-in
 * tables have few rows, which are deleted with the account.
 */
const TABLES_OF_ACCOUNTS = new Set<TableName>([
  'api_keys',
  ...TABLE_NAMES.filter((name) => {
    const { file, columns } = TABLES[name];
    const isOfAccount = file === 'accounts' && 'account_id' in columns;
    return isOfAccount && !('user_id' in columns) && name !== 'audit';
  }),
]);

export const accountDeletionChanges = {
  beginDeletion,

  /** Makes servers drop the cached keys of an account. */
  async forgetAccount(transaction: Transaction, id: string): Promise<void> {
    await recordChange(transaction, 'account', id);
  },

  /** Rewrites some audit log entries; returns the number of the last one; `undefined` if none were left. */
  anonymizeEntries,

  /** Deletes the account with its remaining rows, and removes its address from the audit log. */
  async deleteAccount(
    transaction: Transaction,
    { id, addresses, at, by }: Deletion,
    after: number,
  ): Promise<void> {
    const { numDeletedRows } = await transaction
      .deleteFrom('accounts')
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return;
    await endDeletion(transaction, id);
    for (let last: number | undefined = after; last !== undefined; ) {
      last = await anonymizeEntries(transaction, id, addresses, last);
    }
    await forgetClients(transaction, id);
    await transaction
      .updateTable('audit')
      .set({ actor: id })
      .where('actor', 'in', addresses)
      .execute();
    await transaction
      .updateTable('bans')
      .set({ lifted_by: id })
      .where('lifted_by', 'in', addresses)
      .execute();
    // The value of a sign-up link is the address; that of a password link is the account.
    await transaction
      .deleteFrom('verifications')
      .where('value', 'in', [id, ...addresses])
      .execute();
    const actor = addresses.includes(by) ? id : by;
    const entry = { at, by: actor, action: 'account.deleted', accountId: id, detail: '' } as const;
    await recordChange(transaction, 'account', id);
    await recordAudit(transaction, entry);
  },
};

/**
 * Deletes an account with everything that belongs to it. Large tables are deleted first, in batches: an interrupted
 * deletion leaves an account without keys, which can be deleted again. A background job then deletes its orders.
 * @param deleteOrders deletes the orders of an account.
 */
export async function deleteAccount(
  access: Access<typeof accountDeletionChanges>,
  deletion: Deletion,
  deleteOrders: (id: string) => Promise<void>,
): Promise<void> {
  const { changes } = access;
  const { id, addresses, at } = deletion;
  await changes.beginDeletion(id, at);
  for (const table of TABLES_OF_ACCOUNTS) {
    await deleteInBatches(access, table, 'account_id = ?', id);
    if (table !== 'api_keys') continue;
    await changes.forgetAccount(id);
    await deleteOrders(id);
  }
  await deleteEvents(access, id);
  let after = 0;
  for (let last: number | undefined = 0; last !== undefined; ) {
    after = last;
    last = await changes.anonymizeEntries(id, addresses, after);
  }
  await changes.deleteAccount(deletion, after);
}

async function anonymizeEntries(
  transaction: Transaction,
  id: string,
  addresses: readonly string[],
  after: number,
): Promise<number | undefined> {
  const entries = await transaction
    .selectFrom('audit')
    .select(['number', 'action', 'detail'])
    .where('account_id', '=', id)
    .where('number', '>', after)
    .orderBy('number')
    .limit(ENTRIES_AT_ONCE)
    .execute();
  for (const { number, action, detail } of entries) {
    const anonymous = withoutPersonalData(action, detail, addresses);
    if (anonymous === detail) continue;
    await transaction
      .updateTable('audit')
      .set({ detail: anonymous })
      .where('number', '=', number)
      .execute();
  }
  return entries.at(-1)?.number;
}
