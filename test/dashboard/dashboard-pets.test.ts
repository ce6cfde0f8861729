import { describe, expect, test } from 'bun:test';
import { PET_STATUSES } from '../../src/core/pets/pets.ts';
import type { PetInfo, PetPageInfo, SamplesInfo } from '../../src/dashboard/shared/pets.ts';
import { INT64_MAX, INT64_MIN } from '../../src/lib/int64.ts';
import { addPet, pagesOf, showPet } from '../support/dashboard-pets.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  usageOf,
} from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';

describe('the animals', () => {
  test('are those of the environment, the newest first, page by page', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    expect(await pagesOf(ada)).toEqual([[]]);
    const { pets } = it.service.stores.environment('production');
    await pets.import(
      Array.from({ length: 60 }, (_, index) => ({
        ...{ name: `No. ${index + 1}`, categoryId: 1 },
        status: PET_STATUSES[index % 3] ?? 'sold',
      })),
    );
    const pages = await pagesOf(ada);
    expect(pages.map((page) => page.length)).toEqual([25, 25, 10]);
    expect(pages.flat()).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
    const sold = await pagesOf(ada, 'status=sold');
    expect(sold.flat()).toEqual(Array.from({ length: 20 }, (_, index) => 60 - 3 * index));
    expect(await pagesOf(ada, 'id=7')).toEqual([[7]]);
    expect(await pagesOf(ada, 'id=7&status=sold')).toEqual([[]]);
    for (const id of ['61', '0', '-1', String(INT64_MAX), '9007199254740993']) {
      expect([id, await pagesOf(ada, `id=${id}`)]).toEqual([id, [[]]]);
    }
    const { pets: others } = await ada.json<PetPageInfo>('GET', '/api/staging/pets');
    expect(others).toEqual([]);
    for (const query of ['id=x', 'id=1.5', 'before=x', 'status=gone']) {
      await expectRefusal(await ada.get(`/api/production/pets?${query}`), 400, 'invalid');
    }
    for (const id of ['61', '0', 'x', '1e2', String(INT64_MAX)]) {
      await expectRefusal(await ada.get(`/api/production/pets/${id}`), 404, 'pet_not_found');
    }
    await expectRefusal(await new Visitor(it.service).get('/api/staging/pets'), 401, 'signed_out');
  });

  test('say whose they are, to each reader', async () => {
    await using it = await dashboardScene();
    const [ada, bob, eve] = [
      await customer(it.service),
      await customer(it.service),
      await customer(it.service),
    ];
    const { pets } = it.service.stores.environment('production');
    await pets.import([{ name: 'Stray', categoryId: 1, status: 'available' }]);
    for (const owner of [ada, eve]) await addPet(owner);
    await it.service.stores.accounts.delete(eve.accountId, Date.now(), 'test');
    const owners = async (reader: Visitor) => {
      const page = await reader.json<PetPageInfo>('GET', '/api/production/pets');
      const each = await Promise.all(page.pets.map(({ id }) => showPet(reader, id)));
      expect(each).toEqual([...page.pets]);
      return each.map(({ owner }) => owner);
    };
    expect(await owners(ada)).toEqual(['nobody', 'you', 'nobody']);
    expect(await owners(bob)).toEqual(['nobody', 'another', 'nobody']);
    // Accounts are not named.
    const text = await (await bob.get('/api/production/pets')).text();
    expect(text).not.toContain(ada.accountId);
  });
});

describe('an animal is added', () => {
  test('exactly as it was sent, by the rules of the API, outside of the plan', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const { text: key } = await createKey(ada);
    const before = await usageOf(ada);
    const name = 'مرحبا '.repeat(42).trim();
    const created = await ada.json<PetInfo>('POST', '/api/production/pets', {
      ...{ name, categoryId: '9007199254740993', status: 'sold' },
    });
    expect(created).toEqual({
      ...{ id: 1, name, categoryId: '9007199254740993', status: 'sold', owner: 'you' },
      ...{ isReserved: false, order: null, version: expect.any(String) },
    });
    for (const categoryId of [INT64_MIN, INT64_MAX, 0n].map(String)) {
      const { id } = await ada.json<PetInfo>('POST', '/api/production/pets', { name, categoryId });
      expect(await showPet(ada, id)).toMatchObject({ categoryId, status: 'available' });
    }
    expect(await usageOf(ada)).toEqual(before);
    const reply = await it.service.request('/pets/1', { key });
    expect(await reply.text()).toBe(
      `{"id":1,"name":"${name}","categoryId":9007199254740993,"status":"sold"}`,
    );
    expect(reply.headers.get('ETag')).toBe(created.version);
  });

  test.each([
    [{ categoryId: '1' }, 'name'],
    [{ name: '', categoryId: '1' }, 'name'],
    [{ name: ' \u2003', categoryId: '1' }, 'name'],
    [{ name: 'a\nb', categoryId: '1' }, 'name'],
    [{ name: 'x'.repeat(256), categoryId: '1' }, 'name'],
    [{ name: 'Rex' }, 'categoryId'],
    [{ name: 'Rex', categoryId: 1 }, 'categoryId'],
    [{ name: 'Rex', categoryId: '1.5' }, 'categoryId'],
    [{ name: 'Rex', categoryId: '' }, 'categoryId'],
    [{ name: 'Rex', categoryId: '9223372036854775808' }, 'categoryId'],
    [{ name: 'Rex', categoryId: '1', status: 'gone' }, 'status'],
    [{ name: 'Rex', categoryId: '1', id: 5 }, 'id'],
  ])('but not with the body %j', async (body, field) => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const reply = await ada.post('/api/production/pets', body);
    expect(await expectRefusal(reply, 400, 'invalid')).toContain(`"${field}"`);
    expect(await pagesOf(ada)).toEqual([[]]);
  });

  test('by the pages of this site alone', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    await addPet(ada);
    const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    for (const [method, path] of [
      ['POST', '/api/production/pets'],
      ['POST', '/api/staging/pets/samples'],
      ['PUT', '/api/production/pets/1'],
      ['DELETE', '/api/production/pets/1'],
    ] as const) {
      const reply = await ada.request(method, path, { name: 'Eve', categoryId: '1' }, headers);
      await expectRefusal(reply, 403, 'forbidden');
    }
    expect(await showPet(ada, 1)).toMatchObject({ name: 'Rex' });
  });
});

test('samples are added to staging, and belong to the account', async () => {
  await using it = await dashboardScene();
  const ada = await customer(it.service);
  const added = await ada.json<SamplesInfo>('POST', '/api/staging/pets/samples');
  expect(added).toEqual({ added: 20 });
  const { pets } = await ada.json<PetPageInfo>('GET', '/api/staging/pets');
  expect([pets.length, new Set(pets.map(({ owner }) => owner))]).toEqual([20, new Set(['you'])]);
  expect(new Set(pets.map(({ name }) => name)).size).toBeGreaterThan(10);
  await expectRefusal(await ada.post('/api/production/pets/samples'), 405, 'method_not_allowed');
});
