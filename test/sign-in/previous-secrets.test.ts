import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { resetToken } from '../support/reset-token.ts';
import { NEW, OLD, withSecrets } from '../support/secrets.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import {
  AuthenticatorApp,
  addApp,
  addPasskey,
  enterPassword,
  giveCode,
  giveRecoveryCode,
  isSignedIn,
} from './second-factor-scene.ts';

const MOVE = 'move second factors to the secret';
const SET_UP = '/api/auth/second-factors/totp';

/** One service after the other in a folder, each with other secrets. */
class Scene implements AsyncDisposable {
  readonly #folder = temporaryFolder();
  // better-auth reads the machine's clock.
  readonly #clock = new ManualClock(Date.now());
  #service: TestService | undefined;

  async start(current: string, ...previous: readonly string[]): Promise<TestService> {
    await this.#service?.stop();
    this.#service = await TestService.start({
      folder: this.#folder.path,
      clock: this.#clock,
      parts: PARTS,
      settings: withSecrets(current, ...previous),
    });
    return this.#service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.stop();
    this.#folder[Symbol.dispose]();
  }
}

/** The same browser at another service. */
function moved(browser: Visitor, service: TestService): Visitor {
  const { email, password, cookie } = browser;
  const there = new Visitor(service, email, { password });
  there.cookie = cookie;
  return there;
}

test('a session outlives a change of the secret, and its cookie moves to the new one', async () => {
  await using scene = new Scene();
  const visitor = await Visitor.signUp(await scene.start(OLD));
  const second = moved(visitor, await scene.start(NEW, OLD));
  expect(await isSignedIn(second)).toBe(true);
  const shown = await second.get('/api/session');
  expect(await shown.json()).toMatchObject({ account: { email: visitor.email } });
  expect(shown.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^petstore_session=.*Max-Age=60\d{4};.*HttpOnly/i),
  ]);
  expect((await second.get('/api/session')).headers.getSetCookie()).toEqual([]);

  const only = await scene.start(NEW);
  expect(await isSignedIn(moved(second, only))).toBe(true);
  expect(await isSignedIn(moved(visitor, only))).toBe(false);
});

test('a process with the earlier secret accepts sessions of the later one, and leaves their cookies alone', async () => {
  await using scene = new Scene();
  await scene.start(OLD);
  const visitor = await Visitor.signUp(await scene.start(NEW, OLD));
  const before = moved(visitor, await scene.start(OLD, NEW));
  expect(await isSignedIn(before)).toBe(true);
  expect((await before.get('/api/session')).headers.getSetCookie()).toEqual([]);
  expect((await before.post('/api/auth/sign-out')).status).toBe(200);
  expect(await isSignedIn(moved(visitor, await scene.start(NEW, OLD)))).toBe(false);
});

test('a cookie that no secret has signed is refused, whatever it contains', async () => {
  await using scene = new Scene();
  const visitor = await Visitor.signUp(await scene.start(OLD));
  const service = await scene.start(NEW, OLD);
  const [, session = ''] = /petstore_session=([^;]*)/.exec(visitor.cookie) ?? [];
  const [token = '', signature = ''] = decodeURIComponent(session).split('.');
  const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
  const values = [
    ...[`${token}.${other}`, `${token}x.${signature}`, token, `.${signature}`, `${token}.`],
    ...['%', '%E0%A4%A', '', '"', `${token}.${'='.repeat(44)}`],
  ];
  for (const value of values) {
    const browser = new Visitor(service);
    browser.cookie = `petstore_session=${value}`;
    expect([value, await isSignedIn(browser)]).toEqual([value, false]);
  }
  const twice = await fetch(`${service.dashboardUrl}/api/keys`, {
    headers: { cookie: `petstore_session=${token}.${other}; petstore_session=${session}` },
  });
  expect(twice.status).toBe(401);
  expect(await isSignedIn(moved(visitor, service))).toBe(true);
});

test('an authenticator app and recovery codes sign in during a change, and the app moves', async () => {
  await using scene = new Scene();
  const first = await scene.start(OLD);
  const [visitor, other] = [await Visitor.signUp(first), await Visitor.signUp(first)];
  const { app, recoveryCodes } = await addApp(first, visitor);
  const { app: otherApp } = await addApp(first, other);
  const changed = await scene.start(NEW, OLD);
  const left = async (service: TestService) =>
    (await service.stores.secrets.uses(Date.now())).map(({ secondFactors }) => secondFactors);
  expect(await left(changed)).toEqual([0, 2]);
  const { visitor: again, entered } = await enterPassword(changed, visitor);
  expect(entered.user).toBeNull();
  expect((await giveCode(again, app.nextCode())).status).toBe(200);
  const { visitor: third } = await enterPassword(changed, visitor);
  expect((await giveRecoveryCode(third, recoveryCodes[0])).status).toBe(200);

  await changed.runJobs(MOVE);

  expect(await left(changed)).toEqual([2, 0]);
  const only = await scene.start(NEW);
  const { visitor: last } = await enterPassword(only, other);
  expect((await giveCode(last, otherApp.nextCode())).status).toBe(200);
});

test('apps do not move back where the secrets are in the earlier order', async () => {
  await using scene = new Scene();
  const first = await scene.start(OLD);
  await addApp(first, await Visitor.signUp(first));
  await (await scene.start(NEW, OLD)).runJobs(MOVE);
  const before = await scene.start(OLD, NEW);
  await before.runJobs(MOVE);
  expect(await before.stores.secrets.uses(Date.now())).toMatchObject([
    { role: 'current', secondFactors: 0 },
    { role: 'previous', secondFactors: 1 },
  ]);
});

test('a sign-in that waits for its code, and a set-up that waits for its own, outlive a change', async () => {
  await using scene = new Scene();
  const first = await scene.start(OLD);
  const visitor = await Visitor.signUp(first);
  const { app } = await addApp(first, visitor);
  const { visitor: waiting } = await enterPassword(first, visitor);
  const other = await Visitor.signUp(first);
  const { key, setUpId } = await other.json<{ key: string; setUpId: string }>('POST', SET_UP);

  const changed = await scene.start(NEW, OLD);
  await changed.runJobs(MOVE);

  expect((await giveCode(moved(waiting, changed), app.nextCode())).status).toBe(200);
  const code = new AuthenticatorApp(key, changed.clock).code();
  const confirmed = await moved(other, changed).post(`${SET_UP}/confirm`, { code, setUpId });
  expect(confirmed.status).toBe(200);
  await changed.runJobs(MOVE);
  expect(await changed.stores.secrets.uses(Date.now())).toMatchObject([
    { role: 'current', secondFactors: 2 },
    { role: 'previous', secondFactors: 0 },
  ]);
});

test('a passkey signs in, also if its options were made before the change', async () => {
  await using scene = new Scene();
  const first = await scene.start(OLD);
  const visitor = await Visitor.signUp(first);
  const authenticator = new SoftwareAuthenticator(new URL(first.dashboardUrl).origin);
  expect((await addPasskey(visitor, authenticator)).status).toBe(200);
  const browser = new Visitor(first);
  const path = '/api/auth/sign-in/passkey-options';
  const options = await browser.json<{ challenge: string }>('POST', path);

  const changed = await scene.start(NEW, OLD);
  authenticator.origin = new URL(changed.dashboardUrl).origin;
  const response = authenticator.signIn(options);
  const reply = await moved(browser, changed).post('/api/auth/sign-in/passkey', { response });
  expect(reply.status).toBe(200);
});

test('a link to a new password that was made before the change works after it', async () => {
  await using scene = new Scene();
  const first = await scene.start(OLD);
  const visitor = await Visitor.signUp(first);
  const token = await resetToken(first, visitor.email);
  for (const service of [await scene.start(OLD, NEW), await scene.start(NEW, OLD)]) {
    expect(service.stores.secrets.areSeveral).toBe(true);
  }
  const only = await scene.start(NEW);
  const newPassword = 'umbrella granite sonnet two';
  const reply = await new Visitor(only).post('/api/auth/reset-password', { token, newPassword });
  expect(reply.status).toBe(200);
  await Visitor.signIn(only, visitor.email, newPassword);
});

test('a known browser stays known, and its next sign-in makes it known under the new secret', async () => {
  await using scene = new Scene();
  const visitor = await Visitor.signUp(await scene.start(OLD));
  const knows = async (service: TestService, { cookie }: Visitor) => {
    const sent = `petstore_browser=${/petstore_browser=([^;]*)/.exec(cookie)?.[1]}`;
    // Every browser has ten guesses a minute; together all have thirty.
    const guess = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ email: visitor.email, password: 'a wrong password' });
      const given = { 'Content-Type': 'application/json', Origin: service.dashboardUrl };
      const address = `${service.dashboardUrl}/api/auth/sign-in/email`;
      return (await fetch(address, { method: 'POST', headers: { ...given, ...headers }, body }))
        .status;
    };
    for (let count = 0; count < 10; count += 1) await guess({});
    expect(await guess({})).toBe(429);
    return (await guess({ cookie: sent })) === 401;
  };
  const changed = await scene.start(NEW, OLD);
  expect(await knows(changed, visitor)).toBe(true);
  const again = moved(visitor, changed);
  await again.signIn();
  const only = await scene.start(NEW);
  expect(await knows(only, visitor)).toBe(false);
  expect(await knows(await scene.start(NEW), again)).toBe(true);
});
