import { ORDER_TRANSITIONS } from '../../core/orders/order-changes.ts';
import { MERGE_PATCH_MEDIA_TYPES } from '../../http/body/media-type.ts';
import { idempotencyKeyParameter } from '../../http/idempotency-key.ts';
import type { Operation } from '../../http/operation.ts';
import { preconditionParameters } from '../../http/preconditions.ts';
import { afterParameter, limitParameter, PAGINATION } from '../../http/target/paging.ts';
import { enumParameter, idParameter } from '../../http/target/parameters.ts';
import { Order, OrderPatch, OrderRequest, OrderStatus, Orders } from './schemas.ts';

const STATUS = enumParameter('status', OrderStatus, {
  description: 'Filters orders by status.',
  example: 'placed',
});

const NO_ID = {
  code: 'order_not_found',
  message: 'An id is a whole number, as the list of orders shows it.',
} as const;

/** The id in the path. @param purpose what the operation does with the order, such as `retrieve`. */
function orderIdParameter(purpose: string) {
  const description = `The id of the order to ${purpose}.`;
  return idParameter('orderId', NO_ID, { description, example: 1 });
}

/** What a client may do next with an order. */
const GET_ORDER = {
  operationId: 'getOrder',
  description: 'The order that was placed.',
  parameters: { orderId: '$response.body#/id' },
} as const;

/** The operations on orders, by operation id. `handlers.ts` has a handler for each. */
export const ORDER_OPERATIONS = {
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    summary: 'List your orders',
    description:
      'The orders of your account in ascending id. When more follow, the reply carries a `Link` header with ' +
      '`rel="next"` (RFC 8288): request that address to go on. A page without it is the last.',
    stability: 'experimental',
    parameters: [limitParameter('orders'), STATUS, afterParameter('an order', 'orders')],
    success: {
      status: 200,
      schema: Orders,
      description: 'A page of orders.',
      headers: ['Link'],
      example: [Order.example],
    },
    isRevalidated: true,
    pagination: PAGINATION,
  },
  createOrder: {
    method: 'POST',
    path: '/store/orders',
    summary: 'Order an animal',
    description:
      'Orders an available animal, which becomes `pending` until the order is delivered or cancelled. Of several ' +
      'orders for one animal at the same time exactly one succeeds. The reply is sent once the order is on disk. With ' +
      'an `Idempotency-Key` the request may be sent again: for 24 hours the first reply is given back and no second ' +
      'order is made.',
    stability: 'experimental',
    parameters: [
      idempotencyKeyParameter(
        'A text of your choice that names this order, such as a UUID. Scoped to the account. Only an order that was ' +
          'made keeps it, so after an error it may be used again.',
      ),
    ],
    body: OrderRequest,
    noun: 'order',
    success: {
      status: 201,
      schema: Order,
      description: 'Order placed; the body carries the assigned `id`.',
      headers: ['Location', 'ETag', 'Idempotent-Replayed'],
      links: { createdOrder: GET_ORDER },
    },
    errors: ['pet_not_found', 'pet_unavailable', 'idempotency_conflict', 'idempotency_mismatch'],
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    summary: 'Get an order',
    description: 'An order of your account. Orders of other accounts do not exist for you.',
    stability: 'experimental',
    parameters: [orderIdParameter('retrieve')],
    success: { status: 200, schema: Order, description: 'The requested order.' },
    isRevalidated: true,
    errors: ['order_not_found'],
  },
  updateOrder: {
    method: 'PATCH',
    path: '/store/orders/{orderId}',
    summary: 'Change an order',
    description:
      'Gives an order of your account another status; the animal follows in the same transaction. The reply is sent ' +
      'once the change is on disk. With the `ETag` of the order as `If-Match` it fails with 412 if the order has ' +
      'changed since.',
    stability: 'experimental',
    parameters: [...preconditionParameters('the order'), orderIdParameter('change')],
    body: OrderPatch,
    mediaTypes: MERGE_PATCH_MEDIA_TYPES,
    transitions: ORDER_TRANSITIONS,
    success: {
      status: 200,
      schema: Order,
      description: 'The order as it is now.',
      headers: ['ETag'],
      example: { ...Order.example, status: 'approved', updatedAt: '2026-11-21T10:00:00.000Z' },
    },
    errors: ['order_not_found', 'precondition_failed', 'invalid_transition'],
  },
} as const satisfies Record<string, Operation>;
