import type { Int64 } from '../../lib/int64.ts';
import { entityTagOf } from '../entity-tags.ts';
import type { StoredReply } from '../idempotency.ts';

/** The states of an order, from the first to the last. */
export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** An order of an account for one pet. */
export interface Order {
  /** Assigned by the service, ascending, at most 2^53 - 1. Never assigned again. */
  readonly id: number;
  /** The pet, which may have been deleted after the order ended. */
  readonly petId: number;
  readonly status: OrderStatus;
  /** Epoch ms on the account's clock. */
  readonly createdAt: number;
  /** When its status changed last; epoch ms on the account's clock. */
  readonly updatedAt: number;
}

/** An order to be made. */
export interface NewOrder {
  readonly accountId: string;
  readonly petId: Int64;
}

/** An order with the account that it belongs to. */
export interface AccountOrder extends Order {
  readonly accountId: string;
}

/** Whether an order with this status keeps its pet from others. */
export function isOpen(status: OrderStatus): boolean {
  return status === 'placed' || status === 'approved';
}

/** An order as JSON text. */
export function orderJson(order: Order): string {
  return JSON.stringify(orderFields(order));
}

/** A page of orders as JSON text. */
export function ordersJson(orders: readonly Order[]): string {
  return JSON.stringify(orders.map(orderFields));
}

/** The strong entity tag of an order, which changes with each of its fields. */
export function orderEntityTag(order: Order): string {
  return entityTagOf(orderJson(order));
}

/** The reply to the creation of an order, which has not changed since. */
export function orderCreationReply(order: Order): StoredReply {
  return { status: 201, body: orderJson(order) };
}

/** The fields of an order as JSON has them. */
export function orderFields({ id, petId, status, createdAt, updatedAt }: Order) {
  return { id, petId, status, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
