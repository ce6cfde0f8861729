import { describe, expect, test } from 'bun:test';
import { ROUTES } from '../../src/dashboard/api/api.ts';
import { LIVE_PATH } from '../../src/dashboard/shared/live.ts';
import type { OrderInfo, OrderPageInfo } from '../../src/dashboard/shared/orders.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import {
  createKey,
  customer,
  type DashboardScene,
  dashboardScene,
  keysOf,
  messagesOf,
  operator,
  sendMessage,
  usageOf,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';

/** Every route except the live channel, whose replies do not end; test/dashboard/live.test.ts tests it. */
const ANSWERED = ROUTES.filter(({ path }) => path !== LIVE_PATH);

/** Valid bodies by route, so that the account is the only reason to refuse a request. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /keys': { name: 'ours', environment: 'production' },
  'PUT /keys/{id}': { name: 'ours' },
  'POST /keys/{id}/rotate': { overlap: '0' },
  'PUT /operator/accounts/{id}/plan': { plan: 'business' },
  'POST /operator/accounts/{id}/suspend': { reason: 'Spam' },
  'POST /operator/accounts/{id}/resume': {},
  'POST /operator/accounts/{id}/end-sessions': {},
  'POST /operator/accounts/{id}/reset-link': {},
  'POST /operator/accounts/{id}/delete': { email: 'visitor@example.com' },
  'POST /operator/keys/{id}/revoke': {},
  'POST /operator/bans/{id}/lift': {},
  'POST /production/orders': { petId: 1 },
  'POST /staging/orders': { petId: 1 },
  'PUT /production/orders/{id}': { status: 'cancelled' },
  'PUT /staging/orders/{id}': { status: 'cancelled' },
  'POST /operator/production/orders/{id}/cancel': {},
  'POST /operator/staging/orders/{id}/cancel': {},
  'POST /production/pets': { name: 'ours', categoryId: '1' },
  'POST /staging/pets': { name: 'ours', categoryId: '1' },
  'POST /staging/pets/samples': {},
  'PUT /production/pets/{id}': { name: 'ours' },
  'PUT /staging/pets/{id}': { name: 'ours' },
  'POST /temporary-keys': {},
  'POST /sandbox/clock': { advanceSeconds: 60 },
  'POST /sandbox/reset': {},
  'PUT /sandbox/usage': { minuteRemaining: 1 },
  'PUT /sandbox/bans/{id}': { seconds: 30 },
};

/** A visitor with a banned key, another key, a message, an order, and usage. */
async function victim(it: DashboardScene) {
  const visitor = await customer(it.service, ONE);
  const { key, text } = await createKey(visitor, { name: 'victims-key' });
  const staging = await createKey(visitor, { name: 'victims-other', environment: 'staging' });
  const message = await sendMessage(it.service, staging.text, 'victims-message');
  await provokeBan({ ...it, secret: text }, 1);
  await it.service.runJobs();
  expect(isSettled(await everythingOf(visitor))).toBe(true);
  const order = await orderOf(it, visitor);
  const [ban] = await it.service.stores.bans.active(it.clock.now().wall);
  if (!ban) throw new Error('There is no ban.');
  const ids = [key.id, staging.key.id, visitor.accountId, message, ban.id];
  return { visitor, ids, order, marks: [...ids, visitor.email, 'victims-', text, staging.text] };
}

/** An order of the visitor for a new animal; returns its id. */
async function orderOf({ service, clock }: DashboardScene, visitor: Visitor): Promise<string> {
  const { pets } = service.stores.environment('production');
  await pets.create({ name: 'Rex', categoryId: 1, status: 'available' }, clock.now());
  const order = { petId: 1 };
  return String((await visitor.json<OrderInfo>('POST', '/api/production/orders', order)).id);
}

/** Whether all data of the victim is saved, so that nothing changes any more. */
function isSettled({ keys, messages, days, events }: Everything): boolean {
  const sum = (outcome: 'succeeded' | 'limited') =>
    days.reduce((total, day) => total + day[outcome], 0);
  return (
    keys.every(({ lastUsedAt }) => lastUsedAt !== null) &&
    messages.every(({ status }) => status === 'delivered') &&
    events.length === 2 &&
    sum('succeeded') === 2 &&
    sum('limited') === 2
  );
}

type Everything = Awaited<ReturnType<typeof everythingOf>>;

async function everythingOf(visitor: Visitor) {
  const { events, days } = await usageOf(visitor);
  const messages = await messagesOf(visitor);
  const { orders } = await visitor.json<OrderPageInfo>('GET', '/api/production/orders');
  const account = await accountOf(visitor);
  return { keys: await keysOf(visitor), account, messages, orders, events, days };
}

async function accountOf(visitor: Visitor): Promise<unknown> {
  const { account } = await visitor.json<{ account: unknown }>('GET', '/api/session');
  return account;
}

/** Status and text of the reply to a request. */
async function call(visitor: Visitor, { method, path }: Place, id: string) {
  const body = BODIES[`${method} ${path}`];
  const place = `/api${path.replace('{id}', id)}`;
  const reply = await visitor.request(method, place, body);
  return { status: reply.status, text: await reply.text() };
}

type Place = Pick<(typeof ROUTES)[number], 'method' | 'path'>;

describe("another account's data", () => {
  test.each([
    ['a customer', customer, ANSWERED],
    // Operators see other accounts, but not through the routes for their own account.
    ['an operator', operator, ANSWERED.filter(({ access }) => access !== 'operator')],
  ] as const)('is in no reply to %s, and stays unchanged', async (_, join, routes) => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const { visitor, ids, order, marks } = await victim(it);
    const before = await everythingOf(visitor);
    // The owner's replies contain all marks except for the ban's id.
    const known = JSON.stringify(before);
    const hidden = ids.slice(-1);
    const shown = [...ids, visitor.email, 'victims-'].filter((mark) => !hidden.includes(mark));
    expect(shown.filter((mark) => !known.includes(mark))).toEqual([]);
    const stranger = await join(it.service);
    const mine = await createKey(stranger);
    await sendMessage(it.service, mine.text, 'ours');

    for (const [index, route] of routes.entries()) {
      // A session may send 300 requests a minute.
      if (index % 25 === 24) await stranger.signIn();
      const none = await call(stranger, route, 'key_none');
      // Every account may look at every animal.
      const asked = route.path.includes('/pets/') ? ids : [...ids, order];
      for (const id of asked) {
        const { status, text } = await call(stranger, route, id);
        const seen = marks.filter((mark) => text.includes(mark));
        expect({ ...place(route), status, seen }).toEqual({
          ...place(route),
          status: none.status,
          seen: [],
        });
        // The reply equals the one for an unknown id, so that it does not reveal that the id exists.
        if (route.path.includes('{id}')) expect(text).toBe(none.text);
      }
    }
    expect(await everythingOf(visitor)).toEqual(before);
    expect((await usageOf(stranger)).events).toEqual([]);
  });

  test('is requested with a body at every route that reads one', () => {
    const changes = ROUTES.filter(({ method }) => method === 'POST' || method === 'PUT');
    expect(changes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(BODIES).sort(),
    );
  });

  test('is not deleted by a list of ids in one, or by an id in another case', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key } = await createKey(visitor);
    const stranger = await customer(it.service);
    for (const id of [`${key.id},${key.id}`, key.id.toUpperCase(), `%6bey${key.id.slice(3)}`]) {
      expect((await stranger.delete(`/api/keys/${id}`)).status).toBe(404);
    }
    expect((await keysOf(visitor))[0]?.state).toBe('active');
  });
});

function place({ method, path }: Place): Place {
  return { method, path };
}
