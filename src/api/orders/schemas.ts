import { ORDER_STATUSES } from '../../core/orders/orders.ts';

/* JSON Schemas (2020-12), as in `../pets/schemas.ts`. */

export const OrderStatus = {
  enum: ORDER_STATUSES,
  type: 'string',
  description:
    'The state of an order. While it is `placed` or `approved`, the animal is `pending`; `delivered` makes it `sold`, ' +
    '`cancelled` makes it `available`.',
  example: 'placed',
} as const;

const AT = '2026-11-21T09:30:00.000Z';

const id = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Unique identifier assigned by the service; ascending.',
  example: 1,
} as const;

const time = { type: 'string', format: 'date-time', example: AT } as const;

export const OrderRequest = {
  type: 'object',
  required: ['petId'],
  properties: { petId: { type: 'bigint', description: 'Id of the animal to order.', example: 1 } },
  description: 'An animal to order. Other fields are ignored.',
  example: { petId: 1 },
} as const;

export const OrderPatch = {
  type: 'object',
  required: ['status'],
  additionalProperties: false,
  properties: { status: OrderStatus },
  description:
    'The status to give the order (JSON Merge Patch, RFC 7396). `null` and other fields are refused.',
  example: { status: 'approved' },
} as const;

export const Order = {
  type: 'object',
  required: ['id', 'petId', 'status', 'createdAt', 'updatedAt'],
  properties: {
    id,
    petId: {
      ...id,
      description: 'Id of the animal, which may have been deleted after the order ended.',
    },
    status: OrderStatus,
    createdAt: { ...time, description: 'When it was placed; ISO 8601, UTC.' },
    updatedAt: { ...time, description: 'When its status changed last; ISO 8601, UTC.' },
  },
  description: 'An order of your account for one animal.',
  example: { id: 1, petId: 1, status: 'placed', createdAt: AT, updatedAt: AT },
} as const;

export const Orders = {
  type: 'array',
  items: Order,
  description: 'Orders in ascending id.',
} as const;

/** By the names that the OpenAPI document gives them. */
export const ORDER_SCHEMAS = { OrderRequest, OrderPatch, Order, Orders, OrderStatus } as const;
