import { expect, test } from 'bun:test';
import type { NewestPets, PetStore } from '../../../src/core/pets/pet-store.ts';
import type { Pet } from '../../../src/core/pets/pets.ts';
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.ts';
import { account, at, type OpenBackend, pet, portSuite } from './backend.ts';

/** The ids of the newest pets. */
async function newest(store: PetStore, query: Partial<NewestPets> = {}): Promise<number[]> {
  return (await store.newest({ limit: 100, ...query })).map(({ pet }) => pet.id);
}

/** Tests of pets as they are stored, for every database. */
export const storedPetsSuite = portSuite('pets as they are stored', finding, listing);

function finding(open: OpenBackend): void {
  test('have their owner and their open order', async () => {
    await using backend = await open();
    const ada = (await account(backend)).id;
    const [store, orders] = [backend.pets(), backend.orders()];
    const large = { ...pet('Rex', { categoryId: INT64_MAX, status: 'sold' }), owner: ada };
    await store.import([large, pet('小雪🐈', { categoryId: INT64_MIN })]);
    const { owner, ...rex } = large;
    expect(await store.find(1)).toEqual({ pet: { id: 1, ...rex }, owner, openOrder: undefined });
    const stray: Pet = { id: 2, name: '小雪🐈', categoryId: INT64_MIN, status: 'available' };
    const free = { pet: stray, owner: undefined, openOrder: undefined };
    expect(await store.find(2)).toEqual(free);
    const outcome = await orders.create({ accountId: ada, petId: 2 }, at());
    expect(outcome.kind).toBe('created');
    const pending: Pet = { ...stray, status: 'pending' };
    const ordered = { ...free, pet: pending, openOrder: 1 };
    expect(await store.find(2)).toEqual(ordered);
    expect((await store.newest({ limit: 1 }))[0]).toEqual(ordered);
  });

  test('are none under ids that were not assigned', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.import([pet('Rex')]);
    for (const id of [0, -1, 2, Number.MAX_SAFE_INTEGER, 2 ** 63, -(2 ** 63), Number.NaN]) {
      expect([id, await store.find(id)]).toEqual([id, undefined]);
    }
  });
}

function listing(open: OpenBackend): void {
  test('are listed from the newest on, page by page and by status', async () => {
    await using backend = await open();
    const store = backend.pets();
    expect(await newest(store)).toEqual([]);
    const sold = { status: 'sold' } as const;
    await store.import([pet('a', sold), pet('b'), pet('c'), pet('d', sold), pet('e')]);
    expect(await newest(store)).toEqual([5, 4, 3, 2, 1]);
    expect(await newest(store, { limit: 2 })).toEqual([5, 4]);
    expect(await newest(store, { limit: 2, before: 4 })).toEqual([3, 2]);
    expect(await newest(store, sold)).toEqual([4, 1]);
    expect(await newest(store, { ...sold, before: 4 })).toEqual([1]);
    expect(await newest(store, { status: 'pending' })).toEqual([]);
    for (const before of [1, 0, -7]) expect(await newest(store, { before })).toEqual([]);
    await store.delete({ id: 5, accountId: 'acct_none' });
    expect(await newest(store, { limit: 1 })).toEqual([4]);
    expect(await newest(backend.pets('staging'))).toEqual([]);
  });

  test('are listed across buckets', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.import(Array.from({ length: 65_540 }, () => pet('Rex')));
    const highest = await newest(store, { limit: 100 });
    expect(highest).toEqual(Array.from({ length: 100 }, (_, index) => 65_540 - index));
    expect(await newest(store, { limit: 3, before: 65_537 })).toEqual([65_536, 65_535, 65_534]);
    expect(await newest(store, { limit: 2, before: 3 })).toEqual([2, 1]);
  });
}
