import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { DAY, SECOND } from '../../../src/lib/clock.ts';
import { eventually, TestService } from '../../support/harness.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { refusalOf } from '../../support/problem.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';
import { advance, callSandbox, listPets, sandbox } from '../../support/sandbox-scene.ts';

const ONE = subscribe('enterprise', { perMinute: 1, perDay: 1_000 });
const FOUR_YEARS = 4 * 365 * (DAY / SECOND);

/** Two services on one folder and one Redis. */
async function twoServices() {
  const resources = new AsyncDisposableStack();
  const redis = resources.use(await RedisServer.start());
  const settings = { ...redis.settings, PETSTORE_BAN_AFTER: '1' };
  const one = resources.use(await TestService.start({ settings }));
  const two = resources.use(await TestService.start({ settings, folder: one.folder.path }));
  return { redis, one, two, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.skipIf(!hasRedis)('the sandbox of two services on one Redis', () => {
  test('moves the clock of both, with windows and bans', async () => {
    await using it = await twoServices();
    const { account, secret } = await it.one.account(ONE, 'staging');
    await listPets(it.one, secret);
    const codeFrom = async (service: TestService) =>
      (await refusalOf(await listPets(service, secret))).code;
    // Redis measures the grace of 2 s with its own clock.
    await eventually(async () => (await codeFrom(it.two)) === 'api_key_banned');

    const { clock, ban } = await advance(it.one, secret, FOUR_YEARS);
    const served = await listPets(it.one, secret);

    expect([clock.offsetSeconds, ban]).toEqual([FOUR_YEARS, null]);
    expect(served.status).toBe(200);
    expect(readLimits(served).reset * SECOND).toBeGreaterThan(Date.now() + FOUR_YEARS * SECOND);
    await eventually(async () => {
      const { reset } = readLimits(await listPets(it.two, secret));
      return reset * SECOND > Date.now() + FOUR_YEARS * SECOND;
    });
    // The key does not live for years: Redis expires it by its own clock.
    using client = it.redis.client();
    const left = await client.redis.pttl(`petstore:{staging:account:${account.id}}`);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(3 * DAY);
  });

  test('sets usage and bans for both, and resets them', async () => {
    await using it = await twoServices();
    const { secret } = await it.one.account(subscribe('free'), 'staging');
    const change = (...call: [method: string, path: string, body?: unknown]) =>
      sandbox(it.one, secret, ...call);

    expect(await change('PUT', '/usage', { minuteRemaining: 1, dayRemaining: 5 })).toMatchObject({
      usage: { minute: { used: 59 }, day: { used: 995 } },
    });
    expect((await listPets(it.two, secret)).status).toBe(200);
    expect((await listPets(it.one, secret)).status).toBe(429);
    await change('POST', '/reset');
    expect(readLimits(await listPets(it.two, secret))).toMatchObject({ remaining: 59 });

    await change('PUT', '/ban', { seconds: 300 });
    for (const service of [it.one, it.two]) {
      expect((await listPets(service, secret)).headers.get('Retry-After')).toBe('300');
    }
    await change('PUT', '/ban', { seconds: 30 });
    expect((await listPets(it.two, secret)).headers.get('Retry-After')).toBe('30');
    await change('DELETE', '/ban');
    for (const service of [it.one, it.two]) {
      expect((await listPets(service, secret)).status).toBe(200);
    }
  });

  test('forgets a ban of the future in both, also while Redis is unavailable later', async () => {
    await using it = await twoServices();
    const { secret } = await it.one.account(subscribe('free'), 'staging');
    await advance(it.one, secret, FOUR_YEARS);
    await sandbox(it.one, secret, 'PUT', '/ban', { seconds: 86_400 });
    await eventually(async () => (await listPets(it.two, secret)).status === 429);

    await sandbox(it.one, secret, 'POST', '/reset');

    await eventually(async () => (await listPets(it.two, secret)).status === 200);
    await it.redis.kill();
    for (const service of [it.one, it.two]) {
      await eventually(async () => (await listPets(service, secret)).status === 200);
    }
  });

  test('refuses while Redis is unavailable what it cannot change, and says so', async () => {
    await using it = await twoServices();
    const { secret } = await it.one.account(subscribe('free'), 'staging');
    await it.redis.kill();

    const refused = await callSandbox(it.one, secret, 'PUT', '/usage', { minuteRemaining: 1 });

    expect(await refusalOf(refused)).toMatchObject({ status: 503, code: 'unavailable' });
    expect((await advance(it.one, secret, 60)).clock.offsetSeconds).toBe(60);
  });
});
