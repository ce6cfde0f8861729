import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SetupError } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { createLog } from '../../src/observability/log.ts';
import { atMost } from '../support/at-most.ts';
import { eventually, TestService } from '../support/harness.ts';
import { admitted, ask } from '../support/limit-readings.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/process.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';

describe.skipIf(!hasPostgres)('several processes on one database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const settingsOn = (url: string, more: Record<string, string> = {}) => ({
    PETSTORE_DATABASE_URL: url,
    PETSTORE_SECRET: SECRET,
    ...more,
  });

  describe.skipIf(!hasRedis)('that count in one Redis', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await RedisServer.start();
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    async function twoServices() {
      const resources = new AsyncDisposableStack();
      const url = await server.createDatabase();
      const settings = settingsOn(url, redis.settings);
      const one = resources.use(await TestService.start({ settings }));
      const two = resources.use(await TestService.start({ settings }));
      return { url, one, two, [Symbol.asyncDispose]: () => resources.disposeAsync() };
    }

    test('take a key at once that was made in another process', async () => {
      await using it = await twoServices();
      const { secret } = await it.one.account();
      const created = await it.one.client(secret).createPet({ name: 'Rex', categoryId: 2n ** 60n });
      expect(await it.two.client(secret).getPet(created.id)).toEqual(created);
    });

    test('refuse a key soon after it was revoked in another process', async () => {
      await using it = await twoServices();
      const { key, secret } = await it.one.account();
      expect((await it.two.request('/pets', { key: secret })).status).toBe(200);
      await it.one.stores.keys.revoke(key.id, Date.now(), 'test');
      const refused = async () => (await it.two.request('/pets', { key: secret })).status === 401;
      await eventually(refused);
    });

    test('apply a plan soon after it was changed in another process', async () => {
      await using it = await twoServices();
      const { account, secret } = await it.one.account(subscribe('free'));
      const limitAt = async (service: TestService) =>
        (await service.request('/pets', { key: secret })).headers.get('X-RateLimit-Limit');
      expect(await limitAt(it.two)).toBe('60');
      await it.one.stores.accounts.setSubscription(
        account.id,
        subscribe('business'),
        Date.now(),
        'test',
      );
      await eventually(async () => (await limitAt(it.two)) === '1000');
    });

    test('admit exactly the limit together', async () => {
      await using it = await twoServices();
      const { secret } = await it.one.account(subscribe('enterprise', atMost(100)));
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, index) => ask(index % 2 ? it.one : it.two, secret)),
      );
      expect(admitted(answers)).toBe(100);
    });

    test('are refused beside one that counts in memory', async () => {
      await using it = await twoServices();
      const alone = TestService.start({ settings: settingsOn(it.url) });
      expect(await alone.catch((error) => error)).toBeInstanceOf(SetupError);
    });
  });

  test('are refused without Redis while the first one keeps running, with advice on what to do', async () => {
    const settings = settingsOn(await server.createDatabase());
    await using service = await TestService.start({ settings });
    const refused: unknown = await TestService.start({ settings }).catch((error) => error);
    expect(refused).toBeInstanceOf(SetupError);
    expect(refused).toHaveProperty('message', expect.stringContaining('PETSTORE_REDIS_URL'));
    await service.stop();
    await using successor = await TestService.start({ settings });
    expect((await successor.request('/pets')).status).toBe(401);
  });

  test('without Redis follow one that was killed', async () => {
    const settings = settingsOn(await server.createDatabase());
    await using killed = await ServiceProcess.start(settings);
    await killed.end('SIGKILL');
    await using successor = await TestService.start({ settings });
    expect((await successor.request('/pets')).status).toBe(401);
  });

  test('that find another one counting say so, whichever began first', async () => {
    const url = await server.createDatabase();
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    await using service = await TestService.start({ settings: settingsOn(url), log });
    // Like after a pause of this process so long that another process has replaced it.
    await server.run("UPDATE counting SET holder = 'another'", url);
    await eventually(() => lines.some((line) => line.includes('so they are not exact')));
    expect((await service.request('/pets')).status).toBe(401);
  });
});
