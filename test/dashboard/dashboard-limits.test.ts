import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { createKey, customer, expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';

/** The limits of src/dashboard/request-limits.ts. */
const SESSION_MINUTE = 300;
const ACCOUNT_MINUTE = 600;

const clock = new ManualClock();
const service = sharedService(() =>
  TestService.start({
    parts: PARTS,
    clock,
    settings: { PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' },
  }),
);

/** A visitor with its own address. */
async function visitorAt(address: string): Promise<Visitor> {
  const options = { headers: { 'X-Forwarded-For': address } };
  const visitor = new Visitor(service(), undefined, options);
  await visitor.signUp();
  return visitor;
}

/** Another session of the same account, from another address. */
async function anotherSession({ email }: Visitor, address: string): Promise<Visitor> {
  const visitor = new Visitor(service(), email, { headers: { 'X-Forwarded-For': address } });
  await visitor.signIn();
  return visitor;
}

/** The statuses of this many requests for the session. */
async function statuses(visitor: Visitor, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < times; sent += 50) {
    const count = Math.min(50, times - sent);
    const replies = Array.from({ length: count }, () => visitor.get('/api/keys'));
    for (const { status } of await Promise.all(replies)) found.push(status);
  }
  return found;
}

const admitted = (found: readonly number[]) => found.filter((status) => status === 200).length;

test('every reply of the dashboard API shows the tightest limit in the headers of the API', async () => {
  const visitor = await visitorAt('198.51.100.1');
  clock.advance(MINUTE);
  const reset = String(clock.now().wall / 1_000 + 60);
  const requests = [
    ['GET', '/api/session', 200],
    ['GET', '/api/keys', 200],
    ['GET', '/api/operator/bans', 403],
    ['GET', '/api/auth/list-sessions', 200],
    ['GET', '/api/none', 404],
    ['POST', '/api/keys', 400],
  ] as const;
  for (const [index, [method, path, status]] of requests.entries()) {
    const reply = await visitor.request(method, path);
    const left = SESSION_MINUTE - 1 - index;
    expect([path, reply.status, Object.fromEntries(reply.headers)]).toEqual([
      path,
      status,
      expect.objectContaining({
        'x-ratelimit-limit': String(SESSION_MINUTE),
        'x-ratelimit-remaining': String(left),
        'x-ratelimit-reset': reset,
        'ratelimit-policy': '"minute";q=300;w=60, "day";q=100000;w=86400',
        ratelimit: expect.stringMatching(
          new RegExp(`^"minute";r=${left};t=60, "day";r=\\d+;t=\\d+$`),
        ),
      }),
    ]);
  }
  const stranger = new Visitor(service(), undefined, { headers: { 'X-Forwarded-For': '::9' } });
  const reply = await stranger.get('/api/session');
  expect(reply.headers.get('X-RateLimit-Limit')).toBe('600');
});

test('a session is limited, also for requests that are sent at once, and waiting for Retry-After is enough', async () => {
  const visitor = await visitorAt('198.51.100.2');
  clock.advance(MINUTE);
  expect(admitted(await statuses(visitor, SESSION_MINUTE + 20))).toBe(SESSION_MINUTE);
  clock.advance(20_500);
  for (const path of ['/api/keys', '/api/auth/list-sessions', '/api/none']) {
    const reply = await visitor.get(path);
    expect(await expectRefusal(reply.clone(), 429, 'rate_limited')).toContain('Wait 40 seconds');
    expect(reply.headers.get('Retry-After')).toBe('40');
    expect(reply.headers.get('X-RateLimit-Remaining')).toBe('0');
    expect(Object.keys(await reply.json())).toEqual(['code', 'message', 'status']);
  }
  clock.advance(40_000);
  expect((await visitor.get('/api/keys')).status).toBe(200);
});

test('the sessions of one account share a limit, and other accounts are unaffected', async () => {
  const first = await visitorAt('198.51.100.3');
  const others = [
    await anotherSession(first, '198.51.100.4'),
    await anotherSession(first, '198.51.100.5'),
  ];
  const bystander = await customer(service());
  clock.advance(MINUTE);
  const found = await Promise.all([first, ...others].map((each) => statuses(each, SESSION_MINUTE)));
  expect(admitted(found.flat())).toBe(ACCOUNT_MINUTE);
  expect((await bystander.get('/api/keys')).status).toBe(200);
  clock.advance(MINUTE);
  expect((await first.get('/api/keys')).status).toBe(200);
});

test('what protects an account is served at the limit of its session, which a copied cookie uses up', async () => {
  const owner = await visitorAt('198.51.100.7');
  const key = await createKey(owner);
  const other = await anotherSession(owner, '198.51.100.8');
  const thief = new Visitor(service(), owner.email, {
    headers: { 'X-Forwarded-For': '198.51.100.9' },
  });
  thief.cookie = owner.cookie;
  clock.advance(MINUTE);
  const sessions = await owner.json<{ id: string }[]>('GET', '/api/auth/list-sessions');
  await Promise.all([statuses(thief, SESSION_MINUTE), statuses(other, SESSION_MINUTE)]);
  const { email, password } = owner;
  const change = { currentPassword: password, newPassword: `${password} two` };

  expect((await owner.get('/api/keys')).status).toBe(429);
  expect((await owner.delete(`/api/keys/${key.key.id}`)).status).toBe(204);
  for (const [path, body] of [
    ['revoke-session', { id: sessions[0]?.id }],
    ['sign-in/email', { email, password }],
    ['revoke-other-sessions', {}],
    ['change-password', change],
    ['sign-out', {}],
  ] as const) {
    const reply = await owner.post(`/api/auth/${path}`, body);
    expect([path, reply.status]).toEqual([path, 200]);
    expect(reply.headers.get('X-RateLimit-Limit')).toBe('600');
  }
  expect((await thief.get('/api/keys')).status).toBe(401);
});

test('requests that another site makes a browser send count for the address of the client', async () => {
  const visitor = await visitorAt('198.51.100.10');
  clock.advance(MINUTE);
  const foreign = () => visitor.request('POST', '/api/keys', {}, { Origin: 'https://example.org' });
  const reply = await foreign();
  expect([reply.status, reply.headers.get('X-RateLimit-Remaining')]).toEqual([403, '599']);
  for (let sent = 1; sent < 600; sent += 50) {
    await Promise.all(Array.from({ length: Math.min(50, 600 - sent) }, foreign));
  }
  await expectRefusal(await foreign(), 429, 'rate_limited');
  const own = await visitor.get('/api/keys');
  expect([own.status, own.headers.get('X-RateLimit-Remaining')]).toEqual([200, '299']);
});

test('signing out and in again does not begin a new limit of the account', async () => {
  const visitor = await visitorAt('198.51.100.6');
  clock.advance(MINUTE);
  const admittedNow = async () => admitted(await statuses(visitor, SESSION_MINUTE));
  expect(await admittedNow()).toBe(SESSION_MINUTE);
  await visitor.signIn();
  expect(await admittedNow()).toBe(SESSION_MINUTE);
  await visitor.signIn();
  expect(await admittedNow()).toBe(0);
});
