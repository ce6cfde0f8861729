import { expect, test } from 'bun:test';
import { newId } from '../../../src/core/ids.ts';
import type { PetChange } from '../../../src/core/pets/pet-changes.ts';
import type { PetStore } from '../../../src/core/pets/pet-store.ts';
import { at, type Backend, type OpenBackend, pet, portSuite } from './backend.ts';
import { following } from './pet-feed.suite.ts';

/** More than the ids of one transaction, over several of them. */
const MANY = 5_000;
const EVERY = { limit: 100, after: 0 };

/** Tests of deleting the pets of an account, for every database. */
export const ownedPetsSuite = portSuite('the pets of an account', deleting);

/** Adds pets that belong to an account. */
async function own(store: PetStore, owner: string | undefined, count: number): Promise<void> {
  await store.import(Array.from({ length: count }, (_, index) => ({ ...pet(`${index}`), owner })));
}

async function idsIn(store: PetStore): Promise<number[]> {
  const ids: number[] = [];
  for (let after = 0; ; ) {
    const { pets, more } = await store.list({ limit: 100, after });
    ids.push(...pets.map(({ id }) => id));
    after = ids.at(-1) ?? 0;
    if (!more) return ids;
  }
}

function reserve(backend: Backend, ...ids: readonly number[]): Promise<void> {
  const sql = `UPDATE pets SET status = 'pending', open_order = 7 WHERE id IN (${ids.join(', ')})`;
  return backend.run('production', sql);
}

function deleting(open: OpenBackend): void {
  test('are deleted, those of others and of nobody stay', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [account, other] = [newId('acct', 0), newId('acct', 0)];
    await own(store, account, 2);
    await own(store, other, 2);
    await own(store, undefined, 1);
    await own(store, account, 1);
    await own(backend.pets('staging'), account, 1);

    expect(await store.deleteOwned(account)).toEqual({ deleted: 3, kept: 0 });

    expect(await idsIn(store)).toEqual([3, 4, 5]);
    expect(await idsIn(backend.pets('staging'))).toEqual([1]);
    expect(await store.deleteOwned(account)).toEqual({ deleted: 0, kept: 0 });
  });

  test('are kept while an order for them is open', async () => {
    await using backend = await open();
    const store = backend.pets();
    const account = newId('acct', 0);
    await own(store, account, 4);
    await reserve(backend, 2, 4);

    expect(await store.deleteOwned(account)).toEqual({ deleted: 2, kept: 2 });

    expect(await idsIn(store)).toEqual([2, 4]);
    expect((await store.list(EVERY)).pets.map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ]);
  });

  test('are deleted in any number, and their ids are not assigned again', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [account, other] = [newId('acct', 0), newId('acct', 0)];
    await own(store, other, 1);
    await own(store, account, MANY);
    await reserve(backend, 3, 2_050, MANY);

    expect(await store.deleteOwned(account)).toEqual({ deleted: MANY - 3, kept: 3 });

    expect(await idsIn(store)).toEqual([1, 3, 2_050, MANY]);
    expect(await store.create(pet('Next'), at())).toMatchObject({ pet: { id: MANY + 2 } });
  });

  test('are in the feed of every process, with the status that they had', async () => {
    await using backend = await open();
    await using another = await backend.another();
    const store = backend.pets();
    const account = newId('acct', 0);
    await own(store, account, 3);
    await reserve(backend, 2);
    await backend.run('production', "UPDATE pets SET status = 'sold' WHERE id = 3");
    const [here, elsewhere] = [await following(store), await following(another.pets())];

    await store.deleteOwned(account);

    const deletions: PetChange[] = [
      { id: 1, before: 'available', after: undefined },
      { id: 3, before: 'sold', after: undefined },
    ];
    expect(here.take()).toEqual(deletions);
    expect(await elsewhere.next()).toEqual(deletions);
  });
}
