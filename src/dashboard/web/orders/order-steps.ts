import type { OrderStatus } from '../../../core/orders/orders.ts';

/** The captions of the buttons that give an order its next status. */
export const STEPS = {
  placed: 'Place',
  approved: 'Approve',
  delivered: 'Deliver',
  cancelled: 'Cancel',
} as const satisfies Record<OrderStatus, string>;
