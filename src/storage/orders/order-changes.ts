import { isExpired } from '../../core/idempotency.ts';
import {
  decideOrder,
  decideOrderUpdate,
  type OrderChangeRequest,
  type OrderUpdateOutcome,
} from '../../core/orders/order-changes.ts';
import type { CreateOrderOutcome, ImportedOrder } from '../../core/orders/order-store.ts';
import {
  isOpen,
  type NewOrder,
  type Order,
  type OrderStatus,
  orderCreationReply,
  orderJson,
} from '../../core/orders/orders.ts';
import type { StoredPet } from '../../core/pets/pet-changes.ts';
import type { BoundEnvironmentChanges, EnvironmentTransaction } from '../access.ts';
import { findPet, followOrder } from '../pets/pet-changes.ts';
import { inEnvironment } from '../schema/selection.ts';
import {
  accountOrderFrom,
  insertOrder,
  orderFrom,
  selectOrdersInTransaction,
} from './order-rows.ts';

const ONE_ORDER = 'environment = $1 AND account_id = $2 AND id = $3';

const PET_OF = inEnvironment<{ pet_id: bigint | number }>(
  `SELECT pet_id FROM orders WHERE ${ONE_ORDER}`,
);
const FIND = selectOrdersInTransaction(`WHERE ${ONE_ORDER} FOR UPDATE`);
const BY_KEY = selectOrdersInTransaction(
  'WHERE environment = $1 AND account_id = $2 AND idempotency_key = $3',
);
const FIRST = selectOrdersInTransaction(
  'WHERE environment = $1 AND account_id = $2 ORDER BY id LIMIT $3',
);
const UPDATE = inEnvironment(`UPDATE orders SET status = $4, updated_at = $5 WHERE ${ONE_ORDER}`);
const FORGET_KEY = inEnvironment(`UPDATE orders SET idempotency_key = NULL WHERE ${ONE_ORDER}`);
const DELETE = inEnvironment(`DELETE FROM orders WHERE ${ONE_ORDER}`);

/** An order to be made. */
export interface OrderCreation {
  readonly order: NewOrder;
  /** The client's Idempotency-Key. */
  readonly key: string | undefined;
  /** Epoch ms on the account's clock. */
  readonly now: number;
}

/** A change of an order's status. */
export interface OrderUpdate {
  readonly request: OrderChangeRequest;
  readonly status: OrderStatus;
  /** Epoch ms on the account's clock. */
  readonly now: number;
}

/** The changes of orders without their transaction. */
export type BoundOrderChanges = BoundEnvironmentChanges<typeof orderChanges>;

/** The changes of orders. Each runs within a transaction. */
export const orderChanges = {
  async createOrder(
    transaction: EnvironmentTransaction,
    creation: OrderCreation,
  ): Promise<CreateOrderOutcome> {
    const { order, key, now } = creation;
    // One order of an account after the other: a repeated request finds the order of the first one, also where a
    // transaction becomes visible bit by bit, and whoever follows the list by the last id misses none.
    await transaction.lockAccount(order.accountId);
    const earlier = await findByKey(transaction, creation);
    if (earlier && !isExpired(earlier.createdAt, now)) return repeated(earlier, order);
    const petId = Number(order.petId);
    const decision = decideOrder(await findPet(transaction, petId));
    if (decision.kind !== 'available') return decision;
    if (earlier) await transaction.run(FORGET_KEY, order.accountId, earlier.id);
    const [id = 0] = await transaction.newIds('orders', 1);
    const { accountId, ...fields } = order;
    const times = { createdAt: now, updatedAt: now };
    const created: Order = { ...fields, id, petId, status: 'placed', ...times };
    await insertOrder(transaction, { ...created, accountId }, key);
    await followOrder(transaction, decision.pet, created);
    return { kind: 'created', order: created };
  },

  async updateOrder(
    transaction: EnvironmentTransaction,
    { request, status, now }: OrderUpdate,
  ): Promise<OrderUpdateOutcome> {
    const { accountId, id } = request;
    const { order: stored, pet } = await lockOrder(transaction, accountId, id);
    const outcome = decideOrderUpdate(stored, status, request, now);
    if (outcome.kind === 'updated' && outcome.order !== stored) {
      const { order } = outcome;
      await transaction.run(UPDATE, accountId, id, order.status, order.updatedAt);
      if (pet) await followOrder(transaction, pet, order);
    }
    return outcome;
  },

  /** Adds orders of pets that already have the statuses that follow from them. */
  async importOrders(
    transaction: EnvironmentTransaction,
    { orders, now }: { readonly orders: readonly ImportedOrder[]; readonly now: number },
  ): Promise<void> {
    const ids = await transaction.newIds('orders', orders.length);
    for (const [index, order] of orders.entries()) {
      const added = { ...order, id: ids[index] ?? 0, createdAt: now, updatedAt: now };
      await insertOrder(transaction, added, undefined);
      const pet = isOpen(order.status) ? await findPet(transaction, order.petId) : undefined;
      if (pet) await followOrder(transaction, pet, added);
    }
  },

  /** Deletes the first orders of an account, and frees the pets of those that are open. @returns how many it deleted. */
  async deleteOrders(
    transaction: EnvironmentTransaction,
    { accountId, limit }: { readonly accountId: string; readonly limit: number },
  ): Promise<number> {
    const rows = await transaction.rows(FIRST, accountId, limit);
    // In the order of their pets, so that two transactions wait for each other only once.
    const orders = rows.map(accountOrderFrom).sort((one, other) => one.petId - other.petId);
    for (const { id, status } of orders) {
      if (isOpen(status)) await freePet(transaction, accountId, id);
      await transaction.run(DELETE, accountId, id);
    }
    const highest = orders.reduce((most, { id }) => Math.max(most, id), 0);
    if (highest > 0) await transaction.retireIds('orders', highest);
    return orders.length;
  },
};

/** The order of an earlier request with the same key, which may have expired. */
async function findByKey(
  transaction: EnvironmentTransaction,
  { order, key }: OrderCreation,
): Promise<Order | undefined> {
  if (key === undefined) return undefined;
  const [row] = await transaction.rows(BY_KEY, order.accountId, key);
  return row && orderFrom(row);
}

/** The outcome of a request whose key belongs to an earlier order. */
function repeated(
  earlier: Order,
  { accountId: _, petId, ...fields }: NewOrder,
): CreateOrderOutcome {
  const first: Order = { ...earlier, status: 'placed', updatedAt: earlier.createdAt };
  const again: Order = { ...first, ...fields, petId: Number(petId) };
  if (orderJson(again) !== orderJson(first)) return { kind: 'mismatch' };
  return { kind: 'replayed', reply: orderCreationReply(first) };
}

/** Makes the pet of an order available, if the order is open. */
async function freePet(
  transaction: EnvironmentTransaction,
  accountId: string,
  id: number,
): Promise<void> {
  const { order, pet } = await lockOrder(transaction, accountId, id);
  if (order && pet && isOpen(order.status)) {
    await followOrder(transaction, pet, { id, status: 'cancelled' });
  }
}

/** An order and its pet, which nobody else changes until the end of the transaction. */
interface LockedOrder {
  readonly order?: Order | undefined;
  /** `undefined` if it was deleted after the order ended. */
  readonly pet?: StoredPet | undefined;
}

/** Locks the pet first, like every change of an order, so that two changes never wait for each other. */
async function lockOrder(
  transaction: EnvironmentTransaction,
  accountId: string,
  id: number,
): Promise<LockedOrder> {
  if (!Number.isSafeInteger(id)) return {};
  const [found] = await transaction.rows(PET_OF, accountId, id);
  if (!found) return {};
  const pet = await findPet(transaction, Number(found.pet_id));
  const [row] = await transaction.rows(FIND, accountId, id);
  return { order: row && orderFrom(row), pet };
}
