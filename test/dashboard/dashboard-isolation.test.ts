import { describe, expect, test } from 'bun:test';
import { ROUTES } from '../../src/dashboard/api/api.ts';
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

/** Bodies that are taken, by route: what is refused is refused for whose it is. */
const BODIES: Readonly<Record<string, unknown>> = {
  'POST /keys': { name: 'ours', environment: 'production' },
  'POST /keys/{id}/rotate': { overlap: '0' },
  'PUT /operator/accounts/{id}/plan': { plan: 'business' },
  'POST /operator/bans/{id}/lift': {},
};

/** Somebody with a key that is banned, another, a message, and usage. */
async function victim(it: DashboardScene) {
  const visitor = await customer(it.service, ONE);
  const { key, text } = await createKey(visitor, { name: 'victims-key' });
  const staging = await createKey(visitor, { name: 'victims-other', environment: 'staging' });
  const message = await sendMessage(it.service, staging.text, 'victims-message');
  await provokeBan({ ...it, secret: text }, 1);
  await it.service.runJobs();
  expect(isSettled(await everythingOf(visitor))).toBe(true);
  const [ban] = await it.service.stores.bans.active(it.clock.now().wall);
  if (!ban) throw new Error('There is no ban.');
  const ids = [key.id, staging.key.id, visitor.accountId, message, ban.id];
  return { visitor, ids, marks: [...ids, visitor.email, 'victims-', text, staging.text] };
}

/** Whether all that a victim did is saved: nothing changes by itself any more. */
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
  return { keys: await keysOf(visitor), account: await accountOf(visitor), messages, events, days };
}

async function accountOf(visitor: Visitor): Promise<unknown> {
  const { account } = await visitor.json<{ account: unknown }>('GET', '/api/session');
  return account;
}

/** Status and text of a call's reply. */
async function call(visitor: Visitor, { method, path }: Place, id: string) {
  const body = BODIES[`${method} ${path}`];
  const place = `/api${path.replace('{id}', id)}`;
  const reply = await visitor.request(method, place, body);
  return { status: reply.status, text: await reply.text() };
}

type Place = Pick<(typeof ROUTES)[number], 'method' | 'path'>;

describe("another account's things", () => {
  test.each([
    ['a customer', customer, ROUTES],
    // Who looks after accounts sees them, but not by the routes that are for one's own.
    ['an operator', operator, ROUTES.filter(({ access }) => access !== 'operator')],
  ] as const)(
    'are nowhere in what %s is answered, and stay as they are',
    async (_, join, routes) => {
      await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
      const { visitor, ids, marks } = await victim(it);
      const before = await everythingOf(visitor);
      // What is looked for is what its owner is told; the ban's id is for operators.
      const told = JSON.stringify(before);
      const hidden = ids.slice(-1);
      const shown = [...ids, visitor.email, 'victims-'].filter((mark) => !hidden.includes(mark));
      expect(shown.filter((mark) => !told.includes(mark))).toEqual([]);
      const stranger = await join(it.service);
      const mine = await createKey(stranger);
      await sendMessage(it.service, mine.text, 'ours');

      for (const route of routes) {
        const none = await call(stranger, route, 'key_none');
        for (const id of ids) {
          const { status, text } = await call(stranger, route, id);
          const seen = marks.filter((mark) => text.includes(mark));
          expect({ ...place(route), status, seen }).toEqual({
            ...place(route),
            status: none.status,
            seen: [],
          });
          // As an id that nobody has: not even that it exists can be told.
          if (route.path.includes('{id}')) expect(text).toBe(none.text);
        }
      }
      expect(await everythingOf(visitor)).toEqual(before);
      expect((await usageOf(stranger)).events).toEqual([]);
    },
  );

  test('are asked for with a body at every route that reads one', () => {
    const changes = ROUTES.filter(({ method }) => method === 'POST' || method === 'PUT');
    expect(changes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
      Object.keys(BODIES).sort(),
    );
  });

  test('are not deleted by a list of ids in one, or by an id in another case', async () => {
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
