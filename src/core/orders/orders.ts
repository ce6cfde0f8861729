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

/** An order with the account that it belongs to. */
export interface AccountOrder extends Order {
  readonly accountId: string;
}

/** Whether an order with this status keeps its pet from others. */
export function isOpen(status: OrderStatus): boolean {
  return status === 'placed' || status === 'approved';
}
