import { expect, spyOn, test } from 'bun:test';
import type { CreateOutcome, PetStore } from '../../../src/core/pets/pet-store.ts';
import type { OwnedPet } from '../../../src/core/pets/pets.ts';
import { account, at, type Backend, NOON, type OpenBackend, pet, portSuite } from './backend.ts';

/** Two accounts, and a third that a test deletes. */
async function accounts(backend: Backend) {
  return {
    ada: (await account(backend, 'ada@example.com')).id,
    bob: (await account(backend, 'bob@example.com')).id,
    eve: (await account(backend, 'eve@example.com')).id,
  };
}

function idOf(outcome: CreateOutcome): number {
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet.id;
}

async function expectOthersRefused(store: PetStore, id: number, owner: string, other: string) {
  const before = await store.get(id);
  const request = { id, accountId: other };
  const refusal = { kind: 'not_owner', owner } as const;
  expect(await store.update(request, { name: 'Taken' })).toEqual(refusal);
  expect(await store.delete(request)).toEqual(refusal);
  expect(await store.get(id)).toEqual(before);
  const byOwner = { id, accountId: owner };
  expect(await store.update(byOwner, { name: 'Renamed' })).toMatchObject({ kind: 'updated' });
  expect(await store.delete(byOwner)).toEqual({ kind: 'deleted' });
}

async function expectFree(store: PetStore, id: number, anyone: string): Promise<void> {
  const request = { id, accountId: anyone };
  expect(await store.update(request, { name: 'Renamed' })).toMatchObject({ kind: 'updated' });
  expect(await store.delete(request)).toEqual({ kind: 'deleted' });
}

/** Tests of the accounts that pets belong to, for every database. */
export const petOwnersSuite = portSuite('owners of pets', owning, ownedByNobody, hiding);

function owning(open: OpenBackend): void {
  test('alone change and delete them, however they were added', async () => {
    await using backend = await open();
    const { ada, bob } = await accounts(backend);
    for (const environment of ['production', 'staging'] as const) {
      const store = backend.pets(environment);
      const rex: OwnedPet = { ...pet('Rex'), owner: ada };
      const request = { accountId: ada, key: 'k', fingerprint: 'of Rex' };
      // At the same time, so that they share a transaction; with and without owners.
      const [plain, keyed, ofBob] = await Promise.all([
        store.create(rex, at()),
        store.create(rex, at(), request),
        store.create({ ...rex, owner: bob }, at()),
        store.create(pet('Stray'), at()),
      ]);
      await store.import([pet('Stray'), rex, { ...rex, owner: bob }]);
      const { pets } = await store.list({ limit: 100, after: 4 });
      const [stray, imported, importedOfBob] = pets.map(({ id }) => id);
      for (const id of [idOf(plain), idOf(keyed), imported ?? 0]) {
        await expectOthersRefused(store, id, ada, bob);
      }
      for (const id of [idOf(ofBob), importedOfBob ?? 0]) {
        await expectOthersRefused(store, id, bob, ada);
      }
      await expectFree(store, stray ?? 0, ada);
    }
  });

  test('are known in another process', async () => {
    await using backend = await open();
    await using another = await backend.another();
    const { ada, bob } = await accounts(backend);
    const id = idOf(await backend.pets().create({ ...pet('Rex'), owner: ada }, at()));
    await expectOthersRefused(another.pets(), id, ada, bob);
  });

  test('are looked up only before a refusal', async () => {
    await using backend = await open();
    const { ada, bob } = await accounts(backend);
    const store = backend.pets();
    using find = spyOn(backend.accounts, 'find');
    const id = idOf(await store.create({ ...pet('Rex'), owner: ada }, at()));
    const stray = idOf(await store.create(pet('Stray'), at()));
    await store.update({ id, accountId: ada }, { name: 'Max' });
    await store.update({ id: stray, accountId: bob }, { name: 'Max' });
    await store.delete({ id: stray, accountId: bob });
    await store.delete({ id: 99, accountId: bob });
    expect(find).toHaveBeenCalledTimes(0);
    await store.delete({ id, accountId: bob });
    expect(find.mock.calls).toEqual([[ada]]);
  });
}

function ownedByNobody(open: OpenBackend): void {
  test('may be absent: then anyone changes and deletes them', async () => {
    await using backend = await open();
    const { ada } = await accounts(backend);
    const store = backend.pets();
    await expectFree(store, idOf(await store.create(pet('Rex'), at())), ada);
    // The row of an earlier release.
    const id = idOf(await store.create({ ...pet('Rex'), owner: ada }, at()));
    await backend.run('production', 'UPDATE pets SET owner = NULL');
    await expectFree(store, id, 'acct_other');
  });

  test('may be deleted: then anyone changes and deletes them', async () => {
    await using backend = await open();
    const { ada, bob, eve } = await accounts(backend);
    const store = backend.pets();
    const ids = [eve, eve, bob].map(async (owner) =>
      idOf(await store.create({ ...pet('Rex'), owner }, at())),
    );
    const [first = 0, second = 0, ofBob = 0] = await Promise.all(ids);
    expect(await store.delete({ id: first, accountId: ada })).toMatchObject({ kind: 'not_owner' });
    await backend.accounts.delete(eve, NOON, 'test');
    for (const id of [first, second]) await expectFree(store, id, ada);
    await expectOthersRefused(store, ofBob, bob, ada);
  });
}

function hiding(open: OpenBackend): void {
  test('show nowhere: neither in pets and pages, nor in stored replies', async () => {
    await using backend = await open();
    const { ada } = await accounts(backend);
    const store = backend.pets();
    const request = { accountId: ada, key: 'k', fingerprint: 'of Rex' };
    const rex: OwnedPet = { ...pet('Rex'), owner: ada };
    const created = [await store.create(rex, at()), await store.create(rex, at(), request)];
    expect(created).toEqual([1, 2].map((id) => ({ kind: 'created', pet: { id, ...pet('Rex') } })));
    const replayed = await store.create(rex, at(1), request);
    const body = '{"id":2,"name":"Rex","categoryId":1,"status":"available"}';
    expect(replayed).toEqual({ kind: 'replayed', reply: { status: 201, body } });
    expect(await store.get(1)).toEqual({ id: 1, ...pet('Rex') });
    const { pets } = await store.list({ limit: 10, after: 0 });
    expect(pets.flatMap(Object.keys)).toEqual(
      [1, 2].flatMap(() => ['id', 'name', 'categoryId', 'status']),
    );
  });
}
