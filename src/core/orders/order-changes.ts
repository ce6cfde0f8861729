import { failedPrecondition, type Precondition, type PreconditionHeader } from '../entity-tags.ts';
import type { StoredPet } from '../pets/pet-changes.ts';
import type { PetStatus } from '../pets/pets.ts';
import type { Transitions } from '../transitions.ts';
import type { Order, OrderStatus } from './orders.ts';
import { orderEntityTag } from './orders.ts';

/** The statuses that an order may get, by the one that it has. Keeping the same status is always allowed. */
export const ORDER_TRANSITIONS: Transitions<OrderStatus> = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
};

/** The status that a pet gets with the status of its order; `pending` while the order is open. */
export const PET_STATUS_OF: Readonly<Record<OrderStatus, PetStatus>> = {
  placed: 'pending',
  approved: 'pending',
  delivered: 'sold',
  cancelled: 'available',
};

/** Why a pet cannot be ordered. */
export type OrderRefusal =
  | { readonly kind: 'pet_not_found' }
  /** The pet is not available. */
  | { readonly kind: 'pet_unavailable'; readonly status: PetStatus };

/** A request to change an order. */
export interface OrderChangeRequest {
  readonly id: number;
  /** The account that asks; orders of others do not exist for it. */
  readonly accountId: string;
  readonly precondition?: Precondition | undefined;
}

export type OrderUpdateOutcome =
  /** The order as it is now, whether anything had to be written or not. */
  | { readonly kind: 'updated'; readonly order: Order }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'precondition_failed'; readonly header: PreconditionHeader }
  | {
      readonly kind: 'invalid_transition';
      readonly from: OrderStatus;
      readonly to: OrderStatus;
    };

/** Decides whether a pet can be ordered, in the transaction of the order. */
export function decideOrder(
  stored: StoredPet | undefined,
): { readonly kind: 'available'; readonly pet: StoredPet } | OrderRefusal {
  if (!stored) return { kind: 'pet_not_found' };
  const { status } = stored.pet;
  return status === 'available'
    ? { kind: 'available', pet: stored }
    : { kind: 'pet_unavailable', status };
}

/**
 * Decides on a change, in the transaction that makes it.
 * @param now epoch ms on the account's clock.
 * @returns the outcome; the change must be written only if the order of the outcome is another object than the stored one.
 */
export function decideOrderUpdate(
  order: Order | undefined,
  status: OrderStatus,
  { precondition }: Pick<OrderChangeRequest, 'precondition'>,
  now: number,
): OrderUpdateOutcome {
  if (!order) return { kind: 'not_found' };
  const header = precondition && failedPrecondition(orderEntityTag(order), precondition);
  if (header) return { kind: 'precondition_failed', header };
  const from = order.status;
  if (status === from) return { kind: 'updated', order };
  if (!ORDER_TRANSITIONS[from].includes(status)) {
    return { kind: 'invalid_transition', from, to: status };
  }
  // The clock may have been set back since the order was made.
  return {
    kind: 'updated',
    order: { ...order, status, updatedAt: Math.max(now, order.updatedAt) },
  };
}
