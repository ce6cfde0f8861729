import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { advance } from '../../support/sandbox-scene.ts';
import { sharedService } from '../../support/shared-service.ts';
import { orderScene, ordersOf } from './order-scene.ts';

const shared = sharedService();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('createOrder', () => {
  test('orders an available animal, which becomes pending', async () => {
    const it = await orderScene(shared());
    const petId = await it.addPet();
    const reply = await it.create(petId);
    expect(reply.status).toBe(201);
    const order = await reply.json();
    expect(Object.keys(order)).toEqual(['id', 'petId', 'status', 'createdAt', 'updatedAt']);
    expect(order).toEqual({
      id: expect.any(Number),
      petId,
      status: 'placed',
      createdAt: expect.stringMatching(TIME),
      updatedAt: order.createdAt,
    });
    expect(reply.headers.get('ETag')).toMatch(/^"[\w-]{22}"$/);
    expect(reply.headers.get('Location')).toBe(`${shared().url()}/store/orders/${order.id}`);
    expect(reply.headers.get('Cache-Control')).toBe('no-store');
    expect(reply.headers.get('Petstore-Stability')).toBe('experimental');
    expect(reply.headers.has('X-RateLimit-Remaining')).toBeTrue();
    expect(await it.petStatus(petId)).toBe('pending');
  });

  test('shows the animal as it is at once, on cached pages too', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    for (let count = 0; count < 3; count += 1) await it.addPet();
    const page = async (query: string): Promise<unknown> =>
      (await service.request(`/pets${query}`, { key: it.key })).json();
    const queries = [
      '?limit=1',
      '?limit=2',
      '?status=available&limit=1',
      '?status=pending&limit=1',
    ];
    for (const query of queries) await page(query);
    await it.create(1);
    const pets = [1, 2].map((id) => {
      return { id, name: 'Rex', categoryId: 7, status: id === 1 ? 'pending' : 'available' };
    });
    expect(await Promise.all(queries.map(page))).toEqual([
      pets.slice(0, 1),
      pets,
      pets.slice(1),
      pets.slice(0, 1),
    ]);
  });

  test('orders animals of other accounts', async () => {
    const [owner, buyer] = [await orderScene(shared()), await orderScene(shared())];
    const petId = await owner.addPet();
    expect((await buyer.create(petId)).status).toBe(201);
    expect(await owner.petStatus(petId)).toBe('pending');
    expect((await owner.create(petId)).status).toBe(409);
  });

  test.each(['pending', 'sold'])(
    'refuses an animal that is %s, without Retry-After',
    async (status) => {
      const it = await orderScene(shared());
      const reply = await it.create(await it.addPet({ status }));
      expect(reply.headers.has('Retry-After')).toBeFalse();
      expect(await refusalOf(reply)).toEqual({
        status: 409,
        code: 'pet_unavailable',
        message: `The animal is ${status}, and only an available one can be ordered. List those with GET /pets?status=available.`,
      });
    },
  );

  test.each([
    ...['0', '-1', '987654321', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    ...['1e9', '4200000000.0'],
  ])('says of an animal with the id %s that there is none', async (id) => {
    const it = await orderScene(shared());
    expect(await refusalOf(await it.post(`{"petId":${id}}`))).toMatchObject({
      status: 404,
      code: 'pet_not_found',
    });
  });

  test.each([
    ['{}', '"petId" is required'],
    ['{"petId":null}', '"petId" must be an integer'],
    ['{"petId":"1"}', '"petId" must be an integer'],
    ['{"petId":1.5}', '"petId" must be an integer'],
    ['{"petId":[1]}', '"petId" must be an integer'],
    ['{"petId":9223372036854775808}', '"petId" must be an integer'],
    ['[]', ''],
    ['null', ''],
    ['1', ''],
  ])('refuses the body %s', async (body, message) => {
    const it = await orderScene(shared());
    const refusal = await refusalOf(await it.post(body));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(refusal.message).toContain(message);
  });

  test('ignores unknown fields, as createPet does', async () => {
    const it = await orderScene(shared());
    const petId = await it.addPet();
    const reply = await it.post({ petId, status: 'delivered', id: 99, quantity: 3 });
    expect(await reply.json()).toMatchObject({ petId, status: 'placed' });
  });

  test('lets exactly one of 32 accounts win', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    const petId = await it.addPet();
    const buyers = await Promise.all(Array.from({ length: 32 }, () => orderScene(service)));
    const replies = await Promise.all(buyers.map((buyer) => buyer.create(petId)));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(31).fill(409)]);
  });

  test("uses the account's clock in staging", async () => {
    await using service = await TestService.start();
    const { secret } = await service.account(undefined, 'staging');
    await advance(service, secret, 3_600);
    const pet = JSON.stringify({ name: 'Rex', categoryId: 7 });
    const headers = { 'Content-Type': 'application/json' };
    const request = { key: secret, environment: 'staging', method: 'POST', headers } as const;
    await service.request('/pets', { ...request, body: pet });
    const orders = ordersOf(service, secret, 'staging');
    const { id, createdAt } = await (await orders.create(1)).json();
    expect(Date.parse(createdAt) - Date.now()).toBeGreaterThan(3_000_000);
    const { updatedAt } = await (await orders.update(id, 'approved')).json();
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(createdAt));
  });
});

describe('the Idempotency-Key of an order', () => {
  const headers = { 'Idempotency-Key': 'once' };

  test('repeats the first reply with its tag, whatever became of the order', async () => {
    const it = await orderScene(shared());
    const petId = await it.addPet();
    const first = await it.create(petId, headers);
    const body = await first.json();
    await it.update(body.id, 'approved');
    const again = await it.create(petId, headers);
    expect([again.status, await again.json()]).toEqual([201, body]);
    expect(again.headers.get('Idempotent-Replayed')).toBe('true');
    for (const name of ['ETag', 'Location']) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    await it.update(body.id, 'cancelled');
    await shared().change(it.key, 'DELETE', `/pets/${petId}`);
    expect((await it.create(petId, headers)).status).toBe(201);
  });

  test('refuses another animal, and knows neither other accounts nor other operations', async () => {
    const it = await orderScene(shared());
    const [one, two] = [await it.addPet(), await it.addPet()];
    await it.create(one, headers);
    expect(await refusalOf(await it.create(two, headers))).toEqual({
      status: 422,
      code: 'idempotency_mismatch',
      message: 'This Idempotency-Key was used for another order. Use a new key for a new order.',
    });
    const other = await orderScene(shared());
    expect((await other.create(two, headers)).status).toBe(201);
    const pet = { name: 'Max', categoryId: 1 };
    expect((await shared().post(it.key, pet, headers)).status).toBe(201);
  });

  test('may be used again after a refusal', async () => {
    const it = await orderScene(shared());
    const petId = await it.addPet();
    const taken = await it.order('placed', petId);
    expect((await it.create(petId, headers)).status).toBe(409);
    await it.update(taken.id, 'cancelled');
    expect((await it.create(petId, headers)).status).toBe(201);
  });

  test('is ignored by a change', async () => {
    const it = await orderScene(shared());
    const { id } = await it.order();
    expect((await it.update(id, 'approved', headers)).status).toBe(200);
    expect((await it.update(id, 'cancelled', headers)).status).toBe(200);
  });

  test('is refused if it is not printable ASCII', async () => {
    const it = await orderScene(shared());
    const refusal = await refusalOf(await it.create(1, { 'Idempotency-Key': 'two words' }));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });
});
