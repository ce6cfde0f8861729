import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { ManualClock, type NewAccount, TestService } from '../support/harness.ts';
import { ask, type Reading, readAnswer, readLimits } from '../support/limit-readings.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';
import { sharedService } from '../support/shared-service.ts';

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

/** Requests with the status of their reply and the owner of the limits that it shows. */
type Replies = ReadonlyArray<readonly [number, string, 'account' | 'address', Send]>;

/** One request for every kind of reply that does not affect the other replies. */
const REPLIES: Replies = [
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
  [404, 'an unknown pet', 'account', withKey('/pets/999')],
  [404, 'an unknown path', 'account', withKey('/nowhere')],
  [404, 'outside of every base address', 'address', sendOutside],
  [405, 'a method not served', 'account', withKey('/pets', { method: 'DELETE' })],
  [413, 'a body too large', 'account', posting('x'.repeat(65 * 1024))],
  [422, 'an idempotency mismatch', 'account', reuseIdempotencyKey],
];

/** Requests that need their own service. */
const REPLIES_BY_THEMSELVES: Replies = [
  [410, 'a removed operation', 'account', getAfterSunset],
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

const ADDRESS_LIMITS = {
  PETSTORE_ANONYMOUS_PER_MINUTE: '40',
  PETSTORE_ANONYMOUS_PER_DAY: '400',
};

const stillClock = new ManualClock();
const shared = sharedService(() =>
  TestService.start({ clock: stillClock, settings: ADDRESS_LIMITS }),
);

describe('every reply tells the limits', () => {
  test.each(REPLIES)('%i, %s: those of the %s', async (...[status, , counted, send]) => {
    const service = shared();
    const account = await service.account(limits(50, 500));
    const reply = readLimits(await send({ service, clock: stillClock, ...account }));
    expectLimits(reply, status, counted, stillClock);
  });

  test.each(REPLIES_BY_THEMSELVES)(
    '%i, %s: those of the %s',
    async (...[status, , counted, send]) => {
      const clock = new ManualClock();
      await using service = await TestService.start({ clock, settings: ADDRESS_LIMITS });
      const account = await service.account(limits(50, 500));
      const reply = readLimits(await send({ service, clock, ...account }));
      expectLimits(reply, status, counted, clock);
    },
  );

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
    await using service = await TestService.start({
      clock: new ManualClock(),
      settings: ADDRESS_LIMITS,
    });
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

function expectLimits(
  reply: Reading,
  status: number,
  counted: 'account' | 'address',
  clock: ManualClock,
): void {
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
}

function readRaw({ status, headers }: RawReply) {
  return readLimits({ status, headers: new Headers({ ...headers }) });
}
