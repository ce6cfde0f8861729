import { expect, test } from 'bun:test';
import type { PetChanges } from '../../../src/core/pets/pet-changes.ts';
import type { PetStore } from '../../../src/core/pets/pet-store.ts';
import type { NewPet } from '../../../src/core/pets/pets.ts';
import { at, type OpenBackend, pet, portSuite } from './backend.ts';

/** The changes that a store applies from now on. Some may be repeated, for as long as Citus needs. */
export async function following(store: PetStore) {
  const applied: PetChanges[] = [];
  store.onChanges((changes) => applied.push(changes));
  await store.applyChanges();
  applied.length = 0;
  const take = () => applied.splice(0).flat();
  return {
    /** What has been applied since the last call. */
    take,
    /** The same, after another read. */
    async next() {
      await store.applyChanges();
      return take();
    },
  };
}

async function added(store: PetStore, fields: Partial<NewPet> = {}): Promise<number> {
  const outcome = await store.create(pet('Rex', fields), at());
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet.id;
}

function by(id: number) {
  return { id, accountId: 'anyone' };
}

/** Tests of the feed of changes of pets, for every database. */
export const petFeedSuite = portSuite('the feed of changes of pets', ownChanges, otherProcesses);

function ownChanges(open: OpenBackend): void {
  test('has applied a change, with the status before and after, when it resolves', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [first, second] = [await added(store), await added(store, { status: 'sold' })];
    const feed = await following(store);
    await store.update(by(first), { status: 'pending' });
    expect(feed.take()).toContainEqual({ id: first, before: 'available', after: 'pending' });
    await store.update(by(second), { name: 'Max' });
    expect(feed.take()).toContainEqual({ id: second, before: 'sold', after: 'sold' });
    await store.delete(by(first));
    expect(feed.take()).toContainEqual({ id: first, before: 'pending', after: undefined });
  });

  test('has no change that was refused, or that changed nothing, and no creation', async () => {
    await using backend = await open();
    const store = backend.pets();
    const id = await added(store, { status: 'sold' });
    const feed = await following(store);
    await store.update(by(id), { status: 'sold' });
    await store.update(by(id), { status: 'pending' });
    await store.delete({ ...by(id), precondition: { ifMatch: ['"other"'] } });
    await store.delete(by(id + 1));
    await added(store);
    expect(await feed.next()).toEqual([]);
  });

  test('is read for a change, and not for one that was refused', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const [store, theirs] = [backend.pets(), other.pets()];
    const id = await added(store, { status: 'sold' });
    const feed = await following(store);
    await theirs.update(by(id), { name: 'Max' });
    await store.update(by(id), { status: 'pending' });
    await store.delete(by(id + 1));
    expect(feed.take()).toEqual([]);
    await store.update(by(id), { name: 'Rex' });
    expect(feed.take().length).toBeGreaterThanOrEqual(2);
  });

  test('has each of many changes at once', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.import(Array.from({ length: 100 }, (_, index) => pet(`${index}`)));
    const { pets } = await store.list({ limit: 100, after: 0 });
    const feed = await following(store);
    await Promise.all(pets.map(({ id }) => store.update(by(id), { status: 'sold' })));
    const ids = new Set(feed.take().map((each) => (each === 'everything' ? 0 : each.id)));
    expect([...ids].sort((one, other) => one - other)).toEqual(pets.map(({ id }) => id));
  });

  test('stays with its environment', async () => {
    await using backend = await open();
    const staging = await following(backend.pets('staging'));
    const id = await added(backend.pets('production'));
    await backend.pets('production').delete(by(id));
    expect(await staging.next()).toEqual([]);
  });
}

function otherProcesses(open: OpenBackend): void {
  test('begins with everything, because earlier changes are unknown', async () => {
    await using backend = await open();
    const store = backend.pets();
    const applied: PetChanges[] = [];
    store.onChanges((changes) => applied.push(changes));
    await store.applyChanges();
    expect(applied).toEqual(['everything']);
    await store.applyChanges();
    expect(applied).toEqual(['everything']);
  });

  test('has the changes by another process', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const [store, theirs] = [backend.pets(), other.pets()];
    const feed = await following(store);
    const id = await added(theirs);
    await theirs.update(by(id), { status: 'sold' });
    expect(await feed.next()).toContainEqual({ id, before: 'available', after: 'sold' });
    await theirs.delete(by(id));
    expect(await feed.next()).toContainEqual({ id, before: 'sold', after: undefined });
  });

  test('is everything after more changes than are read at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const [store, theirs] = [backend.pets(), other.pets()];
    const id = await added(theirs);
    const feed = await following(store);
    const rename = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, n) => theirs.update(by(id), { name: `${n}` })));
    await rename(1_000);
    expect(await feed.next()).toHaveLength(1_000);
    await rename(1_001);
    expect(await feed.next()).toEqual(['everything']);
    await theirs.delete(by(id));
    expect(await feed.next()).toContainEqual({ id, before: 'available', after: undefined });
  });

  test('goes on after a reset of the environment', async () => {
    await using backend = await open();
    const store = backend.pets();
    const feed = await following(store);
    await store.delete(by(await added(store)));
    await backend.resetEnvironment('production');
    store.invalidatePages();
    feed.take();
    const id = await added(store);
    expect(id).toBe(1);
    await store.delete(by(id));
    expect(feed.take()).toContainEqual({ id, before: 'available', after: undefined });
  });
}
