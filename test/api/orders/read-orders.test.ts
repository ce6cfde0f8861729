import { describe, expect, test } from 'bun:test';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { sharedService } from '../../support/shared-service.ts';
import { orderScene } from './order-scene.ts';

const shared = sharedService();

describe('getOrder', () => {
  test('returns an order with a strong tag, which revalidates it', async () => {
    const it = await orderScene(shared());
    const { id, tag, body } = await it.order();
    const reply = await it.get(id);
    expect([reply.status, await reply.json(), reply.headers.get('ETag')]).toEqual([200, body, tag]);
    expect(reply.headers.get('Cache-Control')).toBe('private, no-cache');
    expect((await it.get(id, { 'If-None-Match': tag })).status).toBe(304);
    expect((await it.get(id, { 'If-Match': '"other"' })).status).toBe(200);
    const head = await shared().request(`/store/orders/${id}`, { key: it.key, method: 'HEAD' });
    expect([head.status, head.headers.get('ETag')]).toEqual([200, tag]);
    await it.update(id, 'approved');
    expect((await it.get(id, { 'If-None-Match': tag })).status).toBe(200);
  });

  test('knows no order of another account', async () => {
    const [it, other] = [await orderScene(shared()), await orderScene(shared())];
    const { id } = await it.order();
    expect(await refusalOf(await other.get(id))).toEqual({
      status: 404,
      code: 'order_not_found',
      message: `Your account has no order with the id ${id}. List your orders to see their ids.`,
    });
  });

  test.each([
    ...['0', '-1', '42000000', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
    ...['9223372036854775808', 'first', '1.0', '01', '+1', '%20', '1e3', 'null'],
  ])('knows no order with the id %s, nor changes one', async (id) => {
    const it = await orderScene(shared());
    for (const reply of [await it.get(id), await it.update(id, 'approved')]) {
      expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'order_not_found' });
    }
  });
});

describe('listOrders', () => {
  test('lists the orders of the account alone, in ascending id, with Link while more follow', async () => {
    await using service = await TestService.start();
    const [it, other] = [await orderScene(service), await orderScene(service)];
    const placed: unknown[] = [];
    for (let count = 0; count < 5; count += 1) {
      placed.push((await it.order()).body);
      await other.order();
    }
    const pages: unknown[][] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined; ) {
      const reply: Response = await it.list(query);
      expect(reply.headers.get('ETag')).toStartWith('W/');
      pages.push(await reply.json());
      const next = /^<([^>]*\/v1\/store\/orders(\?[^>]*))>; rel="next"$/;
      query = next.exec(reply.headers.get('Link') ?? '')?.[2];
    }
    expect(pages).toEqual([placed.slice(0, 2), placed.slice(2, 4), placed.slice(4)]);
    expect(await (await it.list('?limit=5')).json()).toEqual(placed);
    expect((await it.list('?limit=5')).headers.has('Link')).toBeFalse();
  });

  test('is empty for an account without orders', async () => {
    const it = await orderScene(shared());
    const reply = await it.list();
    expect([reply.status, await reply.json()]).toEqual([200, []]);
  });

  test('filters by status, also on further pages', async () => {
    const it = await orderScene(shared());
    const ids: Record<string, number[]> = {
      placed: [],
      approved: [],
      delivered: [],
      cancelled: [],
    };
    for (const status of Object.keys(ids)) {
      for (let count = 0; count < 3; count += 1) ids[status]?.push((await it.order(status)).id);
    }
    for (const [status, expected] of Object.entries(ids)) {
      const first = await it.list(`?status=${status}&limit=2`);
      const link = first.headers.get('Link') ?? '';
      expect(link).toContain(`?limit=2&status=${status}&after=${expected[1]}>`);
      const found = [
        ...(await first.json()),
        ...(await (await it.list(`?status=${status}&after=${expected[1]}`)).json()),
      ];
      expect(found.map(({ id }: { id: number }) => id)).toEqual(expected);
    }
  });

  test.each([
    ...['limit=0', 'limit=101', 'limit=1.5', 'limit=', 'limit=1&limit=2', 'status=', 'status=open'],
    ...['status=PLACED', 'status=placed&status=placed', 'after=-1', 'after=x', 'after='],
  ])('refuses ?%s, and names the parameter', async (query) => {
    const it = await orderScene(shared());
    const refusal = await refusalOf(await it.list(`?${query}`));
    expect(refusal).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(refusal.message).toContain(`"${query.split('=')[0]}"`);
  });

  test('has the default size of a page', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    const petId = await it.addPet();
    for (let count = 0; count < 21; count += 1) await it.order('cancelled', petId);
    expect(await (await it.list()).json()).toHaveLength(20);
  });
});
