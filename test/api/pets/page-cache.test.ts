import { describe, expect, spyOn, test } from 'bun:test';
import { PageCache } from '../../../src/api/pets/page-cache.ts';
import { resetEnvironments } from '../../../src/core/pets/environment-resets.ts';
import type { PetChange } from '../../../src/core/pets/pet-changes.ts';
import type { PetPage, PetQuery } from '../../../src/core/pets/pet-store.ts';
import type { PetStatus } from '../../../src/core/pets/pets.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { pet } from '../../storage/ports/backend.ts';
import { TestService } from '../../support/harness.ts';

const FIRST = { limit: 1, after: 0 };
const REPLY = { status: 200, body: '[]' };

describe('a cached first page', () => {
  test('is not served after a reset of the environment, whichever query text asked for it', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const { pets } = service.stores.environment('production');
    const texts = ['limit=1', '&limit=1', 'limit=%31'];
    const bodies = async () => {
      const replies = texts.map((text) => service.request(`/pets?${text}`, { key: secret }));
      return Promise.all((await Promise.all(replies)).map((reply) => reply.json()));
    };
    await pets.import([pet('One'), pet('Two')]);
    const one = [{ id: 1, name: 'One', categoryId: 1, status: 'available' }];
    for (let time = 0; time < 3; time += 1) expect(await bodies()).toEqual([one, one, one]);

    await resetEnvironments(service.stores, ['production'], 'test', systemClock.now().wall);

    expect(await bodies()).toEqual([[], [], []]);
  });

  test('that was read before a reset is not served after it, even if it was written later', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const { pets } = service.stores.environment('production');
    const list = pets.list.bind(pets);
    const names = async () => {
      const reply = await service.request('/pets?limit=1', { key: secret });
      return (await reply.json()).map(({ name }: { readonly name: string }) => name);
    };
    await pets.import([pet('One'), pet('Two')]);
    using _ = spyOn(pets, 'list').mockImplementationOnce(async (query) => {
      const page = await list(query);
      await resetEnvironments(service.stores, ['production'], 'test', systemClock.now().wall);
      return page;
    });

    expect(await names()).toEqual(['One']);
    expect(await names()).toEqual([]);
    await pets.import([pet('Three'), pet('Four')]);
    expect(await names()).toEqual(['Three']);
  });
});

/** A page with pets 1 to 3, or those of them with a status, after which pet 9 follows. */
const PAGE: PetPage = {
  pets: [1, 2, 3].map((id) => ({ id, ...pet(`${id}`) })),
  more: true,
  next: 9,
  isCacheable: true,
};

function change(id: number, before: PetStatus, after: PetStatus | undefined): PetChange {
  return { id, before, after };
}

/** A cache with one page, found by its text. */
function cacheWith(query: PetQuery) {
  const pages = new PageCache();
  pages.put(query, PAGE, REPLY, pages.generation);
  pages.get(query, 'text');
  return pages;
}

describe('the cache of first pages', () => {
  test('takes no later page, and gives none for a query after the first page', () => {
    const pages = new PageCache();
    const later = { ...FIRST, after: 1 };
    pages.put(later, PAGE, REPLY, pages.generation);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
    pages.put(FIRST, PAGE, REPLY, pages.generation);
    expect(pages.get(later, 'limit=1&after=1')).toBeUndefined();
  });

  test('takes no page that is not cacheable', () => {
    const pages = new PageCache();
    const page = { ...PAGE, isCacheable: false };
    expect(pages.put(FIRST, page, REPLY, pages.generation)).toBe(REPLY);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
  });

  test('keeps the pages of each limit and status apart', () => {
    const pages = new PageCache();
    pages.put({ ...FIRST, status: 'sold' }, PAGE, REPLY, pages.generation);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
    expect(pages.get({ limit: 2, status: 'sold', after: 0 }, '')).toBeUndefined();
    expect(pages.get({ ...FIRST, status: 'pending' }, '')).toBeUndefined();
    expect(pages.get({ ...FIRST, status: 'sold' }, '')).toMatchObject(REPLY);
  });

  test('remembers no query text of more than 100 characters', () => {
    const pages = new PageCache();
    pages.put(FIRST, PAGE, REPLY, pages.generation);
    for (const length of [100, 101]) pages.get(FIRST, 'x'.repeat(length));
    expect(pages.find('x'.repeat(100))).toMatchObject(REPLY);
    expect(pages.find('x'.repeat(101))).toBeUndefined();
  });
});

describe('a change of a pet', () => {
  const unfiltered = { ...FIRST, status: undefined };
  const available = { ...FIRST, status: 'available' } as const;
  const affected: Array<[string, PetQuery, PetChange]> = [
    ['on the page', unfiltered, change(2, 'sold', 'sold')],
    ['on the page that is deleted', unfiltered, change(3, 'sold', undefined)],
    ['with the status of the page', available, change(3, 'available', 'available')],
    ['that leaves the status of the page', available, change(1, 'available', 'sold')],
    ['that is deleted from the status', available, change(1, 'available', undefined)],
    ['that enters the status of the page', available, change(2, 'pending', 'available')],
    ['after the page that is deleted', unfiltered, change(9, 'sold', undefined)],
    [
      'after the page that is deleted from the status',
      available,
      change(9, 'available', undefined),
    ],
    ['after the page that leaves the status', available, change(9, 'available', 'sold')],
  ];
  const others: Array<[string, PetQuery, PetChange]> = [
    ['after the page that stays', unfiltered, change(9, 'available', 'sold')],
    ['after the page that stays in the status', available, change(9, 'available', 'available')],
    ['between the page and the next pet', unfiltered, change(5, 'available', undefined)],
    ['that enters the status after the page', available, change(5, 'sold', 'available')],
    ['beyond the next pet', unfiltered, change(10, 'available', undefined)],
    ['of another status', available, change(2, 'sold', 'pending')],
    ['of another status that is deleted', available, change(2, 'sold', undefined)],
    ['of another status beyond the page', available, change(10, 'sold', 'pending')],
  ];

  test.each(affected)('%s drops it, whichever text asked for it', (_, query, changed) => {
    const pages = cacheWith(query);
    expect(pages.find('text')).toMatchObject(REPLY);
    pages.apply([change(100, 'sold', 'pending'), changed]);
    expect(pages.find('text')).toBeUndefined();
    expect(pages.get(query, 'text')).toBeUndefined();
  });

  test.each(others)('%s leaves it', (_, query, changed) => {
    const pages = cacheWith(query);
    pages.apply([changed]);
    expect(pages.find('text')).toMatchObject(REPLY);
    expect(pages.get(query, 'text')).toMatchObject(REPLY);
  });

  test.each(affected)('%s refuses it if it was read before', (_, query, changed) => {
    const pages = new PageCache();
    const { generation } = pages;
    pages.apply([changed]);
    pages.apply([change(100, 'sold', 'pending')]);
    expect(pages.put(query, PAGE, REPLY, generation)).toBe(REPLY);
    expect(pages.get(query, 'text')).toBeUndefined();
    pages.put(query, PAGE, REPLY, pages.generation);
    expect(pages.get(query, 'text')).toMatchObject(REPLY);
  });

  test.each(others)('%s lets in what was read before', (_, query, changed) => {
    const pages = new PageCache();
    pages.apply([change(1, 'available', 'sold')]);
    const { generation } = pages;
    pages.apply([changed]);
    pages.put(query, PAGE, REPLY, generation);
    expect(pages.get(query, 'text')).toMatchObject(REPLY);
  });

  test('drops only the page that it affects', () => {
    const pages = cacheWith(available);
    const sold = { ...FIRST, status: 'sold' } as const;
    pages.put(sold, PAGE, REPLY, pages.generation);
    pages.apply([change(2, 'sold', 'pending')]);
    expect(pages.get(sold, '')).toBeUndefined();
    expect(pages.get(available, '')).toMatchObject(REPLY);
  });

  test('drops the page also if two requests have put it there', () => {
    const pages = cacheWith(unfiltered);
    pages.put(unfiltered, PAGE, REPLY, pages.generation);
    pages.apply([change(2, 'sold', 'sold')]);
    expect(pages.find('text')).toBeUndefined();
    expect(pages.get(unfiltered, 'text')).toBeUndefined();
  });

  test('that is not remembered any more counts as one that affects what was read before', () => {
    const pages = new PageCache();
    const { generation } = pages;
    for (let id = 10; id < 1_010; id += 1) pages.apply([change(id, 'sold', 'pending')]);
    pages.put(unfiltered, PAGE, REPLY, generation);
    expect(pages.get(unfiltered, '')).toMatchObject(REPLY);
    const later = pages.generation;
    pages.apply([change(1_010, 'sold', 'pending'), change(2, 'sold', 'sold')]);
    pages.apply([...Array(1_000).keys()].map((id) => change(2_000 + id, 'sold', 'pending')));
    for (const each of [generation, later]) pages.put(unfiltered, PAGE, REPLY, each);
    expect(pages.get(unfiltered, '')).toBeUndefined();
  });
});

describe('unknown changes', () => {
  test('drop every page, and refuse what was read before', () => {
    const pages = cacheWith(FIRST);
    const { generation } = pages;
    pages.apply('everything');
    expect(pages.find('text')).toBeUndefined();
    expect(pages.get(FIRST, 'text')).toBeUndefined();
    expect(pages.put(FIRST, PAGE, REPLY, generation)).toBe(REPLY);
    expect(pages.find('text')).toBeUndefined();
    const cached = pages.put(FIRST, PAGE, REPLY, pages.generation);
    expect(pages.get(FIRST, 'text')).toBe(cached);
    expect(pages.find('text')).toBe(cached);
  });
});
