import { describe, expect, test } from 'bun:test';
import { MINUTE, SECOND, systemClock } from '../../../src/lib/clock.ts';
import { apiKey } from '../../storage/ports/backend.ts';
import { atMost } from '../../support/at-most.ts';
import { CuttableLink } from '../../support/cuttable-link.ts';
import { eventually } from '../../support/harness.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';
import { askAtOnce, caller, newCounter } from './redis-counter.ts';

const LIMITS = { perMinute: 100, perDay: 1_000_000 };

/** A Redis that can be made unavailable and available again. */
interface Loss extends AsyncDisposable {
  readonly server: RedisServer;
  readonly url: string;
  lose(): Promise<void> | void;
  bringBack(): Promise<void> | void;
}

async function losing(way: string): Promise<Loss> {
  const server = await RedisServer.start();
  const { url } = server;
  const dispose = () => server[Symbol.asyncDispose]();
  if (way === 'killed') {
    const bringBack = () => server.restart();
    return { server, url, lose: () => server.kill(), bringBack, [Symbol.asyncDispose]: dispose };
  }
  if (way === 'stopped') {
    const [lose, bringBack] = [() => server.pause(), () => server.resume()];
    return { server, url, lose, bringBack, [Symbol.asyncDispose]: dispose };
  }
  const link = await CuttableLink.to(server.port);
  return {
    server,
    url: `redis://127.0.0.1:${link.port}`,
    lose: () => link.cut(),
    bringBack: () => link.mend(),
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]();
      await dispose();
    },
  };
}

describe.skipIf(!hasRedis).each(['killed', 'stopped', 'cut off'])('a Redis that is %s', (way) => {
  test('causes no error under load', async () => {
    await using redis = await losing(way);
    using counter = await newCounter(redis.url);
    const ample = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };
    let sent = 0;
    const until = async (done: () => boolean) => {
      while (!done()) {
        const asked = await askAtOnce([counter], caller('busy', ample), 50);
        expect(asked.admitted).toBe(50);
        sent += 1;
        // Local decisions are immediate, so the loop would block everything else.
        await Bun.sleep(1);
      }
    };
    await until(() => sent >= 20);
    await redis.lose();
    await until(() => counter.reported.includes('unavailable'));
    const lost = sent;
    await until(() => sent >= lost + 50);
    await redis.bringBack();
    await until(() => counter.availability() === 'available');
  });

  test('admits at most twice the limit, however many requests come', async () => {
    await using redis = await losing(way);
    const patient = { silenceTimeout: SECOND };
    using one = await newCounter(redis.url, patient);
    using two = await newCounter(redis.url, patient);
    using three = await newCounter(redis.url, patient);
    const counters = [one, two, three];
    for (let round = 0; round < 2; round += 1) {
      for (const { limiter } of counters) await limiter.sendHeartbeat(systemClock.now());
    }
    const asking = caller('greedy', atMost(100));
    let admitted = (await askAtOnce(counters, asking, 300)).admitted;
    expect(admitted).toBe(100);
    for (let loss = 0; loss < 2; loss += 1) {
      await redis.lose();
      admitted += (await askAtOnce(counters, asking, 900)).admitted;
      await redis.bringBack();
      await eventually(() =>
        counters.every(({ availability }) => availability() !== 'unavailable'),
      );
      await Promise.all(counters.map(({ limiter }) => limiter.flushLocalCounts()));
    }
    admitted += way === 'killed' ? 0 : (await askAtOnce(counters, asking, 300)).admitted;
    expect(admitted).toBeLessThanOrEqual(200);
  });

  test('receives what was admitted locally once it is available again', async () => {
    await using redis = await losing(way);
    using counter = await newCounter(redis.url);
    const asking = caller('patient', LIMITS);
    await redis.lose();
    // This request may have reached Redis: in case of doubt, a request is counted twice.
    await askAtOnce([counter], asking, 1);
    expect((await askAtOnce([counter], asking, 39)).admitted).toBe(39);
    await redis.bringBack();
    await eventually(() => counter.availability() === 'available');
    await counter.limiter.flushLocalCounts();
    const { minute } = await counter.limiter.peek(asking, systemClock.now());
    expect([59, 60]).toContain(minute.remaining);
    expect(minute.resetIn).toBeLessThanOrEqual(MINUTE);
    await counter.limiter.flushLocalCounts();
    const { admitted } = await askAtOnce([counter], asking, 100);
    expect(admitted).toBe(minute.remaining);
  });

  test('leaves bans in force', async () => {
    await using redis = await losing(way);
    using counter = await newCounter(redis.url, {
      policy: { after: 1, base: MINUTE, maximum: MINUTE },
    });
    const key = apiKey('acct_1');
    const asking = { id: 'account:acct_1', limits: { perMinute: 1, perDay: 100 }, key };
    const take = async () => (await counter.limiter.take(asking, systemClock.now())).outcome;
    expect([await take(), await take()]).toEqual(['admitted', 'limited']);
    // Redis measures the grace of 2 s with its own clock.
    await eventually(async () => (await take()) === 'banned');
    await redis.lose();
    expect(await take()).toBe('banned');
    expect(counter.bans).toHaveLength(1);
  });
});

describe.skipIf(!hasRedis)('a Redis that was never there', () => {
  test('is reported, applies limits locally, and is used once it is available', async () => {
    await using server = await RedisServer.start();
    await server.kill();
    using counter = await newCounter(server.url);
    expect((await askAtOnce([counter], caller('early', LIMITS), 150)).admitted).toBe(100);
    expect(counter.reported).toContain('unavailable');
    await server.restart();
    await eventually(() => counter.availability() === 'available');
    using late = await newCounter(server.url);
    await counter.limiter.flushLocalCounts();
    const { minute, day } = await late.limiter.peek(caller('early', LIMITS), systemClock.now());
    expect([minute.remaining, day.remaining]).toEqual([0, LIMITS.perDay - 100]);
  });
});
