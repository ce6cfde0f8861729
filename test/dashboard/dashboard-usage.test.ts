import { describe, expect, test } from 'bun:test';
import type { Environment } from '../../src/core/environments.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { hourOf, NO_USAGE } from '../../src/core/requests/usage.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import {
  type Charts,
  createKey,
  customer,
  dashboardScene,
  usageOf,
} from '../support/dashboard-scene.ts';
import { ManualClock } from '../support/harness.ts';
import { usageRecord } from '../support/usage-records.ts';

const NOON = Date.UTC(2027, 0, 2, 12);
const MIDNIGHT = Date.UTC(2027, 0, 2);

/** The number of requests of every outcome in the days of the charts. */
function countedIn({ days }: Charts): number {
  return days.reduce((sum, day) => {
    return sum + day.succeeded + day.clientErrors + day.limited + day.serverErrors;
  }, 0);
}

describe('the windows', () => {
  test('show what remains of each, in each environment, and when it resets', async () => {
    await using it = await dashboardScene();
    const limits = { perMinute: 5, perDay: 100 };
    const visitor = await customer(it.service, subscribe('enterprise', limits));
    const { text } = await createKey(visitor);
    for (let sent = 0; sent < 3; sent += 1) await it.service.request('/pets', { key: text });
    it.clock.advance(20 * SECOND);
    const { now, windows } = await usageOf(visitor);
    expect(now).toBe(NOON + 20 * SECOND);
    expect(windows.production).toEqual({
      minute: { limit: 5, remaining: 2, resetAt: NOON + MINUTE },
      day: { limit: 100, remaining: 97, resetAt: MIDNIGHT + DAY },
    });
    expect(windows.staging).toMatchObject({ minute: { remaining: 5 }, day: { remaining: 100 } });
    it.clock.advance(40 * SECOND);
    expect((await usageOf(visitor)).windows.production).toMatchObject({
      minute: { remaining: 5 },
      day: { remaining: 97 },
    });
  });

  test('are not used up by reading them', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service, ONE);
    const { text } = await createKey(visitor);
    for (let looked = 0; looked < 3; looked += 1) await usageOf(visitor);
    expect((await it.service.request('/pets', { key: text })).status).toBe(200);
  });
});

describe('the charts', () => {
  test('of an account without requests hold 24 empty hours and 30 empty UTC days', async () => {
    await using it = await dashboardScene({}, new ManualClock(NOON + 59 * MINUTE));
    const { hours, days, events } = await usageOf(await customer(it.service));
    expect(hours).toEqual(
      Array.from({ length: 24 }, (_, index) => ({ from: NOON + (index - 23) * HOUR, ...NO_USAGE })),
    );
    expect(days).toEqual(
      Array.from({ length: 30 }, (_, index) => {
        return { from: MIDNIGHT + (index - 29) * DAY, ...NO_USAGE };
      }),
    );
    expect(events).toEqual([]);
  });

  test('count the outcomes of requests, in both environments, by hour and by day', async () => {
    await using it = await dashboardScene();
    const limits = { perMinute: 4, perDay: 100 };
    const visitor = await customer(it.service, subscribe('enterprise', limits));
    const live = await createKey(visitor);
    const staging = await createKey(visitor, { environment: 'staging' });
    const send = async (key: string, path: string, environment: Environment = 'production') =>
      (await it.service.request(path, { key, environment })).status;
    const statuses = [
      await send(live.text, '/pets'),
      await send(live.text, '/pets'),
      await send(live.text, '/pets/77'),
      await send(live.text, '/pets?limit=0'),
      await send(live.text, '/pets'),
      await send(staging.text, '/pets', 'staging'),
    ];
    expect(statuses).toEqual([200, 200, 404, 400, 429, 200]);
    it.clock.advance(23 * HOUR);
    expect(await send(live.text, '/pets')).toBe(200);

    await it.service.runJobs();
    expect(countedIn(await usageOf(visitor))).toBe(statuses.length + 1);
    const { hours, days, events } = await usageOf(visitor);
    const first = { succeeded: 3, clientErrors: 2, limited: 1, serverErrors: 0 };
    expect(hours[0]).toEqual({ from: NOON, ...first });
    expect(hours[23]).toEqual({ from: NOON + 23 * HOUR, ...NO_USAGE, succeeded: 1 });
    expect(hours.slice(1, -1).map(({ succeeded }) => succeeded)).toEqual(Array(22).fill(0));
    expect(days.slice(-2)).toEqual([
      { from: MIDNIGHT, ...first },
      { from: MIDNIGHT + DAY, ...NO_USAGE, succeeded: 1 },
    ]);
    expect(events).toEqual([{ kind: 'refused', at: NOON, environment: 'production', count: 1 }]);
    it.clock.advance(HOUR);
    expect((await usageOf(visitor)).hours.every(({ limited }) => limited === 0)).toBe(true);
  });

  test('begin with the first hour of the first day, and omit earlier ones', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { accountId } = visitor;
    const first = hourOf(MIDNIGHT - 29 * DAY);
    const record = { accountId, environment: 'staging' } as const;
    await it.service.stores.usage.add([
      usageRecord({ ...record, hour: first - 1, succeeded: 1, limited: 1 }),
      usageRecord({ ...record, hour: first, succeeded: 2, limited: 2 }),
      usageRecord({ ...record, hour: first + 23, serverErrors: 3 }),
    ]);
    const { days, events } = await usageOf(visitor);
    expect(days[0]).toMatchObject({ succeeded: 2, limited: 2, serverErrors: 3 });
    expect(days.slice(1).every(({ succeeded }) => succeeded === 0)).toBe(true);
    expect(events).toMatchObject([{ at: first * HOUR, environment: 'staging', count: 2 }]);
  });
});

describe('the events', () => {
  test('include a ban: of which key, until when, why, and that it was lifted', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const { bans } = it.service.stores;
    const visitor = await customer(it.service, ONE);
    const { key, text } = await createKey(visitor, { name: 'mine' });
    await provokeBan({ ...it, secret: text }, 1);
    const at = it.clock.now().wall;
    await it.service.runJobs();
    const [banned, refused, ...more] = (await usageOf(visitor)).events;
    expect(more).toEqual([]);
    expect(banned).toEqual({
      kind: 'banned',
      at,
      environment: 'production',
      keyId: key.id,
      keyName: 'mine',
      lastFour: key.lastFour,
      until: at + 300 * SECOND,
      reason: 'Sent 1 more request after a 429, in the same window.',
      liftedAt: null,
    });
    expect(refused).toEqual({ kind: 'refused', at: NOON, environment: 'production', count: 2 });

    it.clock.advance(MINUTE);
    const [ban] = await bans.active(it.clock.now().wall);
    await bans.lift(ban?.id ?? '', 'test', it.clock.now().wall);
    expect((await usageOf(visitor)).events[0]).toMatchObject({ liftedAt: at + MINUTE });
  });

  test('are the 50 newest, the newest first', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { accountId } = visitor;
    const hours = Array.from({ length: 60 }, (_, index) => hourOf(NOON) - index);
    const records = hours.map((hour) => usageRecord({ accountId, hour, limited: 1 }));
    await it.service.stores.usage.add(records);
    const { events } = await usageOf(visitor);
    expect(events.map(({ at }) => at)).toEqual(hours.slice(0, 50).map((hour) => hour * HOUR));
  });
});
