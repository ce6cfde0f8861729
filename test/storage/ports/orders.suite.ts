import { describe, expect, test } from 'bun:test';
import { orderJson } from '../../../src/core/orders/orders.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { INT64_MAX } from '../../../src/lib/int64.ts';
import { at, NOON, type OpenBackend, pet, portSuite } from './backend.ts';
import { added, BUYER, brought, created, OTHER, ordered, statusOf } from './order-scene.ts';

/** Tests of the orders, for every database. */
export const ordersSuite = portSuite('orders', creating, repeating, importing, deletingAll);

function creating(open: OpenBackend): void {
  test('makes an available pet pending, and is found by its account alone', async () => {
    await using backend = await open();
    const { id: petId } = await added(backend);
    const order = await ordered(backend, petId);
    expect(order).toEqual({ id: 1, petId, status: 'placed', createdAt: NOON, updatedAt: NOON });
    expect(await statusOf(backend, petId)).toBe('pending');
    expect(await backend.orders().get(BUYER, 1)).toEqual(order);
    expect(await backend.orders().get(OTHER, 1)).toBeUndefined();
    expect(await backend.orders('staging').get(BUYER, 1)).toBeUndefined();
  });

  test('refuses a pet that does not exist or is not available', async () => {
    await using backend = await open();
    const [pending, sold] = [await added(backend, 'pending'), await added(backend, 'sold')];
    const outcomeOf = (petId: number | bigint) =>
      backend.orders().create({ accountId: BUYER, petId }, at());
    for (const unknown of [0, -1, 42, INT64_MAX, -INT64_MAX]) {
      expect(await outcomeOf(unknown)).toEqual({ kind: 'pet_not_found' });
    }
    expect(await outcomeOf(pending.id)).toEqual({ kind: 'pet_unavailable', status: 'pending' });
    expect(await outcomeOf(sold.id)).toEqual({ kind: 'pet_unavailable', status: 'sold' });
    const { orders } = await backend.orders().listAll({ limit: 10, after: 0 });
    expect(orders).toEqual([]);
  });

  test('knows no pet of another environment', async () => {
    await using backend = await open();
    const { id: petId } = await added(backend);
    const outcome = await backend.orders('staging').create({ accountId: BUYER, petId }, at());
    expect(outcome).toEqual({ kind: 'pet_not_found' });
  });
}

function repeating(open: OpenBackend): void {
  test('repeats the first reply for a day, whatever became of the order', async () => {
    await using backend = await open();
    const { id: petId } = await added(backend);
    const create = (ms: number) =>
      backend.orders().create({ accountId: BUYER, petId }, at(ms), 'key');
    const order = created(await create(0));
    const reply = { status: 201, body: orderJson(order) };
    expect(await create(1)).toEqual({ kind: 'replayed', reply });
    await brought(backend, order, 'cancelled');
    await backend.pets().delete({ id: petId, accountId: BUYER });
    expect(await create(DAY - 1)).toEqual({ kind: 'replayed', reply });
    expect(await create(DAY)).toEqual({ kind: 'pet_not_found' });
  });

  test('orders again with a key that has expired', async () => {
    await using backend = await open();
    const { id: petId } = await added(backend);
    const create = (ms: number) =>
      backend.orders().create({ accountId: BUYER, petId }, at(ms), 'key');
    await brought(backend, created(await create(0)), 'cancelled');
    const second = created(await create(DAY));
    expect(second.id).toBe(2);
    expect(await create(DAY + 1)).toMatchObject({ kind: 'replayed' });
  });

  test('takes the same key for another pet as a mismatch, and knows keys of the account alone', async () => {
    await using backend = await open();
    const pets = [await added(backend), await added(backend), await added(backend)];
    const create = (index: number, accountId: string) =>
      backend.orders().create({ accountId, petId: pets[index]?.id ?? 0 }, at(), 'key');
    expect((await create(0, BUYER)).kind).toBe('created');
    expect(await create(1, BUYER)).toEqual({ kind: 'mismatch' });
    expect((await create(1, OTHER)).kind).toBe('created');
    const request = { accountId: BUYER, key: 'key', fingerprint: 'print' };
    expect((await backend.pets().create(pet('Max'), at(), request)).kind).toBe('created');
    expect(
      await backend.orders('staging').create({ accountId: BUYER, petId: 1 }, at(), 'key'),
    ).toEqual({ kind: 'pet_not_found' });
  });

  test('stores no key with a refusal', async () => {
    await using backend = await open();
    const { id: petId } = await added(backend);
    const first = await ordered(backend, petId, OTHER);
    const create = () => backend.orders().create({ accountId: BUYER, petId }, at(), 'key');
    expect((await create()).kind).toBe('pet_unavailable');
    await backend.orders().update({ id: first.id, accountId: OTHER }, 'cancelled', at());
    expect((await create()).kind).toBe('created');
  });

  test('makes one order of concurrent requests with the same key, in one process and in two', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const [one, two] = [backend.orders(), other.orders()];
    for (let round = 0; round < 5; round += 1) {
      const { id: petId } = await added(backend);
      const key = `key ${round}`;
      const outcomes = await Promise.all(
        [one, two, one, two].map((store) => store.create({ accountId: BUYER, petId }, at(), key)),
      );
      const kinds = outcomes.map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
      expect(kinds.filter((kind) => kind === 'conflict')).toHaveLength(2);
      expect(kinds.filter((kind) => kind === 'replayed')).toHaveLength(1);
    }
  });

  test('orders one of several pets with the same key at the same time', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const pets = [await added(backend), await added(backend)];
    const outcomes = await Promise.all(
      [backend, other].map((each, index) =>
        each.orders().create({ accountId: BUYER, petId: pets[index]?.id ?? 0 }, at(), 'key'),
      ),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['created', 'mismatch']);
  });

  test('forgets keys that were used after a moment, and prunes those that have expired', async () => {
    await using backend = await open();
    const pets = [await added(backend), await added(backend), await added(backend)];
    const create = (index: number, ms: number) =>
      backend
        .orders()
        .create({ accountId: BUYER, petId: pets[index]?.id ?? 0 }, at(ms), `${index}`);
    for (const index of [0, 1, 2]) await create(index, index);
    await backend.orders().forgetRequests(BUYER, NOON + 1);
    expect((await create(1, 1)).kind).toBe('replayed');
    expect((await create(2, 2)).kind).toBe('pet_unavailable');
    await backend.orders().pruneRequests(at(DAY));
    expect((await create(0, 0)).kind).toBe('pet_unavailable');
    expect((await create(1, 1)).kind).toBe('replayed');
  });
}

function importing(open: OpenBackend): void {
  test('adds orders with any status, and reserves the pets of open ones', async () => {
    await using backend = await open();
    const [one, two] = [await added(backend, 'pending'), await added(backend, 'sold')];
    await backend.orders().import(
      [
        { accountId: BUYER, petId: two.id, status: 'delivered' },
        { accountId: OTHER, petId: one.id, status: 'approved' },
      ],
      at(),
    );
    const times = { createdAt: NOON, updatedAt: NOON };
    const { orders } = await backend.orders().listAll({ limit: 10, after: 0 });
    expect(orders).toEqual([
      { accountId: BUYER, id: 1, petId: two.id, status: 'delivered', ...times },
      { accountId: OTHER, id: 2, petId: one.id, status: 'approved', ...times },
    ]);
    expect([await statusOf(backend, one.id), await statusOf(backend, two.id)]).toEqual([
      'pending',
      'sold',
    ]);
    const request = { id: one.id, accountId: BUYER };
    expect(await backend.pets().delete(request)).toEqual({ kind: 'reserved' });
    await backend.orders().update({ id: 2, accountId: OTHER }, 'cancelled', at());
    expect(await backend.pets().delete(request)).toEqual({ kind: 'deleted' });
  });
}

function deletingAll(open: OpenBackend): void {
  describe('the deletion of all orders of an account', () => {
    test('frees the pets of open orders alone, and gives no id again', async () => {
      await using backend = await open();
      const orders = [await ordered(backend), await ordered(backend), await ordered(backend)];
      const [placed, approved, delivered] = orders;
      if (!placed || !approved || !delivered) throw new Error('too few orders');
      await brought(backend, approved, 'approved');
      await brought(backend, delivered, 'delivered');
      const kept = await ordered(backend, undefined, OTHER);
      expect(await backend.orders().accountsWith('open', '', 10)).toEqual([BUYER, OTHER].sort());
      const last = await ordered(backend);
      await backend.orders().deleteAll(BUYER);
      const statuses = await Promise.all(
        [...orders, kept, last].map(({ petId }) => statusOf(backend, petId)),
      );
      expect(statuses).toEqual(['available', 'available', 'sold', 'pending', 'available']);
      const { orders: left } = await backend.orders().listAll({ limit: 10, after: 0 });
      expect(left).toEqual([{ accountId: OTHER, ...kept }]);
      expect(await backend.orders().accountsWith('open', '', 10)).toEqual([OTHER]);
      expect(await backend.orders().accountsWith('all', '', 10)).toEqual([OTHER]);
      expect((await ordered(backend, placed.petId)).id).toBe(last.id + 1);
    });

    test('deletes more orders than one transaction does', async () => {
      await using backend = await open();
      const { id: petId } = await added(backend);
      for (let index = 0; index < 205; index += 1) {
        await brought(backend, await ordered(backend, petId), 'cancelled');
      }
      await ordered(backend, petId);
      await backend.orders().deleteAll(BUYER);
      expect((await backend.orders().listAll({ limit: 10, after: 0 })).orders).toEqual([]);
      expect(await statusOf(backend, petId)).toBe('available');
    });

    test('may run twice at the same time, with orders in between', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const pets = await Promise.all(Array.from({ length: 20 }, () => added(backend)));
      await Promise.all(pets.map(({ id }) => ordered(backend, id)));
      await Promise.all([
        backend.orders().deleteAll(BUYER),
        other.orders().deleteAll(BUYER),
        ...pets.map(({ id }) => other.orders().update({ id, accountId: BUYER }, 'approved', at(1))),
      ]);
      await backend.orders().deleteAll(BUYER);
      const statuses = await Promise.all(pets.map(({ id }) => statusOf(backend, id)));
      expect(new Set(statuses)).toEqual(new Set(['available']));
    });
  });
}
