import type { Environment } from '../core/environments.ts';
import {
  deleteAbandonedOrders,
  deleteOrdersOf,
  finishDeletingOrders,
} from '../core/orders/abandoned-orders.ts';
import { HOUR, SECOND } from '../lib/clock.ts';
import type { JobDependencies } from './dependencies.ts';

/** How often open orders of deleted accounts are looked for, in ms: none keeps its animal for more than a minute. */
const FREE_EVERY = 20 * SECOND;

/**
 * Deletes the orders of accounts that were deleted, or whose deletion was interrupted, so that their animals are free.
 * @param environments those that this process serves.
 */
export function deleteOrdersOfDeletedAccounts(
  { stores, clock, jobs }: Pick<JobDependencies, 'stores' | 'clock' | 'jobs'>,
  environments: Iterable<Environment>,
): void {
  const { accounts, unfinishedDeletions } = stores;
  const orders = Array.from(environments, (name) => stores.environment(name).orders);
  if (orders.length === 0) return;
  const deleteEverywhere = (id: string) => deleteOrdersOf(id, (name) => stores.environment(name));
  jobs.every(FREE_EVERY, 'free animals of deleted accounts', async () => {
    await finishDeletingOrders(unfinishedDeletions, deleteEverywhere, clock.now().wall);
    for (const each of orders) await deleteAbandonedOrders(each, accounts, 'open');
  });
  jobs.every(HOUR, 'delete orders of deleted accounts', async () => {
    for (const each of orders) await deleteAbandonedOrders(each, accounts, 'all');
  });
}
