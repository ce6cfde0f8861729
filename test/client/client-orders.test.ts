import { describe, expect, test } from 'bun:test';
import { InvalidReplyError, type Order } from '../../client/src/index.ts';
import { crash, failure, reply, ScriptedService } from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const createdAt = '2026-11-20T12:00:00.000Z';
const placed: Order = { id: 1, petId: 7, status: 'placed', createdAt, updatedAt: createdAt };
const sent: Order = { ...placed, id: 2, petId: 8, status: 'delivered' };

/** A page that links to the next one. */
function page(orders: readonly Order[], nextQuery: string) {
  const link = `<https://pets.example/v1/store/orders?${nextQuery}>; rel="next"`;
  return reply(200, orders, { Link: link });
}

describe('createOrder', () => {
  test('sends the id of the animal with a key, and returns the order', async () => {
    using service = new ScriptedService(reply(201, placed));
    const { client } = connect(service);

    expect(await client.createOrder({ petId: 7 })).toEqual(placed);

    expect(service.received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/store/orders',
      body: '{"petId":7}',
    });
    expect(service.received[0]?.headers.get('Content-Type')).toBe('application/json');
    expect(service.received[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f]{32}$/);
  });

  test('keeps every digit of ids, and refuses numbers that may have been rounded', async () => {
    const body = `{"id":9007199254740993,"petId":9007199254740995,"status":"placed",
      "createdAt":"${createdAt}","updatedAt":"${createdAt}"}`;
    using service = new ScriptedService(reply(201, body));
    const { client } = connect(service);

    const order = await client.createOrder({ petId: 9_007_199_254_740_995n });

    expect(order).toMatchObject({ id: 9_007_199_254_740_993n, petId: 9_007_199_254_740_995n });
    expect(service.received[0]?.body).toBe('{"petId":9007199254740995}');
    expect(await rejection(client.createOrder({ petId: 2 ** 53 }))).toBeInstanceOf(RangeError);
    expect(await rejection(client.createOrder({ petId: 1.5 }))).toBeInstanceOf(TypeError);
    expect(service.received).toHaveLength(1);
  });

  test('is repeated with the same key, own or given, until it is answered', async () => {
    const faults = [
      crash,
      failure(503, 'unavailable'),
      failure(409, 'idempotency_conflict', { 'Retry-After': '1' }),
    ];
    using service = new ScriptedService(...faults, reply(201, placed));
    const { client } = connect(service);

    await client.createOrder({ petId: 7 }, { idempotencyKey: 'basket-42' });

    const keys = service.received.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).toEqual(['basket-42', 'basket-42', 'basket-42', 'basket-42']);
  });

  test.each([
    [409, 'pet_unavailable'],
    [404, 'pet_not_found'],
    [422, 'idempotency_mismatch'],
  ])(
    'is not repeated after %d %s, neither at first nor after a lost reply',
    async (status, code) => {
      for (const faults of [[], [crash]]) {
        using service = new ScriptedService(...faults, failure(status, code), reply(201, placed));

        const error = await rejection(connect(service).client.createOrder({ petId: 7 }));

        expect(error).toMatchObject({ status, code, isRetry: faults.length > 0 });
        expect(service.received).toHaveLength(faults.length + 1);
      }
    },
  );
});

describe('reading orders', () => {
  test('getOrder fetches one by its id', async () => {
    using service = new ScriptedService(reply(200, placed), failure(404, 'order_not_found'));
    const { client } = connect(service);

    expect(await client.getOrder(1)).toEqual(placed);
    expect(await rejection(client.getOrder(2n))).toMatchObject({ code: 'order_not_found' });
    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/store/orders/1',
      '/v1/store/orders/2',
    ]);
  });

  test('listOrders sends exactly the given query, and tells that of the next page', async () => {
    using service = new ScriptedService(
      page([placed], 'limit=1&status=placed&after=1'),
      reply(200, []),
    );
    const { client } = connect(service);

    const first = await client.listOrders({ limit: 1, status: 'placed' });
    expect(first).toEqual({
      orders: [placed],
      next: { limit: 1, status: 'placed', after: 1 },
    });
    expect(await client.listOrders()).toEqual({ orders: [], next: undefined });
    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/store/orders?limit=1&status=placed',
      '/v1/store/orders',
    ]);
  });

  test('the next page of orders has no status of animals', async () => {
    using service = new ScriptedService(page([placed], 'status=sold&after=1'));

    const { next } = await connect(service).client.listOrders();

    expect(next).toEqual({ after: 1 });
  });

  test('listAllOrders follows the links through every page, of 100 unless the caller says', async () => {
    using service = new ScriptedService(page([placed], 'limit=100&after=1'), reply(200, [sent]));
    using small = new ScriptedService(page([placed], 'limit=1&after=1'), reply(200, [sent]));

    expect(await Array.fromAsync(connect(service).client.listAllOrders())).toEqual([placed, sent]);
    for await (const _ of connect(small).client.listAllOrders({ limit: 1, status: 'placed' }))
      break;

    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/store/orders?limit=100',
      '/v1/store/orders?limit=100&after=1',
    ]);
    expect(small.received.map(({ path }) => path)).toEqual([
      '/v1/store/orders?limit=1&status=placed',
    ]);
  });

  test.each([
    ['no list', '{"orders":[]}'],
    ['a list of animals', '[{"id":1,"name":"Rex","categoryId":7,"status":"sold"}]'],
    ['an order of no known status', JSON.stringify([{ ...placed, status: 'lost' }])],
    ['an order without a time', JSON.stringify([{ ...placed, updatedAt: undefined }])],
    ['an order without an animal', JSON.stringify([{ ...placed, petId: '7' }])],
  ])('a successful reply that is %s is an InvalidReplyError', async (_, body) => {
    using service = new ScriptedService(reply(200, body));

    expect(await rejection(connect(service).client.listOrders())).toBeInstanceOf(InvalidReplyError);
    expect(service.received).toHaveLength(1);
  });

  test('a field that a later version adds to an order is kept', async () => {
    using service = new ScriptedService(reply(200, { ...placed, note: 'ring twice' }));

    expect(await connect(service).client.getOrder(1)).toHaveProperty('note', 'ring twice');
  });
});

test('updateOrder sends the status, as a merge patch', async () => {
  using service = new ScriptedService(reply(200, { ...placed, status: 'approved' }));

  const order = await connect(service).client.updateOrder(1, { status: 'approved' });

  expect(order.status).toBe('approved');
  expect(service.received[0]).toMatchObject({
    method: 'PATCH',
    path: '/v1/store/orders/1',
    body: '{"status":"approved"}',
  });
  expect(service.received[0]?.headers.get('Content-Type')).toBe('application/merge-patch+json');
});
