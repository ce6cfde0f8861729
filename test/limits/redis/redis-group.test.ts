import { describe, expect, test } from 'bun:test';
import { MINUTE, SECOND, systemClock } from '../../../src/lib/clock.ts';
import { ProcessGroup } from '../../../src/limits/redis/process-group.ts';
import { eventually } from '../../support/harness.ts';
import { hasRedis, NEVER_SILENT, RedisServer } from '../../support/redis-server.ts';
import { askAtOnce, caller, newCounter } from './redis-counter.ts';

const LIMITS = { perMinute: 100, perDay: 1_000_000 };

describe.skipIf(!hasRedis)('processes', () => {
  test('that know each other by their heartbeats share the limits while Redis is unavailable', async () => {
    await using server = await RedisServer.start();
    using one = await newCounter(server.url, { silenceTimeout: NEVER_SILENT });
    using other = await newCounter(server.url, { silenceTimeout: NEVER_SILENT });
    const heartbeats = async (...counters: (typeof one)[]) => {
      for (const { limiter } of counters) await limiter.sendHeartbeat(systemClock.now());
    };
    await heartbeats(one, other, one, other);
    await server.kill();
    const admitted = async (counter: typeof one, id: string) =>
      (await askAtOnce([counter], caller(id, LIMITS), 150)).admitted;
    expect([await admitted(one, 'a'), await admitted(other, 'a')]).toEqual([50, 50]);
    await server.restart();
    await eventually(() => [one, other].every((each) => each.availability() === 'available'));
    await heartbeats(one, other);
    await other.limiter.leaveGroup(systemClock.now());
    await heartbeats(one);
    await server.kill();
    // The other may have used its share of this minute.
    expect(await admitted(one, 'b')).toBe(50);
  });

  test('that stop without having used their share leave it to the others', async () => {
    await using server = await RedisServer.start();
    using one = await newCounter(server.url, { silenceTimeout: NEVER_SILENT });
    using other = await newCounter(server.url, { silenceTimeout: NEVER_SILENT });
    for (const { limiter } of [one, other, one]) await limiter.sendHeartbeat(systemClock.now());
    await other.limiter.leaveGroup(systemClock.now());
    await one.limiter.sendHeartbeat(systemClock.now());
    await server.kill();
    expect((await askAtOnce([one], caller('b', LIMITS), 150)).admitted).toBe(100);
  });
});

describe.skipIf(!hasRedis)(
  'three processes on a Redis that is silent for 8 s, and back for 0.9 s',
  () => {
    test('admit at most twice the limit in a minute', async () => {
      await using server = await RedisServer.start();
      await using counters = new AsyncDisposableStack();
      const impatient = { silenceTimeout: 150 };
      const all: Awaited<ReturnType<typeof newCounter>>[] = [];
      while (all.length < 3) all.push(counters.use(await newCounter(server.url, impatient)));
      const heartbeats = (of: typeof all) =>
        Promise.allSettled(of.map(({ limiter }) => limiter.sendHeartbeat(systemClock.now())));
      for (let round = 0; round < 3; round += 1) await heartbeats(all);
      const asking = caller('greedy', { perMinute: 150, perDay: 1_000_000 });
      let { admitted } = await askAtOnce(all, asking, 450);
      expect(admitted).toBe(150);
      for (const first of all) {
        server.pause();
        await heartbeats(all);
        admitted += (await askAtOnce(all, asking, 600)).admitted;
        await Bun.sleep(8 * SECOND);
        server.resume();
        await eventually(() => first.availability() === 'available');
        await heartbeats([first]);
        await first.limiter.flushLocalCounts();
        admitted += (await askAtOnce(all, asking, 600)).admitted;
        await Bun.sleep(0.9 * SECOND);
      }
      expect(admitted).toBe(300);
    });
  },
);

describe('the shares of all processes', () => {
  test.each([
    [1, 10],
    [3, 1_000],
    [3, 10],
    [7, 3],
  ])('of %i processes add up to the limit of %i', (count, limit) => {
    const now = systemClock.now();
    const processes = Array.from({ length: count }, () => new ProcessGroup());
    for (const at of [1, 2]) {
      const seen = new Map(processes.map(({ id }) => [id, at]));
      for (const each of processes)
        each.update({ at, since: 1, locallyAt: -MINUTE, seen, left: [] }, now);
    }
    const shares = processes.map((each) => each.share({ perMinute: limit, perDay: limit }, now));
    const most = Math.ceil(limit / count);
    for (const window of ['perMinute', 'perDay'] as const) {
      expect(shares.reduce((sum, share) => sum + share[window], 0)).toBe(limit);
      expect(Math.max(...shares.map((share) => share[window]))).toBe(most);
    }
  });
});
