import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import type { BanRecord } from '../../../src/core/limits/ban-records.ts';
import type { BanPolicy } from '../../../src/core/limits/bans.ts';
import type { Limits } from '../../../src/core/limits/plans.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { MemoryLimiter } from '../../../src/limits/memory/limiter.ts';
import { RedisLimiter } from '../../../src/limits/redis/limiter.ts';
import { apiKey } from '../../storage/ports/backend.ts';
import { ManualClock } from '../../support/harness.ts';
import { connectTo, hasRedis, NEVER_SILENT, RedisServer } from '../../support/redis-server.ts';
import { ModelAccount, ModelKey } from '../limit-model.ts';
import { limits, type Step, steps } from './limiter-steps.ts';

const POLICY: BanPolicy = { after: 3, base: 300 * SECOND, maximum: 2_000 * SECOND };
/** 23:30 tomorrow: Redis expires keys by its own clock, so the clock of the tests must be ahead of it. */
const START = (Math.floor(Date.now() / DAY) + 2) * DAY - HOUR / 2;
/** Replaces the time in scripts by the time that the tests set. */
const SET_CLOCK = "local function now() return tonumber(redis.call('GET', 'clock')) end\n";

let server: RedisServer;
let one: Awaited<ReturnType<typeof connectTo>>;
let other: Awaited<ReturnType<typeof connectTo>>;
let looking: ReturnType<RedisServer['client']>;
let plain: Redis;
let accounts = 0;

/** The limiters of two processes on one Redis, with one clock. */
function newScene(policy = POLICY) {
  const bans: BanRecord[] = [];
  const clock = new ManualClock(START);
  const limiters = [one, other].map(({ connection }) => {
    const settings = {
      environment: 'production',
      policy,
      onBan: (ban: BanRecord) => bans.push(ban),
    };
    const local = new MemoryLimiter({ ...settings, environment: 'production' });
    return new RedisLimiter({ ...settings, environment: 'production', connection, local });
  });
  const limiterOf = (index: number) => {
    const limiter = limiters[index % 2];
    if (!limiter) throw new Error('There are two.');
    return limiter;
  };
  const move = async (milliseconds: number) => {
    clock.advance(milliseconds);
    await plain.set('clock', clock.now().wall);
  };
  return { bans, clock, limiterOf, move };
}

type Scene = ReturnType<typeof newScene>;

function newAccount(limits: Limits) {
  accounts += 1;
  const accountId = `acct_${accounts}`;
  return { id: `account:${accountId}`, limits, key: apiKey(accountId) };
}

async function takeTimes(scene: Scene, caller: ReturnType<typeof newAccount>, times: number) {
  const results = [];
  for (let sent = 0; sent < times; sent += 1) {
    results.push(await scene.limiterOf(sent).take(caller, scene.clock.now()));
  }
  return results;
}

/** Exhausts a limit of one request, waits for the end of the grace, and sends requests until the ban. */
async function provoke(scene: Scene, caller: ReturnType<typeof newAccount>): Promise<BanRecord> {
  await takeTimes(scene, caller, 2);
  await scene.move(2 * SECOND);
  await takeTimes(scene, caller, 3);
  const ban = scene.bans.at(-1);
  if (!ban) throw new Error('No ban began.');
  return ban;
}

const ONE = { perMinute: 1, perDay: 1_000 };

/** Compares Redis with the model for two keys of one account and one key of another. */
async function play(allowed: Limits, steps: readonly Step[]): Promise<void> {
  const scene = newScene();
  await scene.move(0);
  const [first, second] = [newAccount(allowed), newAccount(allowed)];
  const callers = [first, { ...first, key: apiKey(first.key.accountId) }, second];
  const [a, b] = [new ModelAccount(allowed), new ModelAccount(allowed)];
  const keys = [new ModelKey(a, POLICY), new ModelKey(a, POLICY), new ModelKey(b, POLICY)];
  for (const step of steps) {
    if ('pass' in step) {
      await scene.move(step.pass);
      continue;
    }
    const [caller, model] = [callers[step.key], keys[step.key]];
    if (!caller || !model) throw new Error('There are three keys.');
    for (const { minute, day, ...said } of await takeTimes(scene, caller, step.times)) {
      const seen = { ...said, minute: minute.remaining, day: day.remaining };
      expect(seen).toEqual(model.request(scene.clock.now()));
    }
  }
}

describe.skipIf(!hasRedis)('quotas and bans in Redis', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    one = await connectTo(server.url, { clockScript: SET_CLOCK, silenceTimeout: NEVER_SILENT });
    other = await connectTo(server.url, { clockScript: SET_CLOCK, silenceTimeout: NEVER_SILENT });
    looking = server.client();
    plain = looking.redis;
  });

  beforeEach(async () => {
    await plain.flushall();
  });

  afterEach(() => {
    const events = [...one.reported, ...other.reported];
    expect(events.filter((event) => event !== 'connected')).toEqual([]);
  });

  afterAll(async () => {
    for (const each of [one, other]) each[Symbol.dispose]();
    looking[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  test('agree with a naive model, whichever process is asked', async () => {
    const property = fc.asyncProperty(limits, steps, play);
    await fc.assert(property, { numRuns: 100 });
  });

  test('count exactly under concurrency', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount({ perMinute: 100, perDay: 1_000 });
    const results = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        scene.limiterOf(index).take(caller, scene.clock.now()),
      ),
    );
    expect(results.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(100);
  });

  test('can be checked without counting', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    const inspect = () => scene.limiterOf(0).peek(caller, scene.clock.now());
    expect(await inspect()).toMatchObject({ outcome: 'admitted', remaining: 1 });
    expect(await inspect()).toMatchObject({ outcome: 'admitted', remaining: 1 });
    await takeTimes(scene, caller, 1);
    for (let looked = 0; looked < 20; looked += 1) await inspect();
    expect(scene.bans).toEqual([]);
    expect(await inspect()).toMatchObject({ outcome: 'limited', remaining: 0, resetIn: MINUTE });
  });

  test('a ban is reported once, by the process whose request began it', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    const ban = await provoke(scene, caller);
    const [again] = await takeTimes(scene, caller, 1);
    const now = scene.clock.now().wall;
    expect(again).toMatchObject({ outcome: 'banned', resetIn: 300 * SECOND });
    expect(scene.bans).toEqual([ban]);
    expect(ban).toMatchObject({
      keyId: caller.key.id,
      accountId: caller.key.accountId,
      environment: 'production',
      reason: 'Sent 3 more requests after a 429, in the same window.',
      level: 1,
      startsAt: now,
      endsAt: now + 300 * SECOND,
    });
  });

  test('refusals of a day whose limit was raised do not count against the next minute', async () => {
    const scene = newScene();
    await scene.move(0);
    const account = newAccount({ perMinute: 2, perDay: 1 });
    await takeTimes(scene, account, 2);
    await scene.move(3 * SECOND);
    await takeTimes(scene, { ...account, limits: ONE }, 1 + POLICY.after);
    expect(scene.bans).toEqual([]);
  });

  test('a ban hits the key, and no other key of the account', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    await provoke(scene, caller);
    await scene.move(MINUTE);
    const sibling = { ...caller, key: apiKey(caller.key.accountId) };
    const [result] = await takeTimes(scene, sibling, 1);
    expect(result?.outcome).toBe('admitted');
  });

  test('a lifted ban ends in every process, and lifting an earlier ban ends nothing', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    const first = await provoke(scene, caller);
    await scene.move(300 * SECOND);
    const second = await provoke(scene, caller);
    expect(second.level).toBe(2);
    const outcome = async () => (await scene.limiterOf(1).peek(caller, scene.clock.now())).outcome;
    await scene.limiterOf(0).lift(first);
    expect(await outcome()).toBe('banned');
    await scene.limiterOf(0).lift(second);
    expect(await outcome()).toBe('limited');
    await scene.move(MINUTE);
    expect((await provoke(scene, caller)).level).toBe(1);
  });

  test('recorded bans are restored to a Redis that lost them, and not to one that has them', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    const ban = await provoke(scene, caller);
    await scene.move(100 * SECOND);
    await plain.flushall();
    await scene.move(0);
    await scene.limiterOf(0).restore([ban], scene.clock.now());
    const inspect = () => scene.limiterOf(1).peek(caller, scene.clock.now());
    expect(await inspect()).toMatchObject({ outcome: 'banned', resetIn: 200 * SECOND });
    await scene.move(200 * SECOND);
    const second = await provoke(scene, caller);
    expect(second.level).toBe(2);
    await scene.limiterOf(0).restore([ban], scene.clock.now());
    expect(await inspect()).toMatchObject({ outcome: 'banned', resetIn: 600 * SECOND });
  });

  test('a clock that is set back makes neither a minute nor a ban longer', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    await takeTimes(scene, caller, 1);
    await scene.move(-HOUR);
    const [refused] = await takeTimes(scene, caller, 1);
    expect(refused).toMatchObject({ outcome: 'limited', resetIn: MINUTE });
    await scene.move(MINUTE);
    await provoke(scene, caller);
    await scene.move(-HOUR);
    const [banned] = await takeTimes(scene, caller, 1);
    expect(banned).toMatchObject({ outcome: 'banned', resetIn: 300 * SECOND });
    await scene.move(300 * SECOND);
    const [after] = await takeTimes(scene, caller, 1);
    expect(after?.outcome).toBe('admitted');
  });

  test('every key expires, and none before its bans have expired', async () => {
    const scene = newScene();
    await scene.move(0);
    await provoke(scene, newAccount(ONE));
    const limiter = scene.limiterOf(0);
    await limiter.take({ id: 'address:::1', limits: ONE, key: undefined }, scene.clock.now());
    await limiter.sendHeartbeat(scene.clock.now());
    const keys = (await plain.keys('*')).filter((key) => key !== 'clock');
    const ttls = await Promise.all(keys.map((key) => plain.pttl(key)));
    expect(ttls.every((ttl) => ttl > 0)).toBe(true);
    const banned = await plain.pttl(`petstore:{production:account:acct_${accounts}}`);
    expect(Date.now() + banned).toBeGreaterThan(scene.clock.now().wall + 300 * SECOND + DAY);
  });

  test('the strikes of many keys take bounded space, and those of a banned key are kept', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount(ONE);
    await provoke(scene, caller);
    for (let made = 0; made < 300; made += 1) {
      await takeTimes(scene, { ...caller, key: apiKey(caller.key.accountId) }, 1);
    }
    expect(await plain.hlen(`petstore:{production:${caller.id}}`)).toBeLessThan(140);
    const [result] = await takeTimes(scene, caller, 1);
    expect(result?.outcome).toBe('banned');
  });

  test('scripts that the server no longer has are sent again', async () => {
    const scene = newScene();
    await scene.move(0);
    const caller = newAccount({ perMinute: 10, perDay: 10 });
    await takeTimes(scene, caller, 2);
    await plain.script('FLUSH');
    expect(await takeTimes(scene, caller, 2)).toMatchObject([{ remaining: 7 }, { remaining: 6 }]);
  });
});
