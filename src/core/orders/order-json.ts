import { entityTagOf } from '../entity-tags.ts';
import type { StoredReply } from '../idempotency.ts';
import type { Order } from './orders.ts';

/** An order as JSON text. */
export function orderJson(order: Order): string {
  return JSON.stringify(fieldsOf(order));
}

/** A page of orders as JSON text. */
export function ordersJson(orders: readonly Order[]): string {
  return JSON.stringify(orders.map(fieldsOf));
}

/** The strong entity tag of an order, which changes with each of its fields. */
export function orderEntityTag(order: Order): string {
  return entityTagOf(orderJson(order));
}

/** The reply to the creation of an order, which has not changed since. */
export function orderCreationReply(order: Order): StoredReply {
  return { status: 201, body: orderJson(order) };
}

function fieldsOf({ id, petId, status, createdAt, updatedAt }: Order) {
  return { id, petId, status, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
