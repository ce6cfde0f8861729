import { newId } from '../../../src/core/ids.ts';
import type { CreateOrderOutcome } from '../../../src/core/orders/order-store.ts';
import type { Order, OrderStatus } from '../../../src/core/orders/orders.ts';
import type { Pet, PetStatus } from '../../../src/core/pets/pets.ts';
import { at, type Backend, pet } from './backend.ts';

export const BUYER = newId('acct', 0);
export const OTHER = newId('acct', 1);

export async function added(backend: Backend, status: PetStatus = 'available'): Promise<Pet> {
  const outcome = await backend.pets().create(pet('Rex', { status }), at());
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet;
}

/** Orders the pet, or a new one. */
export async function ordered(backend: Backend, petId?: number, accountId = BUYER): Promise<Order> {
  const id = petId ?? (await added(backend)).id;
  return created(await backend.orders().create({ accountId, petId: id }, at()));
}

export function created(outcome: CreateOrderOutcome): Order {
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.order;
}

/** Gives an order a status by the steps that lead to it. */
export async function brought(backend: Backend, order: Order, status: OrderStatus): Promise<void> {
  const steps: readonly OrderStatus[] = status === 'delivered' ? ['approved', status] : [status];
  for (const step of steps) {
    const outcome = await backend.orders().update({ id: order.id, accountId: BUYER }, step, at(1));
    if (outcome.kind !== 'updated') throw new Error(outcome.kind);
  }
}

export async function statusOf(backend: Backend, petId: number): Promise<PetStatus | undefined> {
  return (await backend.pets().get(petId))?.status;
}

/** An order with this status. */
export async function orderWith(backend: Backend, status: OrderStatus): Promise<Order> {
  const placed = await ordered(backend);
  if (status !== 'placed') await brought(backend, placed, status);
  return (await backend.orders().get(BUYER, placed.id)) ?? placed;
}
