import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { createLog } from '../../../src/observability/log.ts';
import { atMost } from '../../support/at-most.ts';
import { eventually, TestService } from '../../support/harness.ts';
import { admitted, ask } from '../../support/limit-readings.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';
import { RedisSentinel } from './redis-sentinel-server.ts';

describe.skipIf(!hasRedis)('a service that finds its Redis through a Sentinel', () => {
  test('counts exactly, and continues with the replica that is promoted', async () => {
    await using resources = new AsyncDisposableStack();
    const master = resources.use(await RedisServer.start());
    const replica = resources.use(
      await RedisServer.start(['--replicaof', '127.0.0.1', String(master.port)]),
    );
    const sentinel = resources.use(await RedisSentinel.over(master));
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const settings = { ...master.settings, PETSTORE_REDIS_URL: sentinel.url };
    const service = resources.use(await TestService.start({ settings, log }));
    const twenty = subscribe('enterprise', atMost(20));
    const { secret } = await service.account(twenty);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(service, secret)));
    expect(admitted(answers)).toBe(20);

    await master.kill();
    const { secret: other } = await service.account(twenty);
    const statuses = new Set<number>();
    await eventually(async () => {
      statuses.add((await ask(service, other)).status);
      return lines.some((line) => line.includes('Redis is available again'));
    });
    expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([]);
    using successor = replica.client();
    expect(await successor.redis.info('replication')).toContain('role:master');

    const { account, secret: late } = await service.account(twenty);
    expect((await ask(service, late)).status).toBe(200);
    expect(await successor.redis.exists(`petstore:{production:account:${account.id}}`)).toBe(1);
  });
});
