import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { eventually, TestService } from '../../support/harness.ts';
import { runCommand } from '../../support/process.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';
import { listPets, sandbox } from '../../support/sandbox-scene.ts';

describe.skipIf(!hasRedis)('petstore reset beside two services on one Redis', () => {
  test('ends windows and bans in both', async () => {
    await using redis = await RedisServer.start();
    const { settings } = redis;
    await using one = await TestService.start({ settings });
    await using two = await TestService.start({ settings, folder: one.folder.path });
    const { secret } = await one.account(subscribe('free'), 'staging');
    const { secret: banned } = await one.account(subscribe('free'), 'staging');
    await sandbox(one, secret, 'PUT', '/usage', { minuteRemaining: 0 });
    await sandbox(one, banned, 'PUT', '/ban', { seconds: 3_600 });
    const statuses = async (key: string) => [
      (await listPets(one, key)).status,
      (await listPets(two, key)).status,
    ];
    expect(await statuses(secret)).toEqual([429, 429]);
    await eventually(async () => (await statuses(banned)).join() === '429,429');
    const { code } = await runCommand(['reset', '--environment', 'staging', '--yes'], {
      PETSTORE_DATA_DIR: one.folder.path,
    });
    expect(code).toBe(0);
    for (const key of [secret, banned]) {
      await eventually(async () => (await statuses(key)).join() === '200,200');
    }
  });
});
