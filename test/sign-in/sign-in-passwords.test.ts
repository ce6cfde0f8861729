import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { resetToken } from '../support/reset-token.ts';

const NEW = 'a wholly new password';

describe('changing the password', () => {
  test('requires the current one, ends all other sessions, and begins a new one', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const other = await Visitor.signIn(service, visitor.email);
    const { cookie: former } = visitor;
    const body = { currentPassword: PASSWORD, newPassword: NEW };

    await visitor.json('POST', '/api/auth/change-password', body);

    expect(await isSignedIn(visitor)).toBe(true);
    expect(await isSignedIn(other)).toBe(false);
    expect(visitor.cookie).not.toBe(former);
    visitor.cookie = former;
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await signInStatus(service, visitor.email, PASSWORD)).toBe(401);
    expect(await signInStatus(service, visitor.email, NEW)).toBe(200);
  });

  test('is refused with a wrong password, and changes nothing', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const body = { currentPassword: 'not the password', newPassword: NEW };

    const reply = await visitor.post('/api/auth/change-password', body);

    expect(reply.status).toBe(400);
    const message = 'The password is wrong.';
    expect(await reply.json()).toEqual({ code: 'invalid', message, status: 400 });
    expect(await signInStatus(service, visitor.email, PASSWORD)).toBe(200);
  });

  test('ends the links that could set another', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const token = await resetToken(service, visitor.email);
    const body = { currentPassword: PASSWORD, newPassword: NEW };

    await visitor.json('POST', '/api/auth/change-password', body);

    expect((await reset(service, token, 'chosen by a thief')).status).toBe(400);
  });
});

describe('a reset link', () => {
  test('sets a new password once, and ends every session and every other link', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const former = await resetToken(service, visitor.email);
    const token = await resetToken(service, visitor.email.toUpperCase());

    expect((await reset(service, token, NEW)).status).toBe(200);

    expect(await isSignedIn(visitor)).toBe(false);
    expect(await signInStatus(service, visitor.email, PASSWORD)).toBe(401);
    expect(await signInStatus(service, visitor.email, NEW)).toBe(200);
    for (const used of [token, former]) {
      const again = await reset(service, used, 'yet another password');
      expect(again.status).toBe(400);
      expect(await again.json()).toMatchObject({ code: 'invalid' });
    }
  });

  test('works once when it is used twice at the same moment', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    const token = await resetToken(service, email);

    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        reset(service, token, `a wholly new password ${index}`),
      ),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  test('survives a new password that is too short', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    const token = await resetToken(service, email);
    expect((await reset(service, token, 'short')).status).toBe(400);
    expect((await reset(service, token, NEW)).status).toBe(200);
  });

  test('expires after an hour', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    const token = await resetToken(service, email);
    using database = new Database(join(service.folder.path, 'accounts.db'));
    const row = database
      .query<{ expires_at: string }, []>('SELECT expires_at FROM verifications')
      .get();
    const left = Date.parse(row?.expires_at ?? '') - Date.now();
    expect(left).toBeLessThanOrEqual(3_600_000);
    expect(left).toBeGreaterThan(3_500_000);
    database.run('UPDATE verifications SET expires_at = ?', [new Date(Date.now() - 1).toJSON()]);

    expect((await reset(service, token, NEW)).status).toBe(400);
  });

  test('of a deleted account sets nothing', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const token = await resetToken(service, visitor.email);
    await visitor.json('POST', '/api/auth/delete-user', { password: PASSWORD });
    expect((await reset(service, token, NEW)).status).toBe(400);
  });

  test('cannot be requested by mail where no mail is sent', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    for (const each of [email, 'unknown@example.com']) {
      const body = { email: each };
      const reply = await new Visitor(service).post('/api/auth/request-password-reset', body);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ message: expect.stringContaining('operator') });
    }
  });
});

describe('the database', () => {
  test('holds argon2id of the password, and no token of a link', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    const token = await resetToken(service, email);
    using database = new Database(join(service.folder.path, 'accounts.db'), { readonly: true });
    const stored = database
      .query<{ password: string }, []>('SELECT password FROM credentials')
      .get();
    expect(stored?.password).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    const links = JSON.stringify(database.query('SELECT * FROM verifications').all());
    expect(links).not.toContain(token);
    expect(links.length).toBeGreaterThan(10);
  });
});

describe('deleting the account', () => {
  test('requires the password, and deletes everything that belongs to the account', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const other = await Visitor.signIn(service, visitor.email);
    const { account } = await requireAccount(service, visitor);
    const issued = await service.stores.apiKeyService.issue(
      account,
      { environment: 'production', name: 'mine' },
      'test',
    );
    expect((await service.request('/pets', { key: issued.text })).status).toBe(200);

    await visitor.json('POST', '/api/auth/delete-user', { password: PASSWORD });

    expect((await service.request('/pets', { key: issued.text })).status).toBe(401);
    expect(visitor.cookie).not.toContain('_session');
    expect(await isSignedIn(other)).toBe(false);
    expect(await service.stores.accounts.find(account.id)).toBeUndefined();
    expect(await signInStatus(service, visitor.email, PASSWORD)).toBe(401);
    expect(await service.stores.audit.list(1)).toEqual([
      expect.objectContaining({
        action: 'account.deleted',
        accountId: account.id,
        by: account.id,
        detail: '',
      }),
    ]);
  });

  test.each([
    ['a wrong password', { password: 'not the password' }],
    ['no password', {}],
    ['an empty password', { password: '' }],
    ['a token in its place', { token: 'x' }],
  ])('is refused with %s', async (_, body) => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);

    expect((await visitor.post('/api/auth/delete-user', body)).status).toBe(400);

    expect(await isSignedIn(visitor)).toBe(true);
  });

  test('that fails midway leaves an account whose holder signs in and deletes it again', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    using database = new Database(join(service.folder.path, 'accounts.db'));
    database.run(
      `CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken off'); END`,
    );

    const reply = await visitor.post('/api/auth/delete-user', { password: PASSWORD });

    expect(reply.status).toBe(500);
    expect(await isSignedIn(visitor)).toBe(true);
    const again = await Visitor.signIn(service, visitor.email, PASSWORD);
    database.run('DROP TRIGGER broken');
    await again.json('POST', '/api/auth/delete-user', { password: PASSWORD });
    expect(await service.stores.accounts.find(visitor.accountId)).toBeUndefined();
  });

  test('leaves the address free for another account', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    await visitor.json('POST', '/api/auth/delete-user', { password: PASSWORD });
    const next = await Visitor.signUp(service, visitor.email);
    expect(next.accountId).not.toBe(visitor.accountId);
  });
});

function reset(service: TestService, token: string, newPassword: string): Promise<Response> {
  return new Visitor(service).post('/api/auth/reset-password', { token, newPassword });
}

async function signInStatus(service: TestService, email: string, password: string) {
  const reply = await new Visitor(service).post('/api/auth/sign-in/email', { email, password });
  return reply.status;
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  const { account } = await visitor.json<{ account: unknown }>('GET', '/api/session');
  return account !== null;
}

async function requireAccount(service: TestService, { accountId }: Visitor) {
  const account = await service.stores.accounts.find(accountId);
  if (!account) throw new Error(`${accountId} is gone`);
  return { account };
}
