import { describe, expect, spyOn, test } from 'bun:test';
import { PageCache } from '../../../src/api/pets/page-cache.ts';
import { resetEnvironments } from '../../../src/core/pets/environment-resets.ts';
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

describe('the cache of first pages', () => {
  test('takes no page that was read before it was cleared', () => {
    const pages = new PageCache();
    const { generation } = pages;
    pages.clear();
    expect(pages.put(FIRST, REPLY, generation)).toBe(REPLY);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
    expect(pages.find('limit=1')).toBeUndefined();
    const cached = pages.put(FIRST, REPLY, pages.generation);
    expect(pages.get(FIRST, 'limit=1')).toBe(cached);
    expect(pages.find('limit=1')).toBe(cached);
  });

  test('takes no later page, and gives none for a query after the first page', () => {
    const pages = new PageCache();
    const later = { ...FIRST, after: 1 };
    pages.put(later, REPLY, pages.generation);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
    pages.put(FIRST, REPLY, pages.generation);
    expect(pages.get(later, 'limit=1&after=1')).toBeUndefined();
  });

  test('keeps the pages of each limit and status apart', () => {
    const pages = new PageCache();
    pages.put({ ...FIRST, status: 'sold' }, REPLY, pages.generation);
    expect(pages.get(FIRST, 'limit=1')).toBeUndefined();
    expect(pages.get({ limit: 2, status: 'sold', after: 0 }, '')).toBeUndefined();
    expect(pages.get({ ...FIRST, status: 'pending' }, '')).toBeUndefined();
    expect(pages.get({ ...FIRST, status: 'sold' }, '')).toMatchObject(REPLY);
  });

  test('remembers no query text of more than 100 characters', () => {
    const pages = new PageCache();
    pages.put(FIRST, REPLY, pages.generation);
    for (const length of [100, 101]) pages.get(FIRST, 'x'.repeat(length));
    expect(pages.find('x'.repeat(100))).toMatchObject(REPLY);
    expect(pages.find('x'.repeat(101))).toBeUndefined();
  });
});
