import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { AttemptCounter, AttemptLimiter } from '../../src/core/limits/attempts.ts';
import { HOUR, systemClock } from '../../src/lib/clock.ts';
import { MemoryAttemptLimiter } from '../../src/limits/memory/attempt-limiter.ts';
import { RedisAttemptLimiter } from '../../src/limits/redis/attempt-limiter.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { ServiceProcess } from '../support/process.ts';
import {
  connectTo,
  hasRedis,
  NEVER_SILENT,
  RedisCluster,
  RedisServer,
} from '../support/redis-server.ts';
import { ON_ONE_FOLDER, ON_POSTGRES, type SharedStore } from '../support/shared-store.ts';

async function twoProcesses(store: SharedStore) {
  await using starting = new AsyncDisposableStack();
  const { settings } = starting.use(await store.open());
  // Both processes have the same public address.
  const dashboardUrl = `http://localhost:${await freePort()}`;
  const own = { ...settings, PETSTORE_DASHBOARD_URL: dashboardUrl };
  const one = starting.use(await ServiceProcess.startWithPages(own));
  const two = starting.use(await ServiceProcess.startWithPages(own));
  const visitors = [one, two].map(({ port }) => {
    const via = `http://localhost:${port}`;
    return new Visitor({ dashboardUrl }, 'person@example.com', { via });
  });
  const resources = starting.move();
  return { visitors, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Signs up the first visitor; the others then use the same cookies, like the same browser. */
async function signUpOnce(visitors: readonly Visitor[]): Promise<void> {
  await visitors[0]?.signUp();
  for (const visitor of visitors) visitor.cookie = visitors[0]?.cookie ?? '';
}

const guessWith = async (visitor: Visitor): Promise<number> => {
  const body = { email: visitor.email, password: 'not the password' };
  return (await visitor.post('/api/auth/sign-in/email', body)).status;
};

describe('guessing a password through two processes', () => {
  for (const store of [ON_ONE_FOLDER, ON_POSTGRES]) {
    test.skipIf(!store.isHere)(
      `on ${store.name} is refused after 10 failures, as through one; a successful sign-in is not counted`,
      async () => {
        await using it = await twoProcesses(store);
        await signUpOnce(it.visitors);
        for (let time = 0; time < 6; time += 1) {
          for (const visitor of it.visitors) await visitor.signIn();
        }
        const guesses: Promise<number>[] = [];
        for (let guess = 0; guess < 6; guess += 1) guesses.push(...it.visitors.map(guessWith));
        expect((await Promise.all(guesses)).filter((status) => status === 401)).toHaveLength(10);
        for (const visitor of it.visitors) await expect(visitor.signIn()).rejects.toThrow('429');
      },
    );
  }
});

const counter = (caller: string, perMinute: number, perDay = 1_000): AttemptCounter => ({
  caller,
  limits: { perMinute, perDay },
});

/** Makes this many attempts one after the other; returns the number of counted ones. */
async function counted(
  counts: AttemptLimiter,
  counters: readonly AttemptCounter[],
  times: number,
): Promise<number> {
  let number = 0;
  for (let attempt = 0; attempt < times; attempt += 1) {
    if ((await counts.take(counters, systemClock.now())).outcome === 'admitted') number += 1;
  }
  return number;
}

function behaviour(open: () => AttemptLimiter): void {
  test('count in every counter or in none, and show how long to wait', async () => {
    const counts = open();
    const [narrow, wide] = [counter('narrow', 2), counter('wide', 5)];
    expect(await counted(counts, [wide, narrow], 4)).toBe(2);
    const { resetIn } = await counts.take([wide, narrow], systemClock.now());
    expect(resetIn).toBeWithin(1, 60_001);
    expect(await counted(counts, [wide], 9)).toBe(3);
  });

  test('show the rest of the day once its limit is used up', async () => {
    const counts = open();
    const daily = counter('daily', 9, 3);
    expect(await counted(counts, [daily], 5)).toBe(3);
    const { resetIn } = await counts.take([daily], systemClock.now());
    expect(resetIn).toBeWithin(1, 86_400_001);
  });

  test('count as many as they cost; the last one may cost more than is left', async () => {
    const counts = open();
    const [dear, cheap] = [counter('shared', 25), counter('other', 25)];
    const remaining = async (cost: number) => {
      const counters = [{ ...dear, cost }, cheap];
      const { outcome, minute } = await counts.take(counters, systemClock.now());
      return [outcome, minute.remaining];
    };
    expect(await remaining(20)).toEqual(['admitted', 5]);
    await counts.giveBack([{ ...dear, cost: 20 }]);
    expect(await remaining(20)).toEqual(['admitted', 5]);
    expect(await remaining(20)).toEqual(['admitted', 0]);
    expect(await remaining(1)).toEqual(['limited', 0]);
    expect(await counted(counts, [cheap], 30)).toBe(22);
  });

  test('are given back exactly once', async () => {
    const counts = open();
    const [given, kept] = [counter('given', 2), counter('kept', 2)];
    await counts.giveBack([given]);
    await counts.take([given, kept], systemClock.now());
    await counts.giveBack([given]);
    expect(await counted(counts, [given], 5)).toBe(2);
    expect(await counted(counts, [kept], 5)).toBe(1);
  });

  test('that are given back again, or as more than they counted, leave no room beyond the limits', async () => {
    const counts = open();
    for (const each of [counter('by minute', 2), counter('by day', 1_000, 2)]) {
      await counts.take([each], systemClock.now());
      for (let time = 0; time < 2; time += 1) await counts.giveBack([each]);
      await counts.take([each], systemClock.now());
      await counts.giveBack([{ ...each, cost: 9 }]);
      expect(await counted(counts, [each], 5)).toBe(2);
    }
  });
}

describe('attempts counted in memory', () => {
  behaviour(() => new MemoryAttemptLimiter());

  test('that several counters refuse show the longest wait, in whichever order', () => {
    const counts = new MemoryAttemptLimiter();
    const now = { wall: Date.UTC(2027, 0, 2, 12), elapsed: 1_000_000 };
    const [minute, day] = [counter('minute', 1), counter('day', 9, 1)];
    for (const each of [minute, day]) counts.take([each], now);
    for (const both of [
      [minute, day],
      [day, minute],
    ]) {
      expect(counts.take(both, now)).toMatchObject({ outcome: 'limited', resetIn: 12 * HOUR });
    }
  });

  test('that several counters admit show the fewest that remain, in whichever order', () => {
    const counts = new MemoryAttemptLimiter();
    const [few, many] = [counter('few', 8), counter('many', 99)];
    const left = [few, many].map((first) => {
      const others = [few, many].filter((each) => each !== first);
      return counts.take([first, ...others], systemClock.now()).remaining;
    });
    expect(left).toEqual([7, 6]);
  });

  test('of one kind of caller do not crowd out those of another, however many there are', () => {
    const counts = new MemoryAttemptLimiter();
    const kept = counter('session:1', 1);
    const outcomeOf = (each: AttemptCounter) => counts.take([each], systemClock.now()).outcome;
    expect(outcomeOf(kept)).toBe('admitted');
    for (let host = 0; host < 120_000; host += 1) outcomeOf(counter(`address:${host}`, 1));
    expect(outcomeOf(kept)).toBe('limited');
    expect(outcomeOf(counter('address:0', 1))).toBe('admitted');
  });
});

describe.skipIf(!hasRedis)('attempts counted in Redis', () => {
  let server: RedisServer;
  let link: Awaited<ReturnType<typeof connectTo>>;
  const open = () => new RedisAttemptLimiter(link.connection, new MemoryAttemptLimiter());
  beforeAll(async () => {
    server = await RedisServer.start();
  });
  beforeEach(async () => {
    using client = server.client();
    await client.redis.flushall();
    link = await connectTo(server.url, { silenceTimeout: NEVER_SILENT });
  });
  afterEach(() => link[Symbol.dispose]());
  afterAll(() => server[Symbol.asyncDispose]());

  behaviour(open);

  test('at the same moment through many processes stay within the limit', async () => {
    const [narrow, wide] = [counter('narrow', 10), counter('wide', 1_000)];
    const places = Array.from({ length: 40 }, open);
    const results = await Promise.all(
      places.map((place) => place.take([wide, narrow], systemClock.now())),
    );
    expect(results.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(10);
    expect(await counted(open(), [wide], 1_000)).toBe(990);
  });

  test('store no names, and expire', async () => {
    await open().take([counter('password:ada@example.com', 9)], systemClock.now());
    using client = server.client();
    const keys = await client.redis.keys('*');
    expect(keys).toHaveLength(1);
    expect(keys.join()).not.toContain('ada');
    expect(await client.redis.pttl(keys[0] ?? '')).toBeWithin(1, 3 * 86_400_000);
  });
});

describe.skipIf(!hasRedis)('attempts while Redis is unavailable', () => {
  test('are limited by each process', async () => {
    await using server = await RedisServer.start();
    using link = await connectTo(server.url);
    const counts = new RedisAttemptLimiter(link.connection, new MemoryAttemptLimiter());
    const narrow = counter('narrow', 3);
    await counts.take([narrow], systemClock.now());
    await server.kill();
    expect(await counted(counts, [narrow], 9)).toBe(3);
    await counts.giveBack([narrow]);
    expect(await counted(counts, [narrow], 9)).toBe(1);
  });
});

describe.skipIf(!hasRedis)('attempts counted in a Cluster', () => {
  test('count in counters on different nodes', async () => {
    await using cluster = await RedisCluster.start();
    using link = await connectTo(cluster.url, { silenceTimeout: NEVER_SILENT });
    const counts = new RedisAttemptLimiter(link.connection, new MemoryAttemptLimiter());
    const counters = Array.from({ length: 9 }, (_, index) =>
      counter(`caller ${index}`, 20 - index),
    );
    expect(await counted(counts, counters, 15)).toBe(12);
  });
});
