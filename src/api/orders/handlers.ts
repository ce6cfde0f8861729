import { type ApiError, apiError } from '../../core/errors.ts';
import {
  ORDER_TRANSITIONS,
  type OrderRefusal,
  type OrderUpdateOutcome,
} from '../../core/orders/order-changes.ts';
import type { OrderStore } from '../../core/orders/order-store.ts';
import { orderCreationReply, orderJson, ordersJson } from '../../core/orders/orders.ts';
import { transitionError } from '../../core/transitions.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { IDEMPOTENCY_KEY, REPLAYED } from '../../http/idempotency-key.ts';
import { preconditionOf } from '../../http/preconditions.ts';
import type { Reply } from '../../http/reply/reply.ts';
import {
  createdReply,
  pageReply,
  resourceReply,
  withEntityTag,
} from '../../http/reply/resource-replies.ts';
import { nextPageLink } from '../../http/target/paging.ts';
import { type Int64, toInt64 } from '../../lib/int64.ts';
import { ORDER_OPERATIONS } from './operations.ts';

type ContextOf<Id extends keyof typeof ORDER_OPERATIONS> = RequestContext<
  (typeof ORDER_OPERATIONS)[Id]
>;

const readOrder = bodyReader(ORDER_OPERATIONS.createOrder);
const readOrderPatch = bodyReader(ORDER_OPERATIONS.updateOrder);

/**
 * Handlers of the operations on the orders of one environment.
 * @param baseUrl where the operations are served, for the addresses in replies.
 */
export function orderHandlers(
  orders: OrderStore,
  baseUrl: string,
): Handlers<typeof ORDER_OPERATIONS> {
  return {
    listOrders: (context) => listOrders(orders, baseUrl, context),
    createOrder: (context) => createOrder(orders, baseUrl, context),
    getOrder: (context) => getOrder(orders, context),
    updateOrder: (context) => updateOrder(orders, context),
  };
}

async function listOrders(
  store: OrderStore,
  baseUrl: string,
  { key: { accountId }, parameters }: ContextOf<'listOrders'>,
): Promise<Reply> {
  const { orders, more } = await store.list({ accountId, ...parameters });
  const { limit, status } = parameters;
  const next = { limit, status, after: orders.at(-1)?.id };
  const Link = more ? nextPageLink(`${baseUrl}/store/orders`, next) : undefined;
  return pageReply(ordersJson(orders), Link);
}

async function createOrder(
  orders: OrderStore,
  baseUrl: string,
  { key: { accountId }, request, now, parameters }: ContextOf<'createOrder'>,
): Promise<Reply> {
  const petId = toInt64((await readOrder(request)).petId);
  const outcome = await orders.create({ accountId, petId }, now, parameters[IDEMPOTENCY_KEY]);
  const collection = `${baseUrl}/store/orders`;
  switch (outcome.kind) {
    case 'created':
      return createdReply(collection, orderCreationReply(outcome.order), outcome.order.id);
    case 'replayed':
      return { ...createdReply(collection, outcome.reply), headers: REPLAYED };
    case 'mismatch':
      throw apiError('idempotency_mismatch', { noun: ORDER_OPERATIONS.createOrder.noun });
    case 'conflict':
      throw apiError('idempotency_conflict');
    default:
      throw orderRefusal(outcome, petId);
  }
}

/** The error for an animal that cannot be ordered. */
export function orderRefusal(refusal: OrderRefusal, petId: Int64): ApiError {
  return refusal.kind === 'pet_not_found'
    ? apiError('pet_not_found', { petId })
    : apiError('pet_unavailable', { status: refusal.status });
}

async function getOrder(
  orders: OrderStore,
  { key: { accountId }, parameters: { orderId } }: ContextOf<'getOrder'>,
): Promise<Reply> {
  // Ids stay within 2^53 - 1, so a greater one that `Number` rounds cannot match an order.
  const order = await orders.get(accountId, Number(orderId));
  if (!order) throw apiError('order_not_found', { orderId });
  return resourceReply(orderJson(order));
}

async function updateOrder(
  orders: OrderStore,
  { key: { accountId }, request, now, parameters }: ContextOf<'updateOrder'>,
): Promise<Reply> {
  const precondition = preconditionOf(parameters);
  const { status } = await readOrderPatch(request);
  // May throw the 404 for an id that is no int64.
  const { orderId } = parameters;
  const change = { id: Number(orderId), accountId, precondition };
  const outcome = await orders.update(change, status, now);
  if (outcome.kind !== 'updated') throw orderUpdateRefusal(outcome, orderId);
  return withEntityTag({ status: 200, body: orderJson(outcome.order) });
}

/** Why a change was not made. */
type Refusal = Exclude<OrderUpdateOutcome, { readonly kind: 'updated' }>;

/** The error for a change that was not made. @param orderId as the client sent it. */
export function orderUpdateRefusal(refusal: Refusal, orderId: Int64): ApiError {
  switch (refusal.kind) {
    case 'not_found':
      return apiError('order_not_found', { orderId });
    case 'precondition_failed':
      return apiError('precondition_failed', { header: refusal.header });
    case 'invalid_transition':
      return transitionError(ORDER_TRANSITIONS, refusal.from, refusal.to);
  }
}
