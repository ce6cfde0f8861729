import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { operator } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import {
  addApp,
  addPasskey,
  enterPassword,
  factorsOf,
  giveCode,
  giveRecoveryCode,
  isSignedIn,
  signInByPasskey,
  startWithSignIn,
  withApp,
} from './second-factor-scene.ts';

const REQUIRED = { PETSTORE_OPERATOR_SECOND_FACTOR: 'required' };

/** A thief with the cookies that a visitor has now. */
function copyOf(service: TestService, visitor: Visitor): Visitor {
  const copy = new Visitor(service, visitor.email);
  copy.cookie = visitor.cookie;
  return copy;
}

function authenticatorOf(service: TestService): SoftwareAuthenticator {
  return new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
}

/** The ids of the sessions that the visitor sees. */
async function sessionsOf(visitor: Visitor): Promise<string[]> {
  const sessions = await visitor.json<Array<{ id: string }>>('GET', '/api/auth/list-sessions');
  return sessions.map(({ id }) => id);
}

describe('a copied cookie', () => {
  test.each([
    ['an authenticator app', addApp],
    [
      'a passkey',
      (service: TestService, visitor: Visitor) => addPasskey(visitor, authenticatorOf(service)),
    ],
  ] as const)(
    'of an operator gains nothing when the owner sets up %s',
    async (_, setUp: (service: TestService, visitor: Visitor) => Promise<unknown>) => {
      await using service = await startWithSignIn({ settings: REQUIRED });
      const boss = await operator(service);
      const customer = await Visitor.signUp(service);
      const thief = copyOf(service, boss);
      const change = (by: Visitor) =>
        by.put(`/api/operator/accounts/${customer.accountId}/plan`, { plan: 'pro' });
      expect((await change(thief)).status).toBe(403);
      const before = await sessionsOf(boss);

      await setUp(service, boss);

      expect((await change(thief)).status).toBe(401);
      expect((await thief.get('/api/operator/accounts')).status).toBe(401);
      expect((await change(boss)).status).toBe(200);
      expect(await sessionsOf(boss)).toEqual(before);
    },
  );

  test('ends with each further second factor, and other browsers stay signed in', async () => {
    await using service = await startWithSignIn();
    const { visitor, app } = await withApp(service);
    const { visitor: elsewhere } = await enterPassword(service, visitor);
    await giveCode(elsewhere, app.nextCode());
    const thief = copyOf(service, visitor);
    expect(await isSignedIn(thief)).toBe(true);

    expect((await addPasskey(visitor, authenticatorOf(service))).status).toBe(200);

    expect(await isSignedIn(thief)).toBe(false);
    expect(await isSignedIn(visitor)).toBe(true);
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  test('stays as it is when a second factor is refused', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const { cookie } = visitor;
    const foreign = new SoftwareAuthenticator('https://evil.example.com');
    expect((await addPasskey(visitor, foreign)).status).toBe(400);
    expect(visitor.cookie.startsWith(cookie)).toBe(true);
    expect(await factorsOf(visitor)).toMatchObject({ passkeys: [] });
  });

  test('ends at the next sign-in of its browser, in whatever way', async () => {
    await using service = await startWithSignIn();
    const { visitor, app, recoveryCodes } = await withApp(service);
    const authenticator = authenticatorOf(service);
    expect((await addPasskey(visitor, authenticator)).status).toBe(200);
    const { email, password } = visitor;
    const enter = () => visitor.post('/api/auth/sign-in/email', { email, password });
    const ways: ReadonlyArray<() => Promise<Response>> = [
      async () => {
        await enter();
        return giveCode(visitor, app.nextCode());
      },
      async () => {
        await enter();
        return giveRecoveryCode(visitor, recoveryCodes[0]);
      },
      () => signInByPasskey(visitor, authenticator),
      () => {
        const newPassword = 'quarry lantern velvet otter';
        return visitor.post('/api/auth/change-password', {
          currentPassword: password,
          newPassword,
        });
      },
    ];
    for (const way of ways) {
      const thief = copyOf(service, visitor);
      expect(await isSignedIn(thief)).toBe(true);
      expect((await way()).status).toBe(200);
      expect(await isSignedIn(thief)).toBe(false);
      expect(await isSignedIn(visitor)).toBe(true);
    }
  });

  test('of a customer does not become one of an operator', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const thief = copyOf(service, visitor);
    const { accounts } = service.stores;

    await accounts.setRole(visitor.accountId, 'operator', Date.now(), 'test');

    expect((await thief.get('/api/operator/accounts')).status).toBe(401);
    await visitor.signIn();
    expect((await visitor.get('/api/operator/accounts')).status).toBe(200);
    // The same role again, or a lesser one, gives no rights.
    for (const role of ['operator', 'customer'] as const) {
      await accounts.setRole(visitor.accountId, role, Date.now(), 'test');
      expect(await isSignedIn(visitor)).toBe(true);
    }
  });
});

test('the old token is invalid at once in other processes too', async () => {
  using folder = temporaryFolder();
  await using one = await TestService.start({ parts: PARTS, folder: folder.path });
  await using other = await TestService.start({ parts: ['dashboard'], folder: folder.path });
  const visitor = await Visitor.signUp(one);
  const thief = copyOf(other, visitor);
  expect(await isSignedIn(thief)).toBe(true);

  await addApp(one, visitor);

  expect(await isSignedIn(thief)).toBe(false);
  expect(await isSignedIn(copyOf(other, visitor))).toBe(true);
});

test('an open page with a copied cookie is told nothing more', async () => {
  await using service = await startWithSignIn();
  const visitor = await Visitor.signUp(service);
  const { body } = await copyOf(service, visitor).get('/api/live');
  const reader = body?.getReader();

  await addApp(service, visitor);

  await eventually(async () => (await reader?.read())?.done === true);
});
