import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';
import { caller, newCounter } from './redis-counter.ts';

const LIMITS = { perMinute: 1_000_000, perDay: 1_000_000 };
const REQUESTS = 100;

/** Counts since the start of the server. */
interface ServerWork {
  readonly reads: number;
  /** Calls by command, including those in scripts. */
  readonly commands: Readonly<Record<string, number>>;
}

describe.skipIf(!hasRedis)('the work of Redis', () => {
  let server: RedisServer;
  let looking: ReturnType<RedisServer['client']>;
  let counter: Awaited<ReturnType<typeof newCounter>>;

  beforeAll(async () => {
    server = await RedisServer.start();
    looking = server.client();
    counter = await newCounter(server.url);
  });

  afterAll(async () => {
    counter?.[Symbol.dispose]();
    looking?.redis.disconnect();
    await server?.[Symbol.asyncDispose]();
  });

  async function work(): Promise<ServerWork> {
    const stats = await looking.redis.info('stats');
    const commands = await looking.redis.info('commandstats');
    return {
      reads: Number(/^total_reads_processed:(\d+)/m.exec(stats)?.[1]),
      commands: Object.fromEntries(
        [...commands.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)].map(([, name = '', calls]) => [
          name,
          Number(calls),
        ]),
      ),
    };
  }

  async function workOf(requests: number): Promise<ServerWork> {
    const asking = caller('busy', LIMITS);
    await counter.limiter.take(asking, systemClock.now());
    const before = await work();
    await Promise.all(
      Array.from({ length: requests }, () => counter.limiter.take(asking, systemClock.now())),
    );
    const after = await work();
    const commands = Object.entries(after.commands).map(([name, calls]) => {
      return [name, calls - (before.commands[name] ?? 0)] as const;
    });
    return { reads: after.reads - before.reads, commands: Object.fromEntries(commands) };
  }

  test('is three commands per request, once the hash of its caller exists', async () => {
    const { commands } = await workOf(REQUESTS);
    const { info: _, ...ran } = commands;
    const expected = { evalsha: REQUESTS, time: REQUESTS, hmget: REQUESTS, hset: REQUESTS };
    expect(Object.fromEntries(Object.entries(ran).filter(([, calls]) => calls > 0))).toEqual(
      expected,
    );
  });

  test('is few reads for the requests of one turn of the event loop', async () => {
    expect((await workOf(REQUESTS)).reads).toBeLessThan(REQUESTS / 5);
  });
});
