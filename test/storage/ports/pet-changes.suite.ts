import { expect, test } from 'bun:test';
import { newId } from '../../../src/core/ids.ts';
import { petEntityTag } from '../../../src/core/pets/pet-json.ts';
import type { PetStore } from '../../../src/core/pets/pet-store.ts';
import type { NewPet, Pet } from '../../../src/core/pets/pets.ts';
import { INT64_MAX } from '../../../src/lib/int64.ts';
import { at, type OpenBackend, pet, portSuite } from './backend.ts';

const ACCOUNT = newId('acct', 0);

async function added(store: PetStore, given: Partial<NewPet> = {}): Promise<Pet> {
  const outcome = await store.create({ ...pet('Rex'), ...given }, at());
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet;
}

/** Tests of changing and deleting pets, for every database. */
export const petChangesSuite = portSuite('changes of pets', changing, deleting);

function changing(open: OpenBackend): void {
  test('replaces the given fields and keeps the others', async () => {
    await using backend = await open();
    const store = backend.pets();
    const { id } = await added(store, { name: 'Rex', categoryId: 7, status: 'available' });
    const request = { id, accountId: ACCOUNT };
    const steps = [
      [{ name: '小雪🐈' }, { id, name: '小雪🐈', categoryId: 7, status: 'available' }],
      [
        { categoryId: INT64_MAX },
        { id, name: '小雪🐈', categoryId: INT64_MAX, status: 'available' },
      ],
      [{ status: 'sold' }, { id, name: '小雪🐈', categoryId: INT64_MAX, status: 'sold' }],
    ] as const;
    for (const [patch, changed] of steps) {
      expect(await store.update(request, patch)).toEqual({ kind: 'updated', pet: changed });
      expect(await store.get(id)).toEqual(changed);
    }
  });

  test('refuses a transition that the table does not have, and writes nothing', async () => {
    await using backend = await open();
    const store = backend.pets();
    const sold = await added(store, { status: 'sold' });
    const request = { id: sold.id, accountId: ACCOUNT };
    expect(await store.update(request, { name: 'Max', status: 'pending' })).toEqual({
      kind: 'invalid_transition',
      from: 'sold',
      to: 'pending',
    });
    expect(await store.get(sold.id)).toEqual(sold);
    expect(await store.update(request, { status: 'sold' })).toEqual({ kind: 'updated', pet: sold });
  });

  test('lets exactly one of four changes with the same tag pass', async () => {
    await using backend = await open();
    const store = backend.pets();
    const rex = await added(store);
    const precondition = { ifMatch: [petEntityTag(rex)] };
    const outcomes = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) =>
        store.update({ id: rex.id, accountId: ACCOUNT, precondition }, { name }),
      ),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...Array(3).fill('precondition_failed'), 'updated']);
  });

  test('knows no pet of another environment', async () => {
    await using backend = await open();
    const { id } = await added(backend.pets());
    const request = { id, accountId: ACCOUNT };
    const staging = backend.pets('staging');
    expect(await staging.update(request, { name: 'Max' })).toEqual({ kind: 'not_found' });
    expect(await staging.delete(request)).toEqual({ kind: 'not_found' });
  });
}

function deleting(open: OpenBackend): void {
  test('deletes a pet from pages and by id', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [first, second] = [await added(store), await added(store)];
    const request = { id: first.id, accountId: ACCOUNT };
    expect(await store.delete(request)).toEqual({ kind: 'deleted' });
    expect(await store.get(first.id)).toBeUndefined();
    expect((await store.list({ limit: 10, after: 0 })).pets).toEqual([second]);
    expect(await store.delete(request)).toEqual({ kind: 'not_found' });
  });
}
