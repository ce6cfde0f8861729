import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { ROUTES } from '../../src/dashboard/api/api.ts';
import type { TotpInfo } from '../../src/dashboard/shared/api.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { customer, dashboardScene, expectRefusal, operator } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import { signedUp } from './mail-scene.ts';
import { MailServer } from './mail-server.ts';
import {
  AuthenticatorApp,
  addApp,
  addPasskey,
  enterPassword,
  factorsOf,
  giveCode,
  isSignedIn,
  startWithSignIn,
  withApp,
} from './second-factor-scene.ts';

const REQUIRED = { PETSTORE_OPERATOR_SECOND_FACTOR: 'required' };
const FACTORS = '/api/auth/second-factors';

const CHANGES = [
  'totp',
  'totp/confirm',
  'totp/remove',
  'recovery-codes',
  'passkey-options',
  'passkeys',
  'passkeys/rename',
  'passkeys/remove',
];

test('every change of second factors asks for a session and a recent sign-in', async () => {
  await using it = await dashboardScene();
  const visitor = await customer(it.service);
  it.clock.advance(15 * MINUTE);
  for (const path of CHANGES) {
    const stranger = new Visitor(it.service);
    await expectRefusal(await stranger.post(`${FACTORS}/${path}`), 401, 'signed_out');
    await expectRefusal(await visitor.post(`${FACTORS}/${path}`), 403, 'sign_in_again');
  }
  await expectRefusal(await new Visitor(it.service).get(FACTORS), 401, 'signed_out');
});

describe('an operator', () => {
  test('reads without a second factor, and changes nothing', async () => {
    await using service = await startWithSignIn({ settings: REQUIRED });
    const boss = await operator(service);
    const changes = ROUTES.filter(({ method, path }) => {
      return method !== 'GET' && `${method} ${path}` !== 'DELETE /keys/{id}';
    });
    expect(changes.length).toBeGreaterThanOrEqual(4);
    for (const { method, path } of changes) {
      const reply = await boss.request(method, `/api${path}`, {});
      const message = await expectRefusal(reply, 403, 'second_factor_required');
      expect(message).toContain('Account page');
    }
    const { password } = boss;
    const deletion = await boss.post('/api/auth/delete-user', { password });
    await expectRefusal(deletion, 403, 'second_factor_required');
    expect((await boss.get('/api/operator/accounts')).status).toBe(200);
    expect(await boss.json('GET', '/api/session')).toMatchObject({ needsSecondFactor: true });
    // Requests that protect the account are not refused.
    expect((await boss.delete('/api/keys/unknown')).status).toBe(404);
    expect((await boss.post('/api/auth/revoke-other-sessions')).status).toBe(200);
  });

  test('changes something after setting one up, and after signing in with it', async () => {
    await using service = await startWithSignIn({ settings: REQUIRED });
    const boss = await operator(service);
    const other = await Visitor.signUp(service);
    const change = (by: Visitor) =>
      by.put(`/api/operator/accounts/${other.accountId}/plan`, { plan: 'pro' });
    const { app } = await addApp(service, boss);
    expect((await change(boss)).status).toBe(200);
    expect(await boss.json('GET', '/api/session')).not.toHaveProperty('needsSecondFactor');
    const { visitor: again } = await enterPassword(service, boss);
    await expectRefusal(await change(again), 401, 'signed_out');
    await giveCode(again, app.nextCode());
    expect((await change(again)).status).toBe(200);

    await boss.post(`${FACTORS}/totp/remove`);
    await expectRefusal(await change(boss), 403, 'second_factor_required');
    await expectRefusal(await change(again), 403, 'second_factor_required');
    const authenticator = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
    expect((await addPasskey(boss, authenticator)).status).toBe(200);
    expect((await change(boss)).status).toBe(200);
  });

  test('needs none where the setting says so, and customers need none', async () => {
    await using relaxed = await startWithSignIn();
    const boss = await operator(relaxed);
    const plan = `/api/operator/accounts/${boss.accountId}/plan`;
    expect((await boss.put(plan, { plan: 'pro' })).status).toBe(200);
    expect(await boss.json('GET', '/api/session')).not.toHaveProperty('needsSecondFactor');
    await using service = await startWithSignIn({ settings: REQUIRED });
    const visitor = await customer(service);
    const key = { name: 'test', environment: 'production' };
    expect((await visitor.post('/api/keys', key)).status).toBe(201);
  });
});

describe('an authenticator app that is set up twice at the same time', () => {
  const begin = (visitor: Visitor) => visitor.json<TotpInfo>('POST', `${FACTORS}/totp`);
  const confirm = ({ clock }: TestService, visitor: Visitor, { key, setUpId }: TotpInfo) => {
    const code = new AuthenticatorApp(key, clock).code();
    return visitor.post(`${FACTORS}/totp/confirm`, { code, setUpId });
  };

  test('is not confirmed by the set-up that was replaced, and the reply says why', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const [first, second] = [await begin(visitor), await begin(visitor)];
    const message = await expectRefusal(await confirm(service, visitor, first), 409, 'conflict');
    expect(message).toContain('another window');
    expect((await factorsOf(visitor)).hasTotp).toBe(false);
    expect((await confirm(service, visitor, second)).status).toBe(200);
    const late = await expectRefusal(await confirm(service, visitor, first), 409, 'conflict');
    expect(late).toContain('another window');
    const again = await expectRefusal(await confirm(service, visitor, second), 409, 'conflict');
    expect(again).toContain('has an authenticator app already');
  });
});

test('the holder gets a mail about every change of a second factor', async () => {
  await using mail = await MailServer.start();
  await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
  const visitor = await signedUp(service, mail);
  await visitor.signIn();
  const { email } = visitor;
  const { recoveryCodes } = await addApp(service, visitor);
  expect((await mail.emailTo(email, 2)).text).toContain('An authenticator app was added');
  await visitor.post(`${FACTORS}/recovery-codes`);
  expect((await mail.emailTo(email, 3)).text).toContain('recovery codes were replaced');
  await visitor.post(`${FACTORS}/totp/remove`);
  const { text } = await mail.emailTo(email, 4);
  expect(text).toContain('The authenticator app was removed');
  expect(text).toContain(`${service.dashboardUrl}/account`);
  for (const code of recoveryCodes) expect(text).not.toContain(code);
  await addApp(service, visitor);
  await mail.emailTo(email, 5);
  const settings = { ...mail.settings, PETSTORE_DATA_DIR: service.folder.path };
  await runCommand(['accounts', 'reset-second-factor', email], settings);
  expect((await mail.emailTo(email, 6)).text).toContain('removed all your second factors');
});

describe('accounts reset-second-factor', () => {
  test('lets somebody in by password alone, ends the sessions, and is on record', async () => {
    await using service = await startWithSignIn();
    const { visitor } = await withApp(service);
    const settings = { PETSTORE_DATA_DIR: service.folder.path };
    const command = ['accounts', 'reset-second-factor', visitor.email];
    const done = await runCommand(command, settings);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('has no second factor any more');
    expect(await isSignedIn(visitor)).toBe(false);
    const { visitor: again, entered } = await enterPassword(service, visitor);
    expect(entered.user).toMatchObject({ email: visitor.email });
    expect(await factorsOf(again)).toMatchObject({ hasTotp: false });
    const [entry] = await service.stores.audit.list(1, undefined, {
      actions: ['second_factor.reset'],
    });
    expect(entry).toMatchObject({
      by: expect.stringMatching(/^command line: /),
      detail: 'authenticator app',
    });
    const twice = await runCommand(command, settings);
    expect(twice).toMatchObject({ code: 1 });
    expect(twice.stderr).toContain('has no second factor');
  });
});

test('accounts set-operator says how to set up a second factor, where one is required', async () => {
  await using service = await startWithSignIn();
  const { email } = await Visitor.signUp(service);
  const settings = { PETSTORE_DATA_DIR: service.folder.path };
  const command = ['accounts', 'set-operator', email];
  const { stderr } = await runCommand(command, settings);
  expect(stderr).toContain('set up an authenticator app or a passkey on the Account page');
  const relaxed = { ...settings, PETSTORE_OPERATOR_SECOND_FACTOR: 'optional' };
  expect((await runCommand(command, relaxed)).stderr).not.toContain('authenticator app');
});
