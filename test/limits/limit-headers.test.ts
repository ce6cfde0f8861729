import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/plans.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { ManualClock, type NewAccount, TestService } from '../support/harness.ts';
import { ask, readAnswer, readLimits } from '../support/limit-readings.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';

const NOON = Date.UTC(2027, 0, 2, 12);
const SUNSET = Date.UTC(2030, 11, 5);
const DOG = { name: 'Rex', categoryId: 7 };

function limits(perMinute: number, perDay: number) {
  return subscribe('enterprise', { perMinute, perDay });
}

interface Scene extends NewAccount {
  readonly service: TestService;
  readonly clock: ManualClock;
}

type Send = (scene: Scene) => Promise<Response>;

function withKey(path: string, init: RequestInit = {}): Send {
  return ({ service, secret }) => service.request(path, { key: secret, ...init });
}

function posting(body: unknown, headers?: Record<string, string>): Send {
  return ({ service, secret }) => service.post(secret, body, headers);
}

const preflight = {
  method: 'OPTIONS',
  headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
};

/** One request of every kind of reply, by status, and whose numbers the reply shows. */
const REPLIES: ReadonlyArray<readonly [number, string, 'account' | 'address', Send]> = [
  [200, 'a list', 'account', withKey('/pets')],
  [200, 'a HEAD', 'account', withKey('/pets', { method: 'HEAD' })],
  [200, 'the OpenAPI document', 'address', ({ service }) => service.request('/openapi.json')],
  [201, 'a creation', 'account', posting(DOG)],
  [204, 'plain OPTIONS', 'account', withKey('/pets', { method: 'OPTIONS' })],
  [204, 'a preflight', 'address', ({ service }) => service.request('/pets', preflight)],
  [400, 'a bad body', 'account', posting({})],
  [400, 'a bad parameter', 'account', withKey('/pets?limit=0')],
  [401, 'no key', 'address', ({ service }) => service.request('/pets')],
  [401, 'a bad key', 'address', ({ service }) => service.request('/pets', { key: 'wrong' })],
  [404, 'an unknown pet', 'account', withKey('/pets/1')],
  [404, 'an unknown path', 'account', withKey('/nowhere')],
  [404, 'outside of every base address', 'address', sendOutside],
  [405, 'a method not served', 'account', withKey('/pets', { method: 'DELETE' })],
  [410, 'a removed operation', 'account', getAfterSunset],
  [413, 'a body too large', 'account', posting('x'.repeat(65 * 1024))],
  [422, 'an idempotency mismatch', 'account', reuseIdempotencyKey],
  [500, 'a failure', 'address', failOnUnknownPlan],
];

function sendOutside({ service, secret }: Scene): Promise<Response> {
  const headers = { Authorization: `Bearer ${secret}` };
  return fetch(`http://localhost:${service.port}/other`, { headers });
}

function getAfterSunset(scene: Scene): Promise<Response> {
  scene.clock.advance(SUNSET - NOON);
  return withKey('/pets/1')(scene);
}

async function reuseIdempotencyKey(scene: Scene): Promise<Response> {
  const headers = { 'Idempotency-Key': 'one' };
  await posting(DOG, headers)(scene);
  return posting({ ...DOG, name: 'Tom' }, headers)(scene);
}

function failOnUnknownPlan(scene: Scene): Promise<Response> {
  using file = new Database(`${scene.service.folder.path}/accounts.db`);
  file.run('PRAGMA ignore_check_constraints = ON');
  file.run("UPDATE accounts SET plan = 'platinum'");
  return withKey('/pets')(scene);
}

describe('every reply tells the limits', () => {
  for (const [status, kind, counted, send] of REPLIES) {
    test(`${status}, ${kind}: those of the ${counted}`, async () => {
      const clock = new ManualClock();
      const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '40', PETSTORE_ANONYMOUS_PER_DAY: '400' };
      await using service = await TestService.start({ clock, settings });
      const account = await service.account(limits(50, 500));

      const reply = readLimits(await send({ service, clock, ...account }));

      const [perMinute, perDay] = counted === 'account' ? [50, 500] : [40, 400];
      expect(reply).toMatchObject({
        status,
        limit: perMinute,
        retryAfter: undefined,
        minute: { quota: perMinute, length: 60, resetsIn: 60 },
        day: { quota: perDay, length: 86_400 },
      });
      expect(reply.remaining).toBe(reply.minute.remaining);
      expect(reply.reset).toBe((clock.now().wall + MINUTE) / 1_000);
    });
  }

  test('429, limited', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { secret } = await service.account(limits(1, 500));
    await ask(service, secret);

    const refused = await ask(service, secret);

    expect(refused).toMatchObject({ code: 'rate_limited', limit: 1, remaining: 0, retryAfter: 60 });
    expect(refused.reset).toBe(NOON / 1_000 + 60);
  });

  test('429, banned', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_BAN_AFTER: '1' };
    await using service = await TestService.start({ clock, settings });
    const { secret } = await service.account(limits(1, 500));
    await ask(service, secret);
    await ask(service, secret);
    clock.advance(2_000);

    const refused = await ask(service, secret);

    expect(refused).toMatchObject({ code: 'api_key_banned', limit: 1, retryAfter: 300 });
    expect(refused).toMatchObject({ remaining: 0, reset: NOON / 1_000 + 2 + 300 });
    expect(refused.day).toMatchObject({ remaining: 499, quota: 500 });
  });

  test('400, a bad Host: those of the address', async () => {
    const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '40', PETSTORE_ANONYMOUS_PER_DAY: '400' };
    await using service = await TestService.start({ clock: new ManualClock(), settings });
    const heads = [
      'HTTP/1.0',
      'HTTP/1.1\r\nHost:',
      'HTTP/1.1\r\nHost: a b',
      'HTTP/1.1\r\nHost: [',
      'HTTP/1.1\r\nHost: a\r\nHost: b',
    ];

    for (const [index, head] of heads.entries()) {
      const request = `GET /v1/pets ${head}\r\nConnection: close\r\n\r\n`;
      const [reply] = (await rawExchange(service.port, [request])).replies;
      if (!reply) throw new Error(`No reply to ${head}`);
      expect(readRaw(reply)).toMatchObject({ status: 400, limit: 40, day: { quota: 400 } });
      expect(readRaw(reply).remaining).toBe(39 - index);
    }
  });

  test('409 while the same request is in flight, and 503 while the store is unavailable', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { secret } = await service.account(limits(50, 500));
    using lock = new Database(`${service.folder.path}/production.db`);
    lock.run('BEGIN IMMEDIATE');
    const twin = () => service.post(secret, DOG, { 'Idempotency-Key': 'one' }).then(readAnswer);

    const replies = await Promise.all([twin(), twin()]);
    lock.run('ROLLBACK');

    const [conflict, unavailable] = replies.sort((a, b) => a.status - b.status);
    expect(conflict).toMatchObject({ status: 409, code: 'idempotency_conflict', limit: 50 });
    expect(conflict?.retryAfter).toBe(1);
    expect(unavailable).toMatchObject({ status: 503, code: 'unavailable', limit: 50 });
    expect(unavailable?.retryAfter).toBe(1);
  });
});

function readRaw({ status, headers }: RawReply) {
  return readLimits({ status, headers: new Headers({ ...headers }) });
}

describe('X-RateLimit-*', () => {
  test('are of the window with fewer requests remaining', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(limits(3, 4));

    expect(await ask(service, secret)).toMatchObject({ limit: 3, remaining: 2 });
    clock.advance(MINUTE);
    const day = await ask(service, secret);

    expect(day).toMatchObject({ limit: 3, remaining: 2, reset: NOON / 1_000 + 120 });
    clock.advance(MINUTE);
    const fewer = await ask(service, secret);
    expect(fewer).toMatchObject({ limit: 4, remaining: 1, reset: Date.UTC(2027, 0, 3) / 1_000 });
  });

  test('are of the minute on a tie', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { secret } = await service.account(limits(3, 3));

    expect(await ask(service, secret)).toMatchObject({
      limit: 3,
      remaining: 2,
      reset: NOON / 1_000 + 60,
    });
  });

  test('are of the exhausted window on a refusal', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(limits(2, 3));
    await ask(service, secret);
    await ask(service, secret);

    const minute = await ask(service, secret);
    clock.advance(MINUTE);
    await ask(service, secret);
    const day = await ask(service, secret);

    expect(minute).toMatchObject({ status: 429, limit: 2, remaining: 0, retryAfter: 60 });
    expect(day).toMatchObject({ status: 429, limit: 3, remaining: 0 });
    expect(day.reset).toBe(Date.UTC(2027, 0, 3) / 1_000);
  });

  test('round the reset up to whole seconds', async () => {
    for (const [milliseconds, later] of [
      [0, 60],
      [1, 61],
      [999, 61],
      [1_000, 61],
    ] as const) {
      const clock = new ManualClock(NOON + milliseconds);
      await using service = await TestService.start({ clock });
      const { secret } = await service.account(limits(5, 100));

      expect((await ask(service, secret)).reset).toBe(NOON / 1_000 + later);
    }
  });
});

describe('the IETF headers', () => {
  test('are written exactly so', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(subscribe('free'));
    await ask(service, secret);
    clock.advance(17_500);

    const { headers } = await service.request('/pets', { key: secret });

    expect(headers.get('RateLimit-Policy')).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
    expect(headers.get('RateLimit')).toBe('"minute";r=58;t=43, "day";r=998;t=43183');
    expect(headers.get('X-RateLimit-Limit')).toBe('60');
    expect(headers.get('X-RateLimit-Remaining')).toBe('58');
    expect(headers.get('X-RateLimit-Reset')).toBe(String(NOON / 1_000 + 60));
    expect(headers.has('Retry-After')).toBe(false);
  });

  test('are of whoever asks, also where only the limit of the day differs', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const one = await service.account(limits(60, 1_000));
    const other = await service.account(limits(60, 2_000));

    for (const [{ secret }, perDay] of [
      [one, 1_000],
      [other, 2_000],
      [one, 1_000],
    ] as const) {
      const { headers } = await service.request('/pets', { key: secret });
      const policy = `"minute";q=60;w=60, "day";q=${perDay};w=86400`;
      expect(headers.get('RateLimit-Policy')).toBe(policy);
    }
  });

  test('the shipped client reads both windows from them', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(subscribe('pro'));
    const client = service.client(secret, { now: () => clock.now().wall });

    await client.listPets();

    expect(client.rateLimit).toEqual({
      limit: 300,
      remaining: 299,
      resetAt: new Date(NOON + MINUTE),
      windows: [
        {
          name: 'minute',
          limit: 300,
          windowMs: 60_000,
          remaining: 299,
          resetAt: new Date(NOON + MINUTE),
        },
        {
          name: 'day',
          limit: 10_000,
          windowMs: 86_400_000,
          remaining: 9_999,
          resetAt: new Date(Date.UTC(2027, 0, 3)),
        },
      ],
    });
  });
});
