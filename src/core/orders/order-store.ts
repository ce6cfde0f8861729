import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import type { StoredReply } from '../idempotency.ts';
import type { OrderChangeRequest, OrderRefusal, OrderUpdateOutcome } from './order-changes.ts';
import type { AccountOrder, NewOrder, Order, OrderStatus } from './orders.ts';

/** Selects orders, in ascending id. */
export interface OrderFilter {
  readonly limit: number;
  readonly status?: OrderStatus | undefined;
  /** Only orders with a greater id; 0 for the first page. */
  readonly after: number;
}

/** One page of the list of an account: keyset pagination. */
export interface OrderQuery extends OrderFilter {
  readonly accountId: string;
}

/** An order with any status. */
export type ImportedOrder = Pick<AccountOrder, 'accountId' | 'petId' | 'status'>;

/** Selects orders of all accounts, or of one. */
export interface AllOrdersFilter extends OrderFilter {
  readonly accountId?: string | undefined;
}

/** Selects the latest orders of all accounts, or of one. */
export interface LatestOrdersFilter extends Omit<AllOrdersFilter, 'after'> {
  /** Only orders with a lower id. */
  readonly before?: number | undefined;
}

export interface OrderPage<Listed extends Order = Order> {
  readonly orders: readonly Listed[];
  /** Whether more orders follow the last one of this page. */
  readonly more: boolean;
}

/** Orders of an account that show whether there is something new. */
export type OrderActivity = ReadonlyArray<Pick<Order, 'id' | 'status'>>;

export type CreateOrderOutcome =
  | { readonly kind: 'created'; readonly order: Order }
  /** The same request was processed before; `reply` is its first reply. */
  | { readonly kind: 'replayed'; readonly reply: StoredReply }
  /** The idempotency key was used before for another pet. */
  | { readonly kind: 'mismatch' }
  /** A request with the same idempotency key is in flight. */
  | { readonly kind: 'conflict' }
  | OrderRefusal;

/** The orders of one environment. Every call may raise `StorageUnavailable`. */
export interface OrderStore {
  list(query: OrderQuery): Awaitable<OrderPage>;
  /** An order of this account. */
  get(accountId: string, id: number): Awaitable<Order | undefined>;
  /** The latest order of this account for a pet, with any status. */
  latestFor(accountId: string, petId: number): Awaitable<Order | undefined>;
  /**
   * Orders a pet, which becomes pending in the same transaction. Resolves once that is durable.
   * @param key the client's Idempotency-Key, which only a created order stores.
   */
  create(order: NewOrder, now: Instant, key?: string): Promise<CreateOrderOutcome>;
  /** Changes an order and its pet, in one transaction with the checks. Resolves once the change is durable. */
  update(
    request: OrderChangeRequest,
    status: OrderStatus,
    now: Instant,
  ): Promise<OrderUpdateOutcome>;
  /**
   * Adds many orders in this order, of pets that have the statuses that follow from them. Those of open orders are then
   * reserved.
   */
  import(orders: readonly ImportedOrder[], now: Instant): Promise<void>;
  /** The orders of all accounts, or of one. */
  listAll(filter: AllOrdersFilter): Promise<OrderPage<AccountOrder>>;
  /** The latest orders, in descending id. */
  latest(filter: LatestOrdersFilter): Promise<OrderPage<AccountOrder>>;
  /**
   * The latest orders of an account, and the latest open ones: differs after each new order, and after each change of
   * one of these.
   */
  activity(accountId: string): Promise<OrderActivity>;
  /** The order with this id, of any account. */
  find(id: number): Promise<AccountOrder | undefined>;
  /** Deletes all orders of an account, in batches, each of which frees the pets of its open orders. */
  deleteAll(accountId: string): Promise<void>;
  /** The next accounts with orders, in ascending id. @param which with open orders, which are found faster, or with any. */
  accountsWith(which: 'open' | 'all', after: string, limit: number): Promise<readonly string[]>;
  /** Deletes the idempotency keys of an account's orders that were made after `since` (epoch ms). */
  forgetRequests(accountId: string, since: number): Promise<void>;
  /** Deletes the idempotency keys of orders that are older than 24 hours. */
  pruneRequests(now: Instant): Promise<void>;
}
