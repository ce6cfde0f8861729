import type { SimulationStore } from '../../core/sandbox/simulations.ts';
import type { Access } from '../access.ts';
import type { Transaction } from '../schema/schema.ts';
import { select } from '../schema/selection.ts';

export const simulationChanges = {
  /** The number of the request; `null` if `times` requests were already counted, or there is no account. */
  async countSimulated(
    transaction: Transaction,
    accountId: string,
    counter: string,
    times: number | null,
  ): Promise<number | null> {
    // Nothing is counted for an account that was deleted in the meantime.
    const account = transaction.selectFrom('accounts').select('id').where('id', '=', accountId);
    if (!(await account.executeTakeFirst())) return null;
    const row = await transaction
      .insertInto('simulated_requests')
      .values({ account_id: accountId, counter, requests: 1 })
      .onConflict((conflict) => {
        const counted = conflict
          .columns(['account_id', 'counter'])
          .doUpdateSet(({ eb }) => ({ requests: eb('simulated_requests.requests', '+', 1) }));
        return times === null ? counted : counted.where('simulated_requests.requests', '<', times);
      })
      .returning('requests')
      .executeTakeFirst();
    return row?.requests ?? null;
  },
};

/** Deletes the counters of an account, except those of its keys. */
export async function forgetSimulated(transaction: Transaction, accountId: string): Promise<void> {
  await transaction
    .deleteFrom('simulated_requests')
    .where('account_id', '=', accountId)
    .where('counter', 'not like', 'key%')
    .execute();
}

const COUNTED = select('simulated_requests', ['requests'], 'WHERE account_id = ? AND counter = ?');

/** Counts the requests that a simulation applied to, on either engine. */
export function storedSimulations(access: Access<typeof simulationChanges>): SimulationStore {
  return {
    async count(accountId, counter, times) {
      const counted = await access.changes.countSimulated(accountId, counter, times ?? null);
      return counted ?? undefined;
    },
    async counted(accountId, counter) {
      const [row] = await access.rows(COUNTED, accountId, counter);
      return row?.requests ?? 0;
    },
  };
}
