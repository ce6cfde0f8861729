import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import type { SessionEntry } from '../../src/dashboard/shared/api.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService } from '../support/harness.ts';

describe('signing in', () => {
  test('ends the session whose cookie it came with, and begins another', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const { cookie: former } = visitor;

    await visitor.signIn();

    expect(visitor.cookie).not.toBe(former);
    expect(await list(visitor)).toHaveLength(1);
    visitor.cookie = former;
    expect(await whoIs(visitor)).toBeUndefined();
  });

  test('to another account ends the former session, too', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const first = await Visitor.signUp(service);
    const second = await Visitor.signUp(service);
    const { cookie } = first;
    second.cookie = cookie;

    await second.signIn();

    expect(await whoIs(second)).toBe(second.email);
    expect(await whoIs(first)).toBeUndefined();
  });

  test('that fails leaves the session as it is', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const body = { email: visitor.email, password: 'not the password' };

    expect((await visitor.post('/api/auth/sign-in/email', body)).status).toBe(401);

    expect(await whoIs(visitor)).toBe(visitor.email);
  });

  test('never adopts a token that the client sent', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = new Visitor(service);
    visitor.cookie = 'petstore_session=chosen-by-an-attacker.AAAA';

    await visitor.signUp();

    expect(visitor.cookie).not.toContain('chosen');
  });

  test('is recent for 15 minutes', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ parts: PARTS, clock });
    const visitor = await Visitor.signUp(service);
    const create = () => visitor.post('/api/keys', { name: 'mine', environment: 'staging' });

    clock.advance(15 * MINUTE - 1);
    expect((await create()).status).toBe(201);
    clock.advance(1);
    const refused = await create();
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ code: 'sign_in_again' });
    await visitor.signIn();
    expect((await create()).status).toBe(201);
  });
});

describe('a session that is used all the time', () => {
  test.each([
    ['of a customer ends 30 days after the sign-in', 'customer', 30 * DAY, DAY],
    ['of an operator ends 12 hours after the sign-in', 'operator', 12 * HOUR, HOUR],
  ] as const)('%s', async (_, role, longest, step) => {
    const clock = new ManualClock();
    await using service = await TestService.start({ parts: PARTS, clock });
    const visitor = await Visitor.signUp(service);
    await service.stores.accounts.setRole(visitor.accountId, role, Date.now(), 'test');
    await visitor.signIn();
    const { cookie } = visitor;
    const [entry] = await list(visitor);
    const end = Date.parse(entry?.createdAt ?? '') + longest;
    expect(Date.parse(entry?.expiresAt ?? '')).toBeLessThanOrEqual(end);
    for (let age = step; age < longest; age += step) {
      clock.advance(step);
      expect(await whoIs(visitor)).toBe(visitor.email);
    }
    clock.advance(step - 1);
    expect(await whoIs(visitor)).toBe(visitor.email);

    clock.advance(1);

    expect((await visitor.get('/api/auth/list-sessions')).status).toBe(401);
    visitor.cookie = cookie;
    const body = { currentPassword: PASSWORD, newPassword: 'a wholly new password' };
    expect((await visitor.post('/api/auth/change-password', body)).status).toBe(401);
    expect((await visitor.get('/api/keys')).status).toBe(401);
    clock.step(-longest);
    expect(await whoIs(visitor)).toBeUndefined();
  });
});

describe('the list of sessions', () => {
  test('shows where and when each began, and which is the current one', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const other = new Visitor(service, visitor.email, { headers: { 'User-Agent': 'Phone/1.0' } });
    await other.signIn();

    const sessions = await list(visitor);

    const entry = {
      id: expect.stringMatching(/^ses_[0-9a-f]{32}$/),
      createdAt: expect.stringMatching(/Z$/),
      lastActiveAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      ipAddress: '127.0.0.1',
    };
    expect(sessions).toEqual([
      { ...entry, userAgent: 'Phone/1.0', current: false },
      { ...entry, userAgent: expect.stringMatching(/^Bun/), current: true },
    ]);
  });

  test('trusts no address that a client claims', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const headers = { 'X-Forwarded-For': '203.0.113.9', 'X-Client-Address': '203.0.113.9' };
    const visitor = new Visitor(service, undefined, { headers });
    await visitor.signUp();
    expect(await list(visitor)).toEqual([expect.objectContaining({ ipAddress: '127.0.0.1' })]);
  });

  test('lets a person end one by its id', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const other = await Visitor.signIn(service, visitor.email);
    const { id } = (await list(other)).find(({ current }) => current) ?? {};

    await visitor.json('POST', '/api/auth/revoke-session', { id });

    expect(await whoIs(other)).toBeUndefined();
    expect(await whoIs(visitor)).toBe(visitor.email);
    expect((await visitor.post('/api/auth/revoke-session', { id })).status).toBe(404);
  });

  test("lets nobody see or end another account's", async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const stranger = await Visitor.signUp(service);
    const [own] = await list(visitor);

    expect((await list(stranger)).map(({ id }) => id)).not.toContain(own?.id ?? '');
    const reply = await stranger.post('/api/auth/revoke-session', { id: own?.id });

    expect(reply.status).toBe(404);
    expect(await whoIs(visitor)).toBe(visitor.email);
  });

  test('lets a person end all others', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const others = [
      await Visitor.signIn(service, visitor.email),
      await Visitor.signIn(service, visitor.email),
    ];

    await visitor.json('POST', '/api/auth/revoke-other-sessions', {});

    for (const other of others) expect(await whoIs(other)).toBeUndefined();
    expect(await list(visitor)).toHaveLength(1);
  });

  test('ends all others however many there are', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    addSessions(service, visitor, 150);

    await visitor.json('POST', '/api/auth/revoke-other-sessions', {});

    expect(await whoIs(visitor)).toBe(visitor.email);
    expect(countSessions(service)).toBe(1);
  });

  test('holds the latest 50: a sign-in ends older ones', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    addSessions(service, visitor, 60);

    const latest = await Visitor.signIn(service, visitor.email);

    const sessions = await list(latest);
    expect(sessions).toHaveLength(50);
    expect(countSessions(service)).toBe(50);
    expect(sessions[0]).toMatchObject({ current: true });
    const ids = sessions.map(({ id }) => id);
    expect(ids).toContain('ses_added_13');
    expect(ids).not.toContain('ses_added_12');
    expect(await whoIs(visitor)).toBe(visitor.email);
  });

  test('lets a person end any of them however many there are', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    addSessions(service, visitor, 150);

    await visitor.json('POST', '/api/auth/revoke-session', { id: 'ses_added_150' });

    expect(countSessions(service)).toBe(150);
  });
});

describe('a session', () => {
  test('that is used is renewed once a day, with its cookie', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    expect((await visitor.get('/api/session')).headers.getSetCookie()).toEqual([]);
    expireAt(service, Date.now() + 5 * DAY);

    const reply = await visitor.get('/api/session');

    expect(reply.headers.getSetCookie()).toEqual([expect.stringContaining('Max-Age=604800')]);
    const [session] = await list(visitor);
    expect(Date.parse(session?.expiresAt ?? '')).toBeGreaterThan(Date.now() + 6 * DAY);
    expect((await visitor.get('/api/session')).headers.getSetCookie()).toEqual([]);
  });

  test('expires, and is deleted at the next sign-in', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    expireAt(service, Date.now() - 1);

    const other = await Visitor.signIn(service, visitor.email);

    expect(await whoIs(visitor)).toBeUndefined();
    expect(await list(other)).toHaveLength(1);
    expect(countSessions(service)).toBe(1);
  });
});

function list(visitor: Visitor): Promise<SessionEntry[]> {
  return visitor.json('GET', '/api/auth/list-sessions');
}

async function whoIs(visitor: Visitor): Promise<string | undefined> {
  const { account } = await visitor.json<{ account: { email: string } | null }>(
    'GET',
    '/api/session',
  );
  return account?.email;
}

function expireAt(service: TestService, moment: number): void {
  using database = new Database(join(service.folder.path, 'accounts.db'));
  database.run('UPDATE sessions SET expires_at = ?', [new Date(moment).toISOString()]);
}

/** Adds sessions that began before the visitor's session, oldest first. */
function addSessions(service: TestService, { accountId }: Visitor, count: number): void {
  using database = new Database(join(service.folder.path, 'accounts.db'));
  const add = database.query(
    `INSERT INTO sessions (id, user_id, token, expires_at, created_at, updated_at)
     VALUES (?1, ?2, ?1, ?3, ?4, ?4)`,
  );
  const expiresAt = new Date(Date.now() + DAY).toISOString();
  for (let each = 1; each <= count; each += 1) {
    const beganAt = new Date(Date.now() - (count + 1 - each) * MINUTE).toISOString();
    add.run(`ses_added_${each}`, accountId, expiresAt, beganAt);
  }
}

function countSessions(service: TestService): number {
  using database = new Database(join(service.folder.path, 'accounts.db'), { readonly: true });
  return database.query<{ n: number }, []>('SELECT count(*) AS n FROM sessions').get()?.n ?? 0;
}
