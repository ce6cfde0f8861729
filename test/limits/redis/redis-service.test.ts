import { describe, expect, test } from 'bun:test';
import { PARTS, type Part, readConfig } from '../../../src/config/config.ts';
import { parseRedisUrl } from '../../../src/config/redis-address.ts';
import { ENVIRONMENTS } from '../../../src/core/environments.ts';
import { SetupError } from '../../../src/core/errors.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { createLog } from '../../../src/observability/log.ts';
import { atMost } from '../../support/at-most.ts';
import { ONE } from '../../support/ban-scene.ts';
import { CuttableLink } from '../../support/cuttable-link.ts';
import { Visitor } from '../../support/dashboard-visitor.ts';
import { eventually, TestService } from '../../support/harness.ts';
import { admitted, ask } from '../../support/limit-readings.ts';
import { hasRedis, RedisServer } from '../../support/redis-server.ts';

const IMPATIENT = { PETSTORE_REDIS_TIMEOUT_MS: '150' };

/** Two services on one folder and one Redis, with the log of the first. */
async function twoServices(
  settings: Record<string, string> = {},
  parts: readonly Part[] = ENVIRONMENTS,
) {
  const resources = new AsyncDisposableStack();
  const redis = resources.use(await RedisServer.start());
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const all = { ...redis.settings, ...settings };
  const one = resources.use(await TestService.start({ settings: all, parts, log }));
  const folder = one.folder.path;
  const two = resources.use(await TestService.start({ settings: all, parts, folder }));
  const logged = (text: string) => lines.some((line) => line.includes(text));
  return { redis, one, two, logged, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.skipIf(!hasRedis)('two services on one folder and one Redis', () => {
  test('admit exactly the limit together', async () => {
    await using it = await twoServices();
    const { secret } = await it.one.account(subscribe('enterprise', atMost(100)));
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, index) => ask(index % 2 ? it.one : it.two, secret)),
    );
    expect(admitted(answers)).toBe(100);
    expect(answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
  });

  test('share a ban, record it once, and apply its end', async () => {
    await using it = await twoServices({ PETSTORE_BAN_AFTER: '1' });
    const { secret } = await it.one.account(ONE);
    const codeFrom = async (service: TestService) => (await ask(service, secret)).code;
    await codeFrom(it.one);
    // Redis measures the grace of 2 s with its own clock.
    await eventually(async () => (await codeFrom(it.one)) === 'api_key_banned');
    expect(await codeFrom(it.two)).toBe('api_key_banned');
    const active = () => it.two.stores.bans.active(Date.now());
    await eventually(async () => (await active()).length > 0);
    const [ban, ...more] = await active();
    expect(more).toEqual([]);
    await it.two.stores.bans.lift(ban?.id ?? '', 'ada', Date.now());
    await eventually(async () => (await codeFrom(it.one)) === 'rate_limited');
  });

  test('pass a ban to the key that follows, and lift it for both', async () => {
    await using it = await twoServices({ PETSTORE_BAN_AFTER: '1' });
    const { key, secret } = await it.one.account(ONE);
    const codeFrom = async (service: TestService, text: string) => (await ask(service, text)).code;
    await eventually(async () => (await codeFrom(it.one, secret)) === 'api_key_banned');
    const { text } = await it.two.stores.apiKeyService.rotate(key, '1h', 'test');
    for (const service of [it.one, it.two]) {
      expect(await codeFrom(service, text)).toBe('api_key_banned');
    }
    const active = () => it.two.stores.bans.active(Date.now());
    await eventually(async () => (await active()).length > 0);
    await it.redis.kill();
    expect(await codeFrom(it.one, text)).toBe('api_key_banned');
    await eventually(async () => (await codeFrom(it.two, text)) === 'api_key_banned');
    await it.redis.restart();
    await it.two.stores.bans.lift((await active())[0]?.id ?? '', 'ada', Date.now());
    for (const service of [it.one, it.two]) {
      await eventually(async () => (await codeFrom(service, text)) !== 'api_key_banned');
      await eventually(async () => (await codeFrom(service, secret)) !== 'api_key_banned');
    }
  });

  test('keep a ban that Redis lost', async () => {
    await using it = await twoServices({ PETSTORE_BAN_AFTER: '1' });
    const { account, secret } = await it.one.account(ONE);
    const codeFrom = async (service: TestService) => (await ask(service, secret)).code;
    await eventually(async () => (await codeFrom(it.one)) === 'api_key_banned');
    await eventually(async () => (await it.one.stores.bans.active(Date.now())).length > 0);
    await it.redis.kill();
    await eventually(async () => (await codeFrom(it.two)) === 'api_key_banned');
    await it.redis.restart();
    using client = it.redis.client();
    const kept = () => client.redis.hlen(`petstore:{production:account:${account.id}}`);
    await eventually(async () => (await kept()) > 0);
    for (const service of [it.one, it.two]) {
      await eventually(async () => (await codeFrom(service)) === 'api_key_banned');
    }
  });

  test('count the requests to their dashboards together', async () => {
    await using it = await twoServices({}, PARTS);
    const visitor = await Visitor.signUp(it.one);
    const elsewhere = new Visitor(it.two);
    elsewhere.cookie = visitor.cookie;
    const remaining = async (at: Visitor) =>
      Number((await at.get('/api/keys')).headers.get('X-RateLimit-Remaining'));
    const first = await remaining(visitor);
    expect([await remaining(elsewhere), await remaining(visitor)]).toEqual([first - 1, first - 2]);
  });

  test('answer and log it while Redis is stopped, and count together again afterwards', async () => {
    await using it = await twoServices(IMPATIENT);
    const { secret } = await it.one.account(
      subscribe('enterprise', { perMinute: 10, perDay: 900 }),
    );
    it.redis.pause();
    const without = await Promise.all([ask(it.one, secret), ask(it.two, secret)]);
    expect(without.map(({ status, limit }) => [status, limit])).toEqual([
      [200, 10],
      [200, 10],
    ]);
    expect(it.logged('Redis is unavailable')).toBe(true);
    const metrics = await (await fetch(`${it.one.opsUrl}/metrics`)).text();
    expect(metrics).toContain('petstore_redis_unavailable 1');
    // The former name.
    expect(metrics).toContain('petstore_redis_away 1');
    expect((await fetch(`${it.one.opsUrl}/readyz`)).status).toBe(200);
    it.redis.resume();
    await eventually(() => it.logged('Redis is available again'));
    await eventually(async () => (await ask(it.one, secret)).status === 429);
    await eventually(async () => (await ask(it.two, secret)).status === 429);
  });
});

describe.skipIf(!hasRedis)('a service whose Redis is slow', () => {
  test('waits for it as long as it is set to', async () => {
    await using redis = await RedisServer.start();
    const { settings } = redis;
    await using patient = await TestService.start({ settings });
    await using impatient = await TestService.start({ settings: { ...settings, ...IMPATIENT } });
    const { secret } = await patient.account();
    const { secret: other } = await impatient.account();
    redis.pause();
    const waiting = ask(patient, secret);
    expect((await ask(impatient, other)).status).toBe(200);
    expect(Bun.peek.status(waiting)).toBe('pending');
    redis.resume();
    expect((await waiting).status).toBe(200);
    const unavailable = async (service: TestService) =>
      /petstore_redis_unavailable (\d)/.exec(
        await (await fetch(`${service.opsUrl}/metrics`)).text(),
      )?.[1];
    expect(await unavailable(patient)).toBe('0');
  });
});

describe.skipIf(!hasRedis)('a service whose Redis replies after 0.7 s', () => {
  test('uses it again once it is back', async () => {
    await using redis = await RedisServer.start();
    await using slow = await CuttableLink.to(redis.port, 700);
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const settings = { ...redis.settings, PETSTORE_REDIS_URL: `redis://127.0.0.1:${slow.port}` };
    await using service = await TestService.start({ settings, log });
    const { secret } = await service.account();
    await redis.kill();
    await eventually(() => lines.some((line) => line.includes('Redis is unavailable')));
    expect((await ask(service, secret)).status).toBe(200);
    await redis.restart();
    await eventually(() => lines.some((line) => line.includes('Redis is available again')));
    expect((await ask(service, secret)).status).toBe(200);
  });
});

describe.skipIf(!hasRedis)('a service whose Redis cannot be reached', () => {
  test('starts all the same, logs it, and answers', async () => {
    await using redis = await RedisServer.start();
    await redis.kill();
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const settings = { PETSTORE_REDIS_URL: redis.url };
    await using service = await TestService.start({ settings, log });
    const { secret } = await service.account();
    expect((await ask(service, secret)).status).toBe(200);
    expect(lines.join()).toContain('Redis cannot be reached');
  });

  test("because of a wrong password, logs Redis's error and not the password", async () => {
    await using redis = await RedisServer.start(['--requirepass', 'the right one']);
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const address = redis.url.replace('//', '//:hidden-word@');
    const settings = { ...redis.settings, PETSTORE_REDIS_URL: address };
    await using service = await TestService.start({ settings, log });
    const { secret } = await service.account();
    expect((await ask(service, secret)).status).toBe(200);
    for (const message of ['Redis cannot be reached', 'Redis is unavailable']) {
      expect(lines.find((line) => line.includes(message))).toContain('WRONGPASS');
    }
    expect(lines.join()).not.toContain('hidden-word');
  });

  test('without Redis refuses a folder that another process serves with Redis', async () => {
    await using redis = await RedisServer.start();
    const settings = { PETSTORE_REDIS_URL: redis.url };
    await using service = await TestService.start({ settings });
    const alone = TestService.start({ folder: service.folder.path });
    await expect(alone).rejects.toThrow('Another process serves production');
  });
});

describe('the address of Redis', () => {
  test.each([
    ['redis://localhost', { kind: 'single', hosts: [{ host: 'localhost', port: 6_379 }] }],
    [
      'rediss://me:p%40ss@db.example.com:6380/2',
      { tls: true, username: 'me', password: 'p@ss', database: 2 },
    ],
    ['redis://:secret@[::1]:7000', { hosts: [{ host: '::1', port: 7_000 }], password: 'secret' }],
    [
      'redis+sentinel://a,b:26380/mymaster/1',
      {
        kind: 'sentinel',
        master: 'mymaster',
        database: 1,
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 26_380 },
        ],
      },
    ],
    [
      'rediss+cluster://:x@a:7000,b:7001',
      {
        kind: 'cluster',
        tls: true,
        password: 'x',
        hosts: [
          { host: 'a', port: 7_000 },
          { host: 'b', port: 7_001 },
        ],
      },
    ],
  ])('%s is understood', (url, expected) => {
    expect(parseRedisUrl(url)).toMatchObject(expected);
  });

  test.each([
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://a,b',
    'redis://a:0',
    'redis://a:99999',
    'redis://a/b',
    'redis://:s3cr%ZZ@a',
    'redis://user:@a',
    'redis+sentinel://a:26379',
    'redis+cluster://a:7000/3',
    'redis+other://a',
  ])('%s is refused at the start, and not repeated', (url) => {
    const read = () => readConfig({ PETSTORE_REDIS_URL: url });
    expect(read).toThrow(SetupError);
    expect(read).toThrow(/^PETSTORE_REDIS_URL /);
    expect(read).not.toThrow('s3cr');
  });
});
