import { expect, test } from 'bun:test';
import type { PetPage, PetQuery, PetStore } from '../../../src/core/pets/pet-store.ts';
import { PET_STATUSES, type Pet } from '../../../src/core/pets/pets.ts';
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.ts';
import { at, type OpenBackend, pet, portSuite } from './backend.ts';

async function created(store: PetStore, ...names: string[]): Promise<Pet[]> {
  const pets: Pet[] = [];
  for (const name of names) {
    const outcome = await store.create(pet(name), at());
    if (outcome.kind !== 'created') throw new Error(outcome.kind);
    pets.push(outcome.pet);
  }
  return pets;
}

/** The names on every page from the start, page by page. */
async function walk(store: PetStore, query: Omit<PetQuery, 'after'>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after = 0; ; ) {
    const { pets, more } = await store.list({ ...query, after });
    pages.push(pets.map(({ name }) => name));
    if (!more) return pages;
    after = pets.at(-1)?.id ?? Number.NaN;
  }
}

/** Tests of a pet store, for every database. */
export const petStoreSuite = portSuite(
  'a pet store',
  storing,
  assigningIds,
  listing,
  settling,
  importing,
);

function storing(open: OpenBackend): void {
  test('gives an animal back exactly as it was added', async () => {
    await using backend = await open();
    const store = backend.pets();
    const names = [
      'Rex',
      ' two  spaces ',
      "O'Malley; DROP TABLE pets;--",
      '小雪🐈',
      'x'.repeat(255),
    ];
    const categories = [INT64_MIN, -1, 0, 9_007_199_254_740_993n, INT64_MAX];
    for (const [index, name] of names.entries()) {
      const categoryId = categories[index] ?? 0;
      const status = PET_STATUSES[index % 3] ?? 'sold';
      const outcome = await store.create({ name, categoryId, status }, at());
      if (outcome.kind !== 'created') throw new Error(outcome.kind);
      expect(outcome.pet).toEqual({ id: outcome.pet.id, name, categoryId, status });
      expect(await store.get(outcome.pet.id)).toEqual(outcome.pet);
    }
    const { pets } = await store.list({ limit: 100, after: 0 });
    expect(pets.map(({ name }) => name)).toEqual(names);
    expect(pets.map(({ categoryId }) => categoryId)).toEqual(categories);
  });

  test('has no animal under an id that it did not assign', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [rex] = await created(store, 'Rex');
    const absent = [0, -1, (rex?.id ?? 0) + 1, Number.MAX_SAFE_INTEGER, 2 ** 63, -(2 ** 63)];
    for (const id of absent) expect(await store.get(id)).toBeUndefined();
  });

  test('shows an animal to every reader as soon as its creation resolved', async () => {
    await using backend = await open();
    await using other = await backend.another();
    for (let round = 0; round < 20; round += 1) {
      const [rex] = await created(backend.pets(), `Rex ${round}`);
      const id = rex?.id ?? 0;
      expect(await backend.pets().get(id)).toEqual(rex);
      expect(await other.pets().get(id)).toEqual(rex);
      expect((await other.pets().list({ limit: 100, after: id - 1 })).pets).toHaveLength(1);
    }
  });

  test('keeps the animals of one environment out of the other', async () => {
    await using backend = await open();
    await created(backend.pets('production'), 'Rex');
    expect((await backend.pets('staging').list({ limit: 1, after: 0 })).pets).toEqual([]);
    expect((await backend.pets('production').list({ limit: 1, after: 0 })).pets).toHaveLength(1);
  });
}

function assigningIds(open: OpenBackend): void {
  test('assigns ascending ids within 2^53 - 1', async () => {
    await using backend = await open();
    const pets = await created(backend.pets(), 'a', 'b', 'c', 'd');
    const ids = pets.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => Number.isSafeInteger(id) && id >= 1)).toBe(true);
  });

  test('continues with higher ids when it is opened again', async () => {
    await using backend = await open();
    const [first] = await created(backend.pets(), 'first');
    await using other = await backend.another();
    const [second] = await created(other.pets(), 'second');
    const [third] = await created(backend.pets(), 'third');
    expect(second?.id ?? 0).toBeGreaterThan(first?.id ?? 0);
    expect(third?.id ?? 0).toBeGreaterThan(second?.id ?? 0);
  });

  test('gives each of many creations at once its own animal', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const names = Array.from({ length: 400 }, (_, index) => `pet ${index}`);
    const outcomes = await Promise.all(
      names.map((name, index) => (index % 2 ? backend : other).pets().create(pet(name), at())),
    );
    const pets = outcomes.map((outcome) => ('pet' in outcome ? outcome.pet : undefined));
    expect(pets.map((each) => each?.name)).toEqual(names);
    expect(new Set(pets.map((each) => each?.id)).size).toBe(400);
    const listed = (await walk(backend.pets(), { limit: 100 })).flat();
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
}

function listing(open: OpenBackend): void {
  test('lists nothing while it is empty', async () => {
    await using backend = await open();
    expect(await backend.pets().list({ limit: 20, after: 0 })).toMatchObject({
      pets: [],
      more: false,
    });
    const sold = await backend.pets().list({ limit: 20, after: 0, status: 'sold' });
    expect(sold).toMatchObject({ pets: [], more: false });
  });

  test('lists in ascending id, as many as asked for, and tells whether more follow', async () => {
    await using backend = await open();
    const store = backend.pets();
    const pets = await created(store, 'a', 'b', 'c');
    expect(await store.list({ limit: 2, after: 0 })).toMatchObject({
      pets: pets.slice(0, 2),
      more: true,
    });
    expect(await store.list({ limit: 3, after: 0 })).toMatchObject({ pets, more: false });
    expect(await store.list({ limit: 4, after: 0 })).toMatchObject({ pets, more: false });
  });

  test('continues after an id, whether an animal has it or not', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [, second, third] = await created(store, 'a', 'b', 'c');
    if (!second || !third) throw new Error('not created');
    expect((await store.list({ limit: 9, after: second.id })).pets).toEqual([third]);
    for (const after of [third.id, third.id + 1_000, Number.MAX_SAFE_INTEGER]) {
      expect(await store.list({ limit: 9, after })).toMatchObject({ pets: [], more: false });
    }
  });

  test('filters by status, and pages through what is left', async () => {
    await using backend = await open();
    const store = backend.pets();
    const statuses = Array.from({ length: 30 }, (_, index) => PET_STATUSES[index % 3] ?? 'sold');
    await store.import(statuses.map((status, index) => pet(`${status} ${index}`, { status })));
    for (const status of PET_STATUSES) {
      const pages = await walk(store, { status, limit: 4 });
      expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
      const expected = statuses.flatMap((each, index) =>
        each === status ? `${each} ${index}` : [],
      );
      expect(pages.flat()).toEqual(expected);
    }
  });

  test('never shows an animal twice or leaves one out while others are added', async () => {
    await using backend = await open();
    const store = backend.pets();
    const before = Array.from({ length: 60 }, (_, index) => `before ${index}`);
    await created(store, ...before);
    const adding = Promise.all(
      Array.from({ length: 200 }, (_, index) => store.create(pet(`later ${index}`), at())),
    );
    const seen = (await walk(store, { limit: 7 })).flat();
    await adding;
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 60)).toEqual(before);
  });
}

function settling(open: OpenBackend): void {
  test('tells which animal follows a page', async () => {
    await using backend = await open();
    const store = backend.pets();
    const [a, b, c] = await created(store, 'a', 'b', 'c');
    await store.update({ id: b?.id ?? 0, accountId: 'anyone' }, { status: 'sold' });
    expect((await store.list({ limit: 1, after: 0 })).next).toBe(b?.id ?? 0);
    const available = { limit: 1, status: 'available', after: 0 } as const;
    expect(await store.list(available)).toMatchObject({ pets: [a], next: c?.id });
    expect((await store.list({ limit: 3, after: 0 })).next).toBeUndefined();
  });

  test('calls a page settled although animals before its end were deleted', async () => {
    await using backend = await open();
    const store = backend.pets();
    const pets = await created(store, ...'abcdefgh');
    for (const index of [0, 2, 3]) {
      await store.delete({ id: pets[index]?.id ?? 0, accountId: 'anyone' });
    }
    const [, b, , , e, f] = pets;
    for (const status of [undefined, 'available'] as const) {
      const page = await store.list({ limit: 3, status, after: 0 });
      expect(page).toMatchObject({ pets: [b, e, f], more: true, isCacheable: true });
    }
    expect((await store.list({ limit: 5, after: 0 })).isCacheable).toBe(false);
  });

  test('calls a page settled when it is full and more follow, not while it can still change', async () => {
    await using backend = await open();
    const store = backend.pets();
    expect((await store.list({ limit: 2, after: 0 })).isCacheable).toBe(false);
    await created(store, 'a', 'b', 'c');
    expect((await store.list({ limit: 2, after: 0 })).isCacheable).toBe(true);
    expect((await store.list({ limit: 4, after: 0 })).isCacheable).toBe(false);
    const sold = await store.list({ limit: 2, after: 0, status: 'sold' });
    expect(sold.isCacheable).toBe(false);
  });

  test('never changes a page that it called settled, whoever adds animals meanwhile', async () => {
    await using backend = await open();
    await using other = await backend.another();
    let adding = true;
    const creations = [backend, other].map(async (each) => {
      for (let round = 0; round < 20; round += 1) {
        const names = Array.from({ length: 20 }, (_, index) => `${round}/${index}`);
        await Promise.all(names.map((name) => each.pets().create(pet(name), at())));
      }
    });
    const added = Promise.all(creations).finally(() => {
      adding = false;
    });
    const seen = new Map<number, PetPage>();
    while (adding) {
      for (let after = 0; after < 800; after += 7) {
        const page = await backend.pets().list({ limit: 7, after });
        if (page.isCacheable) seen.set(after, page);
      }
      await Bun.sleep(0);
    }
    await added;
    for (const [after, { next: _, ...page }] of seen) {
      // Another pet may be the next one, which is not on the page.
      const { next, ...now } = await other.pets().list({ limit: 7, after });
      expect(now).toEqual(page);
      expect(next).toBeGreaterThan(page.pets.at(-1)?.id ?? 0);
    }
  });
}

function importing(open: OpenBackend): void {
  test('imports many animals at once, in their order', async () => {
    await using backend = await open();
    const names = Array.from({ length: 5_000 }, (_, index) => `pet ${index}`);
    await backend.pets().import(names.map((name) => pet(name)));
    await backend.pets().import([]);
    expect((await walk(backend.pets(), { limit: 100 })).flat()).toEqual(names);
  });
}
