import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import type { SessionInfo } from '../../src/dashboard/shared/api.ts';
import type { OrderInfo, OrderPageInfo } from '../../src/dashboard/shared/orders.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  usageOf,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';

const DAY = 86_400_000;

/** Adds an animal that belongs to nobody; returns its id. */
async function addPet(
  { stores, clock }: Pick<TestService, 'stores' | 'clock'>,
  environment: Environment = 'production',
  name = 'Rex',
): Promise<number> {
  const { pets } = stores.environment(environment);
  const outcome = await pets.create({ name, categoryId: 1, status: 'available' }, clock.now());
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.pet.id;
}

async function petStatus({ stores }: TestService, id: number): Promise<string | undefined> {
  return (await stores.environment('production').pets.get(id))?.status;
}

function place(visitor: Visitor, petId: number, environment: Environment = 'production') {
  return visitor.json<OrderInfo>('POST', `/api/${environment}/orders`, { petId });
}

function setStatus(visitor: Visitor, id: number | string, status: string): Promise<Response> {
  return visitor.put(`/api/production/orders/${id}`, { status });
}

async function list(visitor: Visitor, query = '', environment: Environment = 'production') {
  return visitor.json<OrderPageInfo>('GET', `/api/${environment}/orders${query}`);
}

describe('the orders of an account', () => {
  test('are listed with their animals and what may follow, the newest first', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    expect(await list(visitor)).toEqual({ orders: [], next: null });
    const [rex, cat] = [await addPet(it.service), await addPet(it.service, 'production', 'قطة 🐈')];
    const first = await place(visitor, rex);
    const times = { createdAt: it.clock.now().wall, updatedAt: it.clock.now().wall };
    expect(first).toEqual({
      ...{ id: first.id, petId: rex, petName: 'Rex', status: 'placed', ...times },
      nextStatuses: ['approved', 'cancelled'],
    });
    const second = await place(visitor, cat);
    expect(second.petName).toBe('قطة 🐈');
    expect(await list(visitor)).toEqual({ orders: [second, first], next: null });
    expect(await list(visitor, '', 'staging')).toEqual({ orders: [], next: null });
    expect(await list(await customer(it.service))).toEqual({ orders: [], next: null });
  });

  test('have pages, by status or not', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const petId = await addPet(it.service);
    const ids: number[] = [];
    for (let count = 0; count < 30; count += 1) {
      const { id } = await place(visitor, petId);
      ids.unshift(id);
      if (count < 29) await setStatus(visitor, id, 'cancelled');
    }
    const page = await list(visitor);
    expect(page.orders.map(({ id }) => id)).toEqual(ids.slice(0, 25));
    expect(page.next).toBe(ids[24] ?? 0);
    const rest = await list(visitor, `?before=${page.next}`);
    expect([rest.orders.map(({ id }) => id), rest.next]).toEqual([ids.slice(25), null]);
    const placed = await list(visitor, '?status=placed');
    expect([placed.orders.map(({ id }) => id), placed.next]).toEqual([ids.slice(0, 1), null]);
    const cancelled = await list(visitor, `?status=cancelled&before=${ids[4]}`);
    expect(cancelled.orders.map(({ id }) => id)).toEqual(ids.slice(5));
    for (const wrong of ['status=open', 'before=0', 'before=x', 'before=9007199254740993']) {
      await expectRefusal(await visitor.get(`/api/production/orders?${wrong}`), 400, 'invalid');
    }
    await expectRefusal(await visitor.get('/api/test/orders'), 404, 'not_found');
  });

  test('change step by step, and the animal with them', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const petId = await addPet(it.service);
    const { id } = await place(visitor, petId);
    expect(await petStatus(it.service, petId)).toBe('pending');
    it.clock.advance(1_000);
    const approved: OrderInfo = await (await setStatus(visitor, id, 'approved')).json();
    expect(approved).toMatchObject({
      ...{ id, status: 'approved', nextStatuses: ['delivered', 'cancelled'] },
      updatedAt: it.clock.now().wall,
    });
    it.clock.advance(1_000);
    expect(await (await setStatus(visitor, id, 'approved')).json()).toEqual(approved);
    const delivered = await setStatus(visitor, id, 'delivered');
    expect(await delivered.json()).toMatchObject({ status: 'delivered', nextStatuses: [] });
    expect(await petStatus(it.service, petId)).toBe('sold');
    // The order and its animal lead to each other, also after the end, but for nobody else.
    const path = `/api/production/orders/${id}`;
    expect((await list(visitor)).orders).toEqual([await visitor.json<OrderInfo>('GET', path)]);
    const pet = `/api/production/pets/${petId}`;
    const order = { id, status: 'delivered' };
    expect(await visitor.json<object>('GET', pet)).toMatchObject({ isReserved: false, order });
    const other = await customer(it.service);
    await expectRefusal(await other.get(path), 404, 'not_found');
    await expectRefusal(await visitor.get('/api/production/orders/x'), 404, 'not_found');
    expect(await other.json<object>('GET', pet)).toMatchObject({ order: null });
    const refusal = await expectRefusal(
      await setStatus(visitor, id, 'cancelled'),
      409,
      'invalid_transition',
    );
    expect(refusal).toContain('from delivered to cancelled');
  });

  test('keep the id of an animal that was deleted', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const petId = await addPet(it.service);
    const { id } = await place(visitor, petId);
    await setStatus(visitor, id, 'cancelled');
    const { pets } = it.service.stores.environment('production');
    await pets.delete({ id: petId, accountId: visitor.accountId });
    expect((await list(visitor)).orders).toMatchObject([{ id, petId, petName: null }]);
  });

  test('are shown and changed by their account alone', async () => {
    await using it = await dashboardScene();
    const [visitor, other] = [await customer(it.service), await customer(it.service)];
    const { id } = await place(visitor, await addPet(it.service));
    for (const unknown of [id, id + 1, 0, -1, 'x', '01', '9007199254740993', `${id}.0`]) {
      const reply = await setStatus(other, unknown, 'cancelled');
      expect(await expectRefusal(reply, 404, 'not_found')).toBe('You have no order with this id.');
    }
    expect((await list(visitor)).orders).toMatchObject([{ id, status: 'placed' }]);
  });

  test('refuse a body that the public API refuses', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { id } = await place(visitor, await addPet(it.service));
    for (const body of [{}, { petId: '1' }, { petId: 1.5 }, { petId: null }, []]) {
      await expectRefusal(await visitor.post('/api/production/orders', body), 400, 'invalid');
    }
    for (const body of [{}, { status: 'open' }, { status: null }, { status: 'placed', id }, []]) {
      const reply = await visitor.put(`/api/production/orders/${id}`, body);
      await expectRefusal(reply, 400, 'invalid');
    }
  });

  test('carry the times of the clock of staging', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    await visitor.post('/api/sandbox/clock', { advanceSeconds: DAY / 1_000 });
    const now = it.clock.now().wall;
    const staging = await place(visitor, await addPet(it.service, 'staging'), 'staging');
    expect(staging).toMatchObject({ createdAt: now + DAY, updatedAt: now + DAY });
    it.clock.advance(5);
    const path = `/api/staging/orders/${staging.id}`;
    expect(await visitor.json('PUT', path, { status: 'approved' })).toMatchObject({
      createdAt: now + DAY,
      updatedAt: now + DAY + 5,
    });
    const production = await place(visitor, await addPet(it.service));
    expect(production.createdAt).toBe(now + 5);
  });
});

describe('an order in the dashboard', () => {
  test('and one with a key exclude one another, with the same reply', async () => {
    await using it = await dashboardScene();
    const [visitor, buyer] = [await customer(it.service), await customer(it.service)];
    const { text: key } = await createKey(buyer);
    const petId = await addPet(it.service);
    await place(visitor, petId);
    const refusal = await refusalOf(await ordersOf(it.service, key).create(petId));
    expect(refusal).toMatchObject({ status: 409, code: 'pet_unavailable' });
    for (const second of [visitor, buyer]) {
      const reply = await second.post('/api/production/orders', { petId });
      expect([reply.status, await reply.json()]).toEqual([409, refusal]);
      expect(reply.headers.has('Retry-After')).toBe(false);
    }
    const unknown = await visitor.post('/api/production/orders', { petId: petId + 1 });
    expect(await unknown.json()).toEqual(
      await refusalOf(await ordersOf(it.service, key).create(petId + 1)),
    );
    const staging = await visitor.post('/api/staging/orders', { petId });
    await expectRefusal(staging, 404, 'pet_not_found');
  });

  test('wins alone, of many for one animal at the same time', async () => {
    await using it = await dashboardScene();
    const visitors = await Promise.all(Array.from({ length: 4 }, () => customer(it.service)));
    const petId = await addPet(it.service);
    const replies = await Promise.all(
      [...visitors, ...visitors].map((visitor) =>
        visitor.post('/api/production/orders', { petId }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  test('counts towards no limit and no usage of the account', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const before = await usageOf(visitor);
    const { id } = await place(visitor, await addPet(it.service));
    await setStatus(visitor, id, 'approved');
    await list(visitor);
    await it.service.runJobs();
    expect(await usageOf(visitor)).toEqual(before);
    const { requests } = await visitor.json<{ requests: unknown[] }>('GET', '/api/requests');
    expect(requests).toEqual([]);
  });

  test('is refused to a suspended account, which still sees its orders', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { id } = await place(visitor, await addPet(it.service));
    await it.service.stores.accounts.suspend(visitor.accountId, 'Spam', 0, 'test');
    const again = await visitor.post('/api/production/orders', { petId: 1 });
    await expectRefusal(again, 403, 'suspended');
    await expectRefusal(await setStatus(visitor, id, 'cancelled'), 403, 'suspended');
    expect((await list(visitor)).orders).toMatchObject([{ id, status: 'placed' }]);
  });

  test.each(['beta', 'stable'])('is absent where only %s operations are served', async (level) => {
    await using service = await TestService.start({
      parts: PARTS,
      settings: { PETSTORE_STABILITY: level },
    });
    const visitor = await customer(service);
    const { operations } = await visitor.json<SessionInfo>('GET', '/api/session');
    expect(operations).not.toContain('listOrders');
    expect(operations).toContain('listPets');
    const petId = await addPet(service);
    for (const environment of ['production', 'staging']) {
      const path = `/api/${environment}/orders`;
      await expectRefusal(await visitor.get(path), 404, 'not_found');
      await expectRefusal(await visitor.post(path, { petId }), 404, 'not_found');
      await expectRefusal(await visitor.get(`${path}/1`), 404, 'not_found');
      const change = await visitor.put(`${path}/1`, { status: 'cancelled' });
      await expectRefusal(change, 404, 'not_found');
    }
  });
});
