import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

describe('signing up without mail', () => {
  test('creates a Free account of a customer and signs in at once', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service, 'New.Person@Example.com');

    expect(await visitor.json('GET', '/api/session')).toMatchObject({
      account: { id: visitor.accountId, email: 'new.person@example.com', role: 'customer' },
    });
    expect(await service.stores.accounts.find(visitor.accountId)).toEqual({
      id: expect.stringMatching(/^acct_[0-9a-f]{32}$/),
      email: 'new.person@example.com',
      role: 'customer',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
      createdAt: expect.any(Number),
    });
  });

  test('is in the audit log', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);

    expect(await service.stores.audit.list(10)).toEqual([
      expect.objectContaining({ action: 'session.signed_in', accountId: visitor.accountId }),
      expect.objectContaining({
        action: 'account.created',
        accountId: visitor.accountId,
        by: visitor.email,
        detail: visitor.email,
      }),
    ]);
  });

  test('refuses an address that is taken, whatever its case', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { email } = await Visitor.signUp(service);
    const other = new Visitor(service, email.toUpperCase());

    const reply = await other.post('/api/auth/sign-up/email', { email, password: PASSWORD });

    expect(reply.status).toBe(409);
    expect(await reply.json()).toMatchObject({ code: 'conflict' });
    expect(other.cookie).toBe('');
    expect(await service.stores.accounts.list()).toHaveLength(1);
  });

  test('refuses the address of an account that the command line created', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const subscription = { plan: 'free', limits: { perMinute: 60, perDay: 1_000 } } as const;
    const visitor = new Visitor(service);
    const { email } = visitor;
    await service.stores.accounts.create(email, subscription, Date.now(), 'test');

    const reply = await visitor.post('/api/auth/sign-up/email', { email, password: PASSWORD });

    expect(reply.status).toBe(409);
    const entry = await visitor.post('/api/auth/sign-in/email', { email, password: PASSWORD });
    expect(entry.status).toBe(401);
  });

  test('that fails midway leaves nothing behind, and can be repeated', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = new Visitor(service);
    const { email, password } = visitor;
    changeAccounts(
      service,
      `CREATE TRIGGER broken BEFORE INSERT ON credentials
       BEGIN SELECT RAISE(ABORT, 'broken off'); END`,
    );
    const reply = await visitor.post('/api/auth/sign-up/email', { email, password });
    expect(reply.status).toBe(500);
    expect(await service.stores.accounts.list()).toEqual([]);
    expect(await service.stores.audit.list(10)).toEqual([]);
    changeAccounts(service, 'DROP TRIGGER broken');

    await visitor.signUp();

    await Visitor.signIn(service, email, password);
    const actions = (await service.stores.audit.list(10)).map(({ action }) => action);
    expect(actions).toEqual(['session.signed_in', 'session.signed_in', 'account.created']);
  });

  test('accepts an address once when two people sign up with it at the same moment', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitors = Array.from({ length: 5 }, () => new Visitor(service, 'same@example.com'));

    const results = await Promise.allSettled(visitors.map((visitor) => visitor.signUp()));

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await service.stores.accounts.list()).toHaveLength(1);
  });

  test('lets nobody choose their own role, plan, id or times', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = new Visitor(service);
    const { email, password } = visitor;
    const wishes = {
      ...{ role: 'operator', plan: 'enterprise', id: 'acct_1', emailVerified: true },
      ...{ registeredAt: 1, created_at: 1, perMinute: 9, rememberMe: false, callbackURL: '//x' },
    };

    await visitor.json('POST', '/api/auth/sign-up/email', { email, password, ...wishes });

    const account = await service.stores.accounts.findByEmail(email);
    expect(account).toMatchObject({ role: 'customer', plan: 'free' });
    expect(account?.id).not.toBe('acct_1');
    expect(account?.createdAt).toBeGreaterThan(1);
  });

  test.each<[string, unknown]>([
    ['a short password', { email: 'a@example.com', password: '1234567' }],
    ['a long password', { email: 'a@example.com', password: 'x'.repeat(129) }],
    ['no password', { email: 'a@example.com' }],
    ['a password that is no text', { email: 'a@example.com', password: { $gt: '' } }],
    ['no address', { password: PASSWORD }],
    ['an address that is none', { email: 'not an address', password: PASSWORD }],
    ['two addresses', { email: ['a@example.com', 'b@example.com'], password: PASSWORD }],
    ['a list', []],
    ['nothing', null],
  ])('refuses %s', async (_, body) => {
    await using service = await TestService.start({ parts: PARTS });

    const reply = await new Visitor(service).post('/api/auth/sign-up/email', body);

    expect(reply.status).toBe(400);
    const message = expect.stringMatching(/\.$/);
    expect(await reply.json()).toEqual({ code: 'invalid', message, status: 400 });
    expect(await service.stores.accounts.list()).toEqual([]);
  });

  test('accepts passwords of 8 and of 128 characters', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const password of ['kqzvwmfj', 'ü€😀 vast, odd, quick'.repeat(7).slice(0, 128)]) {
      const visitor = new Visitor(service, undefined, { password });
      await visitor.signUp();
      await Visitor.signIn(service, visitor.email, password);
    }
    expect(await service.stores.accounts.list()).toHaveLength(2);
  });
});

/** Changes the accounts file like another process. */
function changeAccounts(service: TestService, sql: string): void {
  using database = new Database(join(service.folder.path, 'accounts.db'));
  database.run(sql);
}
