import { describe, expect, test } from 'bun:test';
import { GRACE } from '../../../src/core/limits/bans.ts';
import { MINUTE, systemClock } from '../../../src/lib/clock.ts';
import { apiKey } from '../../storage/ports/backend.ts';
import { eventually } from '../../support/harness.ts';
import { hasRedis, NEVER_SILENT, RedisServer } from '../../support/redis-server.ts';
import { newCounter } from './redis-counter.ts';

describe.skipIf(!hasRedis)('a ban whose first reply was lost', () => {
  test('is reported once, by the process that waited for the reply, and stays in force', async () => {
    await using server = await RedisServer.start();
    const policy = { after: 1, base: MINUTE, maximum: MINUTE };
    using patient = await newCounter(server.url, { policy, silenceTimeout: NEVER_SILENT });
    using hasty = await newCounter(server.url, { policy, silenceTimeout: 100 });
    const key = apiKey('acct_1');
    const asking = { id: 'account:acct_1', limits: { perMinute: 1, perDay: 100 }, key };
    const take = async ({ limiter }: typeof hasty) =>
      (await limiter.take(asking, systemClock.now())).outcome;
    expect([await take(patient), await take(patient)]).toEqual(['admitted', 'limited']);
    // Redis measures the grace with its own clock.
    await Bun.sleep(GRACE);
    server.pause();
    // Decided without Redis, which reads the request when it goes on.
    expect(await take(hasty)).toBe('admitted');
    server.resume();
    await eventually(async () => (await take(hasty)) === 'banned');
    expect([await take(patient), patient.bans.length]).toEqual(['banned', 0]);
    expect(hasty.bans).toMatchObject([{ keyId: key.id, level: 1 }]);
    server.pause();
    expect(await take(hasty)).toBe('banned');
  });
});
