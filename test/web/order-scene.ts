import type { Environment } from '../../src/core/environments.ts';
import type { Order, OrderStatus } from '../../src/core/orders/orders.ts';
import type { TestService } from '../support/harness.ts';

interface NewOrder {
  readonly accountId: string;
  /** The name of its animal. */
  readonly name?: string;
  readonly status?: OrderStatus;
  readonly environment?: Environment;
}

/** An order for a new animal, which belongs to nobody, brought to this status. */
export async function addOrder(
  { stores, clock }: Pick<TestService, 'stores' | 'clock'>,
  { accountId, name = 'Rex', status = 'placed', environment = 'production' }: NewOrder,
): Promise<Order> {
  const { pets, orders } = stores.environment(environment);
  const pet = { name, categoryId: 1, status: 'available' } as const;
  const made = await pets.create(pet, clock.now());
  if (made.kind !== 'created') throw new Error(made.kind);
  const placed = await orders.create({ accountId, petId: made.pet.id }, clock.now());
  if (placed.kind !== 'created') throw new Error(placed.kind);
  let { order } = placed;
  for (const step of STEPS[status]) {
    const outcome = await orders.update({ id: order.id, accountId }, step, clock.now());
    if (outcome.kind !== 'updated') throw new Error(outcome.kind);
    order = outcome.order;
  }
  return order;
}

const STEPS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: [],
  approved: ['approved'],
  delivered: ['approved', 'delivered'],
  cancelled: ['cancelled'],
};
