import { expect, test } from 'bun:test';
import { newId } from '../../../src/core/ids.ts';
import { creationReply, petEntityTag } from '../../../src/core/pets/pet-json.ts';
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
export const petChangesSuite = portSuite('changes of pets', changing, deleting, numbering);

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

function numbering(open: OpenBackend): void {
  test('assigns no id of a deleted pet again', async () => {
    await using backend = await open();
    await using another = await backend.another();
    const store = backend.pets();
    const remove = async (...ids: number[]) => {
      for (const id of ids) {
        expect(await store.delete({ id, accountId: ACCOUNT })).toEqual({ kind: 'deleted' });
      }
    };
    const ids = [await added(store), await added(store), await added(store)].map(({ id }) => id);
    expect(ids).toEqual([1, 2, 3]);
    await remove(3);
    expect((await added(store)).id).toBe(4);
    // All pets, with the newest first and last.
    await remove(4, 1, 2);
    expect((await added(another.pets())).id).toBe(5);
    await remove(5);
    await store.import([pet('imported')]);
    expect(await store.get(6)).toMatchObject({ name: 'imported' });
    expect((await added(backend.pets('staging'))).id).toBe(1);
  });

  test('begins at 1 again after a reset of the environment', async () => {
    await using backend = await open();
    const store = backend.pets();
    for (const id of [1, 2]) expect((await added(store)).id).toBe(id);
    expect(await store.delete({ id: 2, accountId: ACCOUNT })).toEqual({ kind: 'deleted' });
    expect((await added(backend.pets('staging'))).id).toBe(1);
    await backend.resetEnvironment('production');
    for (const id of [1, 2]) expect((await added(store)).id).toBe(id);
    expect((await added(backend.pets('staging'))).id).toBe(2);
  });

  test('gives a repeated creation its first reply after its pet was deleted', async () => {
    await using backend = await open();
    const store = backend.pets();
    const request = { accountId: ACCOUNT, key: 'k', fingerprint: 'of Rex' };
    const first = await store.create(pet('Rex'), at(), request);
    if (first.kind !== 'created') throw new Error(first.kind);
    const { id } = first.pet;
    expect(await store.delete({ id, accountId: ACCOUNT })).toEqual({ kind: 'deleted' });
    expect(await store.create(pet('Rex'), at(1), request)).toEqual({
      kind: 'replayed',
      reply: creationReply(first.pet),
    });
    expect((await store.list({ limit: 10, after: 0 })).pets).toEqual([]);
  });
}
