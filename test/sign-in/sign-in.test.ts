import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { lazy } from '../../src/lib/lazy.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { visibleReply } from './visible-reply.ts';

describe('signing in', () => {
  test('works with the address in any case and spaces around it', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email, accountId } = await Visitor.signUp(service);

    const again = await Visitor.signIn(service, ` ${email.toUpperCase()} `);

    expect(again.accountId).toBe(accountId);
  });

  test('replies alike whether the password or the address is wrong', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    await service.stores.accounts.create(
      'without-password@example.com',
      { plan: 'free', limits: { perMinute: 60, perDay: 1_000 } },
      Date.now(),
      'test',
    );
    const answers = [email, 'unknown@example.com', 'without-password@example.com'].map((each) =>
      visibleReply(
        new Visitor(service).post('/api/auth/sign-in/email', {
          email: each,
          password: 'not the password',
        }),
      ),
    );

    const [known, ...others] = await Promise.all(answers);

    expect(known).toMatchObject({ status: 401, body: { code: 'invalid' } });
    for (const other of others) expect<unknown>(other).toEqual(known);
  });

  test('ends by signing out, also for a copy of the cookie', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const { cookie } = visitor;

    await visitor.post('/api/auth/sign-out');

    expect(visitor.cookie).not.toContain('_session');
    visitor.cookie = cookie;
    expect(await visitor.json('GET', '/api/session')).toMatchObject({ account: null });
  });

  test('reveals no session token in a reply that a script can read', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = new Visitor(service);
    const { email, password } = visitor;
    const bodies: string[] = [];
    const send = async (path: string, body?: unknown) => {
      const method = body === undefined ? 'GET' : 'POST';
      const reply = await visitor.request(method, `/api/auth${path}`, body);
      expect(reply.status).toBe(200);
      const token = decodeURIComponent(visitor.cookie).split(/[=.]/)[1] ?? '';
      expect(token.length).toBeGreaterThan(20);
      const text = await reply.text();
      expect(text).not.toContain(token);
      bodies.push(text);
    };

    await send('/sign-up/email', { email, password });
    await send('/sign-in/email', { email, password });
    await send('/change-password', {
      currentPassword: password,
      newPassword: 'a wholly new password',
    });
    await send('/list-sessions');

    expect(bodies.join()).not.toContain('token');
  });
});

describe('below /api/auth', () => {
  const shared = sharedService(() => TestService.start({ parts: PARTS }));
  const signedIn = lazy(() => Visitor.signUp(shared()));

  test.each([
    '/get-session',
    '/update-user',
    '/change-email',
    '/set-password',
    '/verify-password',
    '/sign-in/social',
    '/link-social',
    '/list-accounts',
    '/revoke-sessions',
    '/reset-password/some-token',
    '/reset-tokens/acct_1',
    '/own-sessions',
    '/delete-user/callback',
    '/callback/github',
    '/error',
    '/ok',
    '/constructor',
    '/sign-in/email/',
    '/sign-in%2Femail',
    '/',
  ])('%s is not served, by any method', async (path) => {
    const visitor = await signedIn();
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? {} : undefined;
      const reply = await visitor.request(method, `/api/auth${path}`, body);
      expect(reply.status).toBe(404);
      expect(await reply.json()).toMatchObject({ code: 'not_found' });
    }
  });

  test('a wrong method gets the allowed one', async () => {
    const reply = await new Visitor(shared()).get('/api/auth/sign-in/email');
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('POST');
  });

  test('what needs a session is refused without one', async () => {
    const visitor = new Visitor(shared());
    const password = { password: PASSWORD };
    const replies = await Promise.all([
      visitor.get('/api/auth/list-sessions'),
      visitor.post('/api/auth/revoke-session', { id: 'ses_1' }),
      visitor.post('/api/auth/revoke-other-sessions'),
      visitor.post('/api/auth/delete-user', password),
      visitor.post('/api/auth/change-password', {
        currentPassword: PASSWORD,
        newPassword: 'a wholly new password',
      }),
    ]);
    for (const reply of replies) {
      expect(reply.status).toBe(401);
      expect(await reply.json()).toMatchObject({ code: 'signed_out' });
    }
  });

  test('no reply may be cached, whether a success or an error', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const replies = [
      await visitor.get('/api/auth/list-sessions'),
      await visitor.post('/api/auth/sign-in/email', { email: visitor.email, password: 'wrong' }),
      await visitor.get('/api/auth/nothing'),
      await visitor.post('/api/auth/sign-out'),
    ];
    for (const reply of replies) expect(reply.headers.get('cache-control')).toBe('no-store');
  });

  test('a body that is not sent as JSON is refused', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const url = `${service.dashboardUrl}/api/auth/sign-up/email`;
    const body = JSON.stringify({ email: 'a@example.com', password: PASSWORD });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const headers = { 'Content-Type': type, Origin: new URL(url).origin };
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(400);
    }
    expect(await service.stores.accounts.list()).toEqual([]);
  });
});
