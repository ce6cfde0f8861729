import { describe, expect, test } from 'bun:test';
import type { PetInfo } from '../../src/dashboard/shared/pets.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { INT64_MAX } from '../../src/lib/int64.ts';
import { addPet, changePet, pagesOf, showPet } from '../support/dashboard-pets.ts';
import {
  createKey,
  customer,
  type DashboardScene,
  dashboardScene,
  expectRefusal,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';

/** Orders an animal through the API, with a new key of the visitor. */
async function order({ service }: DashboardScene, visitor: Visitor, petId: number) {
  const { text: key } = await createKey(visitor);
  return service.client(key).createOrder({ petId });
}

describe('an animal is changed', () => {
  test('in the fields that are sent, along the transitions', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const id = await addPet(ada);
    const { version } = await showPet(ada, id);
    const changed = await changePet(ada, id, {
      name: '小雪🐈',
      categoryId: '-9007199254740993',
      version,
    });
    const info: PetInfo = await changed.json();
    expect(info).toMatchObject({ id, name: '小雪🐈', categoryId: '-9007199254740993' });
    expect(info.version).not.toBe(version);
    for (const status of ['pending', 'sold', 'available', 'sold'] as const) {
      expect(await (await changePet(ada, id, { status })).json()).toMatchObject({ status });
    }
    const refused = await changePet(ada, id, { status: 'pending' });
    const message = await expectRefusal(refused, 409, 'invalid_transition');
    expect(message).toContain('from sold to pending');
  });

  test('unless somebody else was faster', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const id = await addPet(ada);
    const { version } = await showPet(ada, id);
    const names = Array.from({ length: 4 }, (_, index) => `Rex ${index}`);
    const replies = await Promise.all(names.map((name) => changePet(ada, id, { name, version })));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
    expect((await showPet(ada, id)).name).toBe(names[statuses.indexOf(200)] ?? '');
  });

  test.each([
    {},
    { name: null },
    { id: 2 },
    { version: '"x"' },
    { categoryId: '1e2' },
    { name: '\u00a0' },
    { owner: 'nobody' },
  ])('but not by the body %j', async (body) => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const before = await showPet(ada, await addPet(ada));
    await expectRefusal(await changePet(ada, 1, body), 400, 'invalid');
    expect(await showPet(ada, 1)).toEqual(before);
  });

  test('and deleted by its owner alone, or by anyone if it is nobody’s', async () => {
    await using it = await dashboardScene();
    const [ada, bob] = [await customer(it.service), await customer(it.service)];
    const { pets } = it.service.stores.environment('production');
    await pets.import([{ name: 'Stray', categoryId: 1, status: 'available' }]);
    const id = await addPet(ada);
    await expectRefusal(await changePet(bob, id, { name: 'Mine' }), 403, 'not_owner');
    await expectRefusal(await bob.delete(`/api/production/pets/${id}`), 403, 'not_owner');
    expect(await showPet(bob, id)).toMatchObject({ name: 'Rex', owner: 'another' });
    expect((await changePet(bob, 1, { name: 'Found' })).status).toBe(200);
    for (const [who, deleted] of [
      [bob, 1],
      [ada, id],
    ] as const) {
      const path = `/api/production/pets/${deleted}`;
      expect((await who.delete(path)).status).toBe(204);
      for (const reply of [
        await who.delete(path),
        await changePet(who, deleted, { name: 'Rex' }),
      ]) {
        await expectRefusal(reply, 404, 'pet_not_found');
      }
    }
    expect(await pagesOf(ada)).toEqual([[]]);
    for (const id of ['x', '1.0', String(INT64_MAX)]) {
      await expectRefusal(await ada.delete(`/api/production/pets/${id}`), 404, 'pet_not_found');
    }
  });

  test('while it is ordered only in name and category, whose order it is stays hidden', async () => {
    await using it = await dashboardScene();
    const [ada, bob] = [await customer(it.service), await customer(it.service)];
    const id = await addPet(ada);
    const placed = await order(it, bob, id);
    expect(await showPet(ada, id)).toMatchObject({
      status: 'pending',
      isReserved: true,
      order: null,
    });
    expect(await showPet(bob, id)).toMatchObject({
      ...{ isReserved: true, owner: 'another' },
      order: { id: placed.id, status: 'placed' },
    });
    await expectRefusal(await changePet(ada, id, { status: 'sold' }), 409, 'pet_reserved');
    await expectRefusal(await ada.delete(`/api/production/pets/${id}`), 409, 'pet_reserved');
    expect((await changePet(ada, id, { name: 'Max', categoryId: '2' })).status).toBe(200);
  });
});

describe('changes have limits of their own', () => {
  test('which those of the plan do not share', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    for (let click = 0; click < 10; click += 1) await ada.post('/api/staging/pets/samples');
    for (const refused of [
      await ada.post('/api/staging/pets/samples'),
      await ada.post('/api/production/pets', { name: 'Rex', categoryId: '1' }),
      await ada.delete('/api/production/pets/1'),
    ]) {
      expect(refused.headers.get('Retry-After')).toBe('60');
      expect(await expectRefusal(refused, 429, 'rate_limited')).toContain('60 seconds');
    }
    const { text: key } = await createKey(ada);
    expect((await it.service.post(key, { name: 'Rex', categoryId: 1 })).status).toBe(201);
    expect((await ada.get('/api/production/pets')).status).toBe(200);
    it.clock.advance(MINUTE);
    expect((await ada.delete('/api/production/pets/1')).status).toBe(204);
  });

  test('and reading costs one request, with filters, too', async () => {
    await using it = await dashboardScene();
    const ada = await customer(it.service);
    const left = async (path: string) =>
      Number((await ada.get(path)).headers.get('X-RateLimit-Remaining'));
    const first = await left('/api/production/pets');
    expect(await left('/api/production/pets?status=sold&id=7')).toBe(first - 1);
  });
});

test.each([
  ['stable', [405, 405], false],
  ['beta', [200, 204], false],
  ['experimental', [200, 204], true],
])(
  'with PETSTORE_STABILITY=%s less stable operations are absent',
  async (level, statuses, hasOrders) => {
    await using it = await dashboardScene({ PETSTORE_STABILITY: level });
    const ada = await customer(it.service);
    const id = await addPet(ada);
    const { operations } = await ada.json<{ operations: string[] }>('GET', '/api/session');
    expect(operations.includes('createOrder')).toBe(hasOrders);
    expect(operations.includes('updatePet')).toBe(level !== 'stable');
    const changed = await changePet(ada, id, { name: 'Max' });
    const deleted = await ada.delete(`/api/production/pets/${id}`);
    expect([changed.status, deleted.status]).toEqual(statuses);
  },
);
