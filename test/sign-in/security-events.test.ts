import { describe, expect, test } from 'bun:test';
import type { AuditRecord } from '../../src/core/accounts/audit.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, ManualClock, type TestService } from '../support/harness.ts';
import { resetToken } from '../support/reset-token.ts';
import {
  addPasskey,
  enterPassword,
  giveCode,
  giveRecoveryCode,
  signInByPasskey,
  startWithSignIn,
  withApp,
  wrongCode,
} from './second-factor-scene.ts';
import { authenticatorOf, eventsOf, FROM, inFirefox } from './security-event-scene.ts';

const NEW_PASSWORD = 'quarry lantern velvet otter';

/** The refused sign-ins of an account; their entries are written after the replies. */
async function refusalsOf(service: TestService, accountId: string): Promise<AuditRecord[]> {
  const filter = { accountId, actions: ['session.refused'] as const };
  return service.stores.audit.list(50, undefined, filter);
}

describe('a sign-in', () => {
  test('is an event with the device and the address, which its holder sees', async () => {
    await using service = await startWithSignIn();
    const visitor = inFirefox(service);
    await visitor.signUp();
    await visitor.signIn();

    const signedIn = { action: 'session.signed_in', by: 'holder', detail: 'password', ...FROM };
    expect(await eventsOf(visitor)).toMatchObject([signedIn, signedIn]);
    const stranger = await Visitor.signUp(service);
    expect(await eventsOf(stranger)).toHaveLength(1);
    await expectRefusal(await new Visitor(service).get('/api/security-events'), 401, 'signed_out');
  });

  test('names what proved it: a code, a recovery code or a passkey', async () => {
    await using service = await startWithSignIn();
    const { visitor, app, recoveryCodes } = await withApp(service);
    const authenticator = authenticatorOf(service);
    expect((await addPasskey(visitor, authenticator)).status).toBe(200);
    const { visitor: one } = await enterPassword(service, visitor);
    expect((await giveCode(one, app.nextCode())).status).toBe(200);
    const { visitor: other } = await enterPassword(service, visitor);
    expect((await giveRecoveryCode(other, recoveryCodes[0])).status).toBe(200);
    expect((await signInByPasskey(new Visitor(service), authenticator)).status).toBe(200);

    const listed = (await eventsOf(visitor)).map(({ action, detail }) => [action, detail]);
    expect(listed).toEqual([
      ['session.signed_in', 'passkey'],
      ['session.signed_in', 'password and recovery code'],
      ['second_factor.code_used', '9 left'],
      ['session.signed_in', 'password and code of an app'],
      ['factor.added', 'passkey Laptop'],
      ['factor.added', 'authenticator app'],
      ['session.signed_in', 'password'],
    ]);
  });
});

describe('a refused sign-in', () => {
  const ways: ReadonlyArray<
    readonly [string, (service: TestService) => Promise<{ accountId: string; status: number }>]
  > = [
    [
      'wrong password',
      async (service) => {
        const { email, accountId } = await Visitor.signUp(service);
        const body = { email, password: 'not the password' };
        const reply = await new Visitor(service).post('/api/auth/sign-in/email', body);
        return { accountId, status: reply.status };
      },
    ],
    [
      'wrong code',
      async (service) => {
        const { visitor, app } = await withApp(service);
        const { visitor: again } = await enterPassword(service, visitor);
        const { status } = await giveCode(again, wrongCode(app));
        return { accountId: visitor.accountId, status };
      },
    ],
    [
      'wrong recovery code',
      async (service) => {
        const { visitor } = await withApp(service);
        const { visitor: again } = await enterPassword(service, visitor);
        const { status } = await giveRecoveryCode(again, 'abcd-efgh');
        return { accountId: visitor.accountId, status };
      },
    ],
    [
      'passkey not accepted',
      async (service) => {
        const visitor = await Visitor.signUp(service);
        const authenticator = authenticatorOf(service);
        await addPasskey(visitor, authenticator);
        authenticator.origin = 'https://evil.example.com';
        const { status } = await signInByPasskey(new Visitor(service), authenticator);
        return { accountId: visitor.accountId, status };
      },
    ],
    [
      'too many attempts',
      async (service) => {
        const { email, accountId } = await Visitor.signUp(service);
        const guess = (name: string, password: string) =>
          new Visitor(service).post('/api/auth/sign-in/email', { email: name, password });
        for (let tries = 0; tries < 30; tries += 1) await guess(`nobody${tries}@a.org`, PASSWORD);
        const { status } = await guess(email, PASSWORD);
        return { accountId, status };
      },
    ],
  ];

  test.each(ways)('is an event: %s', async (detail, refuse) => {
    await using service = await startWithSignIn();

    const { accountId, status } = await refuse(service);

    expect(status).toBeOneOf([401, 429]);
    await eventually(async () => (await refusalsOf(service, accountId)).length > 0);
    const client = { device: 'A browser', address: '127.0.0.1' };
    expect(await refusalsOf(service, accountId)).toMatchObject([
      { detail, client, by: 'somebody who is not signed in' },
    ]);
  });

  test('is an event once a minute for an account, whoever tries however often', async () => {
    const clock = new ManualClock();
    await using service = await startWithSignIn({ clock });
    const { email, accountId } = await Visitor.signUp(service);
    const guess = async () => {
      const body = { email, password: 'not the password' };
      expect((await new Visitor(service).post('/api/auth/sign-in/email', body)).status).toBe(401);
    };
    for (let tries = 0; tries < 4; tries += 1) await guess();
    clock.advance(MINUTE - 1);
    await guess();
    await eventually(async () => (await refusalsOf(service, accountId)).length > 0);
    expect(await refusalsOf(service, accountId)).toHaveLength(1);
    clock.advance(1);
    await guess();
    await eventually(async () => (await refusalsOf(service, accountId)).length > 1);
  });

  test('to an address without an account is no event', async () => {
    await using service = await startWithSignIn();
    const body = { email: 'nobody@example.com', password: PASSWORD };
    const stranger = new Visitor(service);
    await expectRefusal(await stranger.post('/api/auth/sign-in/email', body), 401, 'invalid');
    await expectRefusal(await signInByPasskey(stranger, authenticatorOf(service)), 401, 'invalid');
    await Visitor.signUp(service);
    expect((await service.stores.audit.list(9)).map(({ action }) => action)).toEqual([
      'session.signed_in',
      'account.created',
    ]);
  });
});

describe('a changed password', () => {
  test('is an event, with the password that was known or by a reset link', async () => {
    await using service = await startWithSignIn();
    const visitor = inFirefox(service);
    await visitor.signUp();
    const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    await visitor.json('POST', '/api/auth/change-password', body);
    const token = await resetToken(service, visitor.email);
    const reset = { token, newPassword: PASSWORD };
    await inFirefox(service).json('POST', '/api/auth/reset-password', reset);
    await visitor.signIn();

    const changed = { action: 'password.changed', by: 'holder', ...FROM };
    expect((await eventsOf(visitor)).slice(1, 3)).toMatchObject([
      { ...changed, detail: 'by a reset link' },
      { ...changed, detail: 'with the current password' },
    ]);
  });

  test.each([
    [
      'change-password',
      { currentPassword: 'wrong password', newPassword: NEW_PASSWORD },
      'change it',
    ],
    ['delete-user', { password: 'wrong password' }, 'delete the account'],
  ] as const)(
    'is preceded by an event when the password for %s is wrong',
    async (path, body, to) => {
      await using service = await startWithSignIn();
      const visitor = await Visitor.signUp(service);
      await expectRefusal(await visitor.post(`/api/auth/${path}`, body), 400, 'invalid');
      await eventually(async () => (await refusalsOf(service, visitor.accountId)).length > 0);
      expect(await refusalsOf(service, visitor.accountId)).toMatchObject([
        { by: visitor.email, detail: `wrong password to ${to}, in a session` },
      ]);
    },
  );
});

describe('a change of second factors', () => {
  test('is an event with the device and the address', async () => {
    await using service = await startWithSignIn();
    const visitor = inFirefox(service);
    await visitor.signUp();
    const authenticator = authenticatorOf(service);
    expect((await addPasskey(visitor, authenticator)).status).toBe(200);
    const post = (path: string, body = {}) =>
      visitor.json('POST', `/api/auth/second-factors/${path}`, body);
    await post('recovery-codes');
    const { passkeys } = await visitor.json<{ passkeys: Array<{ id: string }> }>(
      'GET',
      '/api/auth/second-factors',
    );
    await post('passkeys/remove', { id: passkeys[0]?.id });

    expect((await eventsOf(visitor)).slice(0, 3)).toMatchObject([
      { action: 'factor.removed', detail: 'passkey Laptop', ...FROM },
      { action: 'second_factor.codes_renewed', detail: '10 codes', ...FROM },
      { action: 'factor.added', detail: 'passkey Laptop', ...FROM },
    ]);
  });

  test('by an operator is shown without the name of the operator', async () => {
    await using service = await startWithSignIn();
    const { visitor } = await withApp(service);
    const change = { accountId: visitor.accountId, now: Date.now(), by: 'command line: root' };
    expect(await service.stores.secondFactors.reset(change)).toBe(true);
    await visitor.signIn();
    const [, event] = await eventsOf(visitor);
    expect(event).toMatchObject({
      action: 'second_factor.reset',
      by: 'operator',
      device: null,
      address: null,
    });
    expect(JSON.stringify(await eventsOf(visitor))).not.toContain('root');
  });
});

test('an entry that cannot be written fails no sign-in', async () => {
  await using service = await startWithSignIn();
  const visitor = await Visitor.signUp(service);
  const { recoveryCodes, visitor: holder } = await withApp(service);
  const queries = await service.stores.queries();
  await queries.schema.alterTable('audit').renameTo('hidden_audit').execute();

  await visitor.signIn();
  const wrong = { email: visitor.email, password: 'not the password' };
  const refused = await new Visitor(service).post('/api/auth/sign-in/email', wrong);
  const { visitor: again } = await enterPassword(service, holder);
  const recovered = await giveRecoveryCode(again, recoveryCodes[0]);
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  const changed = await visitor.post('/api/auth/change-password', body);

  await queries.schema.alterTable('hidden_audit').renameTo('audit').execute();
  expect([refused.status, recovered.status, changed.status]).toEqual([401, 200, 200]);
  await Visitor.signIn(service, visitor.email, NEW_PASSWORD);
});
