import { SECOND } from '../../lib/clock.ts';
import type { AccountStore } from '../accounts/accounts.ts';
import { ENVIRONMENTS, type Environment } from '../environments.ts';
import type { OrderStore } from './order-store.ts';

/** A deletion of an account that has begun. */
export interface UnfinishedDeletion {
  readonly accountId: string;
  /** When it began; epoch ms. */
  readonly begunAt: number;
}

/** The deletions of accounts that have not ended. Every call may raise `StorageUnavailable`. */
export interface UnfinishedDeletions {
  list(): Promise<readonly UnfinishedDeletion[]>;
  /** Takes a deletion off the list, as its end does. */
  remove(accountId: string): Promise<void>;
}

/** How long a deletion may take before its orders are deleted here as well, in ms. */
const DELETION_TAKES = 20 * SECOND;

/**
 * Deletes the orders of accounts whose deletion was interrupted, and frees the pets of those that are open. The accounts
 * themselves stay as they are. May raise `StorageUnavailable`.
 * @param deleteOrders deletes the orders of an account in every environment.
 * @param now epoch ms.
 */
export async function finishDeletingOrders(
  deletions: UnfinishedDeletions,
  deleteOrders: (accountId: string) => Promise<void>,
  now: number,
): Promise<void> {
  for (const { accountId, begunAt } of await deletions.list()) {
    // The clock may have been set back since.
    if (Math.abs(now - begunAt) < DELETION_TAKES) continue;
    await deleteOrders(accountId);
    await deletions.remove(accountId);
  }
}

/** Deletes the orders of an account in every environment, and frees the pets of those that are open. */
export async function deleteOrdersOf(
  accountId: string,
  environment: (name: Environment) => { readonly orders: Pick<OrderStore, 'deleteAll'> },
): Promise<void> {
  for (const name of ENVIRONMENTS) await environment(name).orders.deleteAll(accountId);
}

/** Accounts looked up at once. */
const ACCOUNTS_AT_ONCE = 500;

/**
 * Deletes the orders of accounts that do not exist, and frees the pets of those that are open: a request may be in flight
 * while its account is deleted. May raise `StorageUnavailable`.
 * @param which only accounts with open orders, which are found by an index, or all.
 */
export async function deleteAbandonedOrders(
  orders: OrderStore,
  accounts: Pick<AccountStore, 'findAll'>,
  which: 'open' | 'all',
): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await orders.accountsWith(which, after, ACCOUNTS_AT_ONCE);
    const known = new Set((await accounts.findAll(ids)).map(({ id }) => id));
    for (const id of ids) if (!known.has(id)) await orders.deleteAll(id);
    const last = ids.at(-1);
    if (last === undefined || ids.length < ACCOUNTS_AT_ONCE) return;
    after = last;
  }
}
