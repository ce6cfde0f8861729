import { expect, test } from 'bun:test';
import {
  ORDER_STATUSES,
  type OrderStatus,
  orderEntityTag,
} from '../../../src/core/orders/orders.ts';
import type { PetStatus } from '../../../src/core/pets/pets.ts';
import { at, NOON, type OpenBackend, portSuite } from './backend.ts';
import { added, BUYER, brought, OTHER, ordered, orderWith, statusOf } from './order-scene.ts';

const ALLOWED: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ['approved', 'cancelled'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
};
const PET_STATUS: Readonly<Record<OrderStatus, PetStatus>> = {
  placed: 'pending',
  approved: 'pending',
  delivered: 'sold',
  cancelled: 'available',
};

/** Tests of changes of orders, and of their pets, for every database. */
export const orderChangesSuite = portSuite('changes of orders', racing, changing, reserving);

function racing(open: OpenBackend): void {
  test('lets exactly one of 32 concurrent orders for a pet win', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const pets = [await added(backend), await added(backend), await added(backend)];
    for (const { id: petId } of pets) {
      const outcomes = await Promise.all(
        Array.from({ length: 32 }, (_, index) =>
          (index % 2 ? other : backend)
            .orders()
            .create({ accountId: `acct_${index}`, petId }, at()),
        ),
      );
      const kinds = outcomes.map(({ kind }) => kind).sort();
      expect(kinds).toEqual(['created', ...Array(31).fill('pet_unavailable')]);
    }
    const { orders } = await backend.orders().listAll({ limit: 100, after: 0 });
    expect(orders.map(({ petId }) => petId)).toEqual(pets.map(({ id }) => id));
  });

  test('lets exactly one of four updates with the same tag pass', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const order = await ordered(backend);
    const precondition = { ifMatch: [orderEntityTag(order)] };
    const request = { id: order.id, accountId: BUYER, precondition };
    const outcomes = await Promise.all(
      (['approved', 'cancelled', 'approved', 'cancelled'] as const).map((status, index) =>
        (index % 2 ? other : backend).orders().update(request, status, at(1)),
      ),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...Array(3).fill('precondition_failed'), 'updated']);
  });

  test('keeps a pet pending by order exactly while one order is open', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id: petId } = await added(backend);
    const workers = [backend, other, backend, other].map(async (each, worker) => {
      const accountId = `acct_${worker}`;
      for (let round = 0; round < 8; round += 1) {
        const outcome = await each.orders().create({ accountId, petId }, at());
        if (outcome.kind !== 'created') continue;
        const { id } = outcome.order;
        expect(await each.orders().update({ id, accountId }, 'cancelled', at())).toMatchObject({
          kind: 'updated',
        });
      }
      await each.pets().update({ id: petId, accountId }, { name: `${worker}` });
    });
    await Promise.all(workers);
    expect(await statusOf(backend, petId)).toBe('available');
    const { orders } = await backend.orders().listAll({ limit: 100, after: 0 });
    expect(orders.every(({ status }) => status === 'cancelled')).toBe(true);
    expect(new Set(orders.map(({ id }) => id)).size).toBe(orders.length);
    expect(await ordered(backend, petId)).toMatchObject({ status: 'placed' });
  });
}

function changing(open: OpenBackend): void {
  for (const from of ORDER_STATUSES) {
    test(`allows the statuses of the table after ${from}, and the pet follows`, async () => {
      await using backend = await open();
      for (const to of ORDER_STATUSES) {
        const before = await orderWith(backend, from);
        const request = { id: before.id, accountId: BUYER };
        const outcome = await backend.orders().update(request, to, at(1_000));
        const isChanged = ALLOWED[from].includes(to);
        const order = isChanged ? { ...before, status: to, updatedAt: NOON + 1_000 } : before;
        const isRefused = !isChanged && from !== to;
        expect(outcome).toEqual(
          isRefused ? { kind: 'invalid_transition', from, to } : { kind: 'updated', order },
        );
        expect(await backend.orders().get(BUYER, before.id)).toEqual(order);
        expect(await statusOf(backend, before.petId)).toBe(PET_STATUS[order.status]);
      }
    });
  }

  test('checks that the order is of the account, and its tag before the transition', async () => {
    await using backend = await open();
    const order = await ordered(backend);
    const update = (accountId: string, id: number, status: OrderStatus, ifMatch?: string[] | '*') =>
      backend
        .orders()
        .update({ id, accountId, precondition: ifMatch && { ifMatch } }, status, at(1));
    expect(await update(OTHER, order.id, 'approved', '*')).toEqual({ kind: 'not_found' });
    expect(await update(BUYER, 42, 'approved')).toEqual({ kind: 'not_found' });
    expect(await update(BUYER, 2 ** 60, 'approved')).toEqual({ kind: 'not_found' });
    expect(await update(BUYER, order.id, 'delivered', ['"old"'])).toEqual({
      kind: 'precondition_failed',
      header: 'If-Match',
    });
    expect((await update(BUYER, order.id, 'delivered', '*')).kind).toBe('invalid_transition');
    expect((await update(BUYER, order.id, 'placed', [orderEntityTag(order)])).kind).toBe('updated');
    expect(await backend.orders().get(BUYER, order.id)).toEqual(order);
  });

  test('does not set a time back with the clock', async () => {
    await using backend = await open();
    const order = await ordered(backend);
    const outcome = await backend
      .orders()
      .update({ id: order.id, accountId: BUYER }, 'approved', at(-5_000));
    expect(outcome).toEqual({ kind: 'updated', order: { ...order, status: 'approved' } });
  });
}

function reserving(open: OpenBackend): void {
  test('keeps a pet from being deleted, and its status from being changed, while an order is open', async () => {
    await using backend = await open();
    for (const status of ['placed', 'approved'] as const) {
      const order = await ordered(backend);
      if (status === 'approved') await brought(backend, order, status);
      const request = { id: order.petId, accountId: OTHER };
      const store = backend.pets();
      expect(await store.update(request, { status: 'sold' })).toEqual({ kind: 'reserved' });
      expect(await store.update(request, { status: 'available' })).toEqual({ kind: 'reserved' });
      expect(await store.delete(request)).toEqual({ kind: 'reserved' });
      const named = await store.update(request, { name: 'Max', categoryId: 9, status: 'pending' });
      expect(named).toMatchObject({ kind: 'updated', pet: { name: 'Max', status: 'pending' } });
      await brought(backend, order, 'cancelled');
      expect(await store.update(request, { status: 'sold' })).toMatchObject({ kind: 'updated' });
      expect(await store.delete(request)).toEqual({ kind: 'deleted' });
      expect(await backend.orders().get(BUYER, order.id)).toMatchObject({
        petId: order.petId,
        status: 'cancelled',
      });
    }
  });
}
