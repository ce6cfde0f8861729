import type { UnfinishedDeletions } from '../../core/orders/abandoned-orders.ts';
import type { Engine } from '../access.ts';
import type { Transaction } from '../schema/schema.ts';
import { select } from '../schema/selection.ts';

/** The setting that marks the deletion of an account as begun. */
const PREFIX = 'deletion of ';
const LIST = select('settings', ['name', 'value'], 'WHERE name LIKE ?');
const REMOVE = 'DELETE FROM settings WHERE name = ?';

/** Marks a deletion as begun. @param at epoch ms. */
export async function beginDeletion(
  transaction: Transaction,
  accountId: string,
  at: number,
): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ name: PREFIX + accountId, value: String(at) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(at) }))
    .execute();
}

/** Removes the mark, in the transaction that ends the deletion. */
export async function endDeletion(transaction: Transaction, accountId: string): Promise<void> {
  await transaction
    .deleteFrom('settings')
    .where('name', '=', PREFIX + accountId)
    .execute();
}

/** The deletions that have begun, on either engine. */
export function storedUnfinishedDeletions(
  engine: Pick<Engine, 'rows' | 'run'>,
): UnfinishedDeletions {
  return {
    async list() {
      const rows = await engine.rows(LIST, `${PREFIX}%`);
      return rows.map(({ name, value }) => {
        return { accountId: name.slice(PREFIX.length), begunAt: Number(value) };
      });
    },
    async remove(accountId) {
      await engine.run(REMOVE, PREFIX + accountId);
    },
  };
}
