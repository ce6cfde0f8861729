import { expect, test } from 'bun:test';
import type { LatestOrdersFilter } from '../../../src/core/orders/order-store.ts';
import type { AccountOrder, Order, OrderStatus } from '../../../src/core/orders/orders.ts';
import { at, type OpenBackend, portSuite } from './backend.ts';
import { added, BUYER, brought, OTHER, ordered } from './order-scene.ts';

/** Tests of the lists of orders, for every database. */
export const orderListsSuite = portSuite('lists of orders', listing);

function listing(open: OpenBackend): void {
  test('lists the orders of an account in pages, by status or not', async () => {
    await using backend = await open();
    const orders: Order[] = [];
    for (let index = 0; index < 5; index += 1) {
      orders.push(await ordered(backend));
      await ordered(backend, undefined, OTHER);
    }
    for (const index of [1, 3]) {
      const order = orders[index];
      if (order) await brought(backend, order, 'approved');
    }
    const list = async (limit: number, after: number, status?: OrderStatus) => {
      const page = await backend.orders().list({ accountId: BUYER, limit, after, status });
      return [page.orders.map(({ id }) => id), page.more];
    };
    expect(await list(2, 0)).toEqual([[1, 3], true]);
    expect(await list(2, 3)).toEqual([[5, 7], true]);
    expect(await list(2, 7)).toEqual([[9], false]);
    expect(await list(5, 0)).toEqual([[1, 3, 5, 7, 9], false]);
    expect(await list(1, 0, 'approved')).toEqual([[3], true]);
    expect(await list(1, 3, 'approved')).toEqual([[7], false]);
    expect(await list(5, 0, 'placed')).toEqual([[1, 5, 9], false]);
    expect(await list(5, 0, 'delivered')).toEqual([[], false]);
    expect(await list(5, Number.MAX_SAFE_INTEGER)).toEqual([[], false]);
  });

  test('lists the latest orders, of one account or of all, by status or not', async () => {
    await using backend = await open();
    const orders: AccountOrder[] = [];
    for (const accountId of [BUYER, OTHER, BUYER, BUYER]) {
      orders.push({ accountId, ...(await ordered(backend, undefined, accountId)) });
    }
    const [first] = orders;
    if (first) await brought(backend, first, 'approved');
    const store = backend.orders();
    const latest = async (filter: LatestOrdersFilter) => {
      const page = await store.latest(filter);
      return [page.orders.map(({ id, accountId }) => [id, accountId === BUYER]), page.more];
    };
    expect((await store.latest({ limit: 3 })).orders).toEqual(orders.slice(1).toReversed());
    const own = (id: number) => [id, true];
    expect(await latest({ limit: 3 })).toEqual([[own(4), own(3), [2, false]], true]);
    expect(await latest({ limit: 3, before: 2 })).toEqual([[own(1)], false]);
    expect(await latest({ limit: 2, accountId: BUYER })).toEqual([[own(4), own(3)], true]);
    expect(await latest({ limit: 2, accountId: BUYER, before: 3 })).toEqual([[own(1)], false]);
    const placed = { limit: 2, status: 'placed' } as const;
    expect(await latest(placed)).toEqual([[own(4), own(3)], true]);
    expect(await latest({ ...placed, before: 3 })).toEqual([[[2, false]], false]);
    expect(await latest({ ...placed, accountId: BUYER })).toEqual([[own(4), own(3)], false]);
    expect(await latest({ limit: 2, status: 'approved' })).toEqual([[own(1)], false]);
    const [newest] = orders.toReversed();
    expect(await store.latestFor(BUYER, newest?.petId ?? 0)).toMatchObject({ id: newest?.id });
    expect(await store.latestFor(BUYER, 999)).toBeUndefined();
    expect(await backend.orders('staging').latest({ limit: 2 })).toEqual({
      orders: [],
      more: false,
    });
  });

  test('shows in the activity of an account each new order and each change', async () => {
    await using backend = await open();
    const seen = new Set<string>();
    const expectNews = async (isNew: boolean) => {
      const activity = JSON.stringify(await backend.orders().activity(BUYER));
      expect(seen.has(activity)).toBe(!isNew);
      seen.add(activity);
    };
    await expectNews(true);
    const order = await ordered(backend);
    await expectNews(true);
    await ordered(backend, undefined, OTHER);
    await expectNews(false);
    await brought(backend, order, 'approved');
    await expectNews(true);
    // Further back than the latest orders, but open.
    const { id: petId } = await added(backend);
    for (let index = 0; index < 101; index += 1) {
      await brought(backend, await ordered(backend, petId), 'cancelled');
    }
    await expectNews(true);
    await backend.orders().update({ id: order.id, accountId: BUYER }, 'delivered', at(2));
    await expectNews(true);
  });

  test('lists and finds the orders of all accounts for operators', async () => {
    await using backend = await open();
    const one: AccountOrder = { accountId: BUYER, ...(await ordered(backend)) };
    const two: AccountOrder = { accountId: OTHER, ...(await ordered(backend, undefined, OTHER)) };
    const three: AccountOrder = { accountId: BUYER, ...(await ordered(backend)) };
    const store = backend.orders();
    expect(await store.listAll({ limit: 2, after: 0 })).toEqual({ orders: [one, two], more: true });
    expect(await store.listAll({ limit: 2, after: 2 })).toEqual({ orders: [three], more: false });
    const ofOne = { accountId: BUYER, status: 'placed' } as const;
    expect((await store.listAll({ limit: 5, after: 0, ...ofOne })).orders).toEqual([one, three]);
    expect((await store.listAll({ limit: 5, after: 0, status: 'approved' })).orders).toEqual([]);
    expect(await store.find(two.id)).toEqual(two);
    expect(await store.find(42)).toBeUndefined();
    expect(await backend.orders('staging').find(two.id)).toBeUndefined();
  });
}
