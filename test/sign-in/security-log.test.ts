import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { expectRefusal, operator } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { resetToken } from '../support/reset-token.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import {
  addPasskey,
  enterPassword,
  giveCode,
  giveRecoveryCode,
  signInByPasskey,
  withApp,
  wrongCode,
} from './second-factor-scene.ts';

interface Line {
  readonly level: number;
  readonly event?: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly account?: string;
  readonly address?: string;
  readonly path?: string;
}

interface Scene extends AsyncDisposable {
  readonly service: TestService;
  /** The text of the log so far. */
  text(): string;
  /** Its lines about security, without the level. */
  lines(): readonly Line[];
  /** The value of a counter. */
  count(sample: string): Promise<number>;
}

async function start(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  const service = await TestService.start({ parts: PARTS, log, settings });
  return {
    service,
    text: () => written.join(''),
    lines: () =>
      written.map((line): Line => JSON.parse(line)).filter(({ event }) => event !== undefined),
    async count(sample) {
      const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
      const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
      return Number(line?.slice(sample.length) ?? Number.NaN);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

const refusals = (reason: string) => `petstore_dashboard_refusals_total{reason="${reason}"}`;
const signIns = (outcome: string) => `petstore_sign_ins_total{outcome="${outcome}"}`;

async function counts({ count }: Scene): Promise<Record<string, number>> {
  const outcomes = ['succeeded', 'refused', 'limited', 'second_factor'];
  const found = outcomes.map(async (each) => [each, await count(signIns(each))] as const);
  return Object.fromEntries(await Promise.all(found));
}

describe('attempts to sign in', () => {
  test('count by how they end, from 0 on', async () => {
    await using scene = await start();
    const { service } = scene;
    await fetch(`${service.dashboardUrl}/api/session`);
    expect(await counts(scene)).toEqual({ succeeded: 0, refused: 0, limited: 0, second_factor: 0 });
    const { visitor, app, recoveryCodes } = await withApp(service);
    expect(await counts(scene)).toMatchObject({ succeeded: 1 });
    const { visitor: one } = await enterPassword(service, visitor);
    await giveCode(one, wrongCode(app));
    await giveCode(one, app.nextCode());
    const { visitor: other } = await enterPassword(service, visitor);
    await giveRecoveryCode(other, 'wrong');
    await giveRecoveryCode(other, recoveryCodes[0]);
    const passkey = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
    await signInByPasskey(new Visitor(service), passkey);
    await addPasskey(visitor, passkey);
    await signInByPasskey(new Visitor(service), passkey);
    const stranger = new Visitor(service);
    const guess = (email: string, password = 'not the password') =>
      stranger.post('/api/auth/sign-in/email', { email, password });
    await guess(visitor.email);
    await guess('nobody@example.com');
    await stranger.post('/api/auth/sign-in/email', {});
    expect(await counts(scene)).toEqual({ succeeded: 4, refused: 6, limited: 0, second_factor: 2 });

    let status = 0;
    while (status !== 429) ({ status } = await guess('nobody@example.com'));
    expect(await counts(scene)).toMatchObject({ limited: 1 });
  });

  test('are lines of the log, also those to addresses without an account, but never the address', async () => {
    await using scene = await start();
    const visitor = await Visitor.signUp(scene.service);
    const stranger = new Visitor(scene.service);
    for (const email of [visitor.email, 'nobody@example.com']) {
      await stranger.post('/api/auth/sign-in/email', { email, password: 'not the password' });
    }
    const from = { level: 30, address: '127.0.0.1', device: 'A browser' };
    const account = visitor.accountId;
    expect(scene.lines()).toMatchObject([
      { ...from, event: 'session.signed_in', account, detail: 'password' },
      { ...from, event: 'session.refused', account, detail: 'wrong password' },
      { ...from, event: 'session.refused', detail: 'wrong password' },
    ]);
    expect(scene.lines()[2]).not.toHaveProperty('account');
    expect(scene.text()).not.toContain('nobody@example.com');
  });

  test('beyond the limit are one line a minute, however many there are', async () => {
    await using scene = await start();
    const { email } = await Visitor.signUp(scene.service);
    for (let tries = 0; tries < 60; tries += 1) {
      const body = { email, password: 'not the password' };
      await new Visitor(scene.service).post('/api/auth/sign-in/email', body);
    }
    const limited = scene.lines().filter(({ event }) => event === 'session.limited');
    expect(limited).toHaveLength(1);
    expect(await counts(scene)).toMatchObject({ refused: 10, limited: 50 });
  });
});

describe('a password or a second factor', () => {
  test('that is changed is a line of the log', async () => {
    await using scene = await start();
    const { service } = scene;
    const { visitor } = await withApp(service);
    const newPassword = 'quarry lantern velvet otter';
    const passwords = { currentPassword: PASSWORD, newPassword };
    await visitor.json('POST', '/api/auth/second-factors/recovery-codes');
    await visitor.json('POST', '/api/auth/second-factors/totp/remove');
    await visitor.json('POST', '/api/auth/change-password', passwords);
    const token = await resetToken(service, visitor.email);
    await visitor.json('POST', '/api/auth/reset-password', { token, newPassword: PASSWORD });
    const account = visitor.accountId;
    expect(scene.lines().slice(1)).toMatchObject([
      { event: 'factor.added', account },
      { event: 'second_factor.codes_renewed', account },
      { event: 'factor.removed', account },
      { event: 'password.changed', account, detail: 'with the current password' },
      { event: 'password.changed', account, detail: 'by a reset link' },
    ]);
  });

  test('that is guessed in a session, or by a link, is a line and a count', async () => {
    await using scene = await start();
    const visitor = await Visitor.signUp(scene.service);
    const { accountId: account } = visitor;
    await visitor.post('/api/auth/delete-user', { password: 'not the password' });
    const link = { token: 'no-such-token', newPassword: 'quarry lantern velvet otter' };
    for (const path of ['reset-password', 'verify-email']) {
      await visitor.post(`/api/auth/${path}`, link);
    }
    expect(scene.lines().slice(1)).toMatchObject([
      { event: 'password.refused', account },
      {
        event: 'request.refused',
        reason: 'wrong_password',
        path: '/api/auth/delete-user',
        account,
      },
      { event: 'request.refused', reason: 'invalid_link', path: '/api/auth/reset-password' },
    ]);
    expect(await scene.count(refusals('wrong_password'))).toBe(1);
    expect(await scene.count(refusals('invalid_link'))).toBe(2);
  });
});

describe('a request that is refused', () => {
  test('because it is for operators alone is a line and a count', async () => {
    await using scene = await start();
    const visitor = await Visitor.signUp(scene.service);
    await expectRefusal(await visitor.get('/api/operator/audit'), 403, 'forbidden');
    await expectRefusal(await visitor.get('/api/operator/accounts'), 403, 'forbidden');
    expect(scene.lines().slice(1)).toMatchObject([
      {
        event: 'request.refused',
        reason: 'forbidden',
        method: 'GET',
        path: '/api/operator/audit',
        account: visitor.accountId,
        address: '127.0.0.1',
      },
    ]);
    expect(await scene.count(refusals('forbidden'))).toBe(2);
  });

  test('because another site sent it is a line and a count, on every address', async () => {
    await using scene = await start();
    const { service } = scene;
    const visitor = await Visitor.signUp(service);
    const evil = { Origin: 'https://evil.example.com' };
    const send = (path: string, headers: Record<string, string>) =>
      visitor.request('POST', path, {}, headers);
    for (const [path, headers] of [
      ['/api/keys', evil],
      ['/api/keys', { 'Sec-Fetch-Site': 'cross-site' }],
      ['/api/auth/sign-in/email', evil],
      ['/mcp', evil],
    ] as const) {
      expect((await send(path, headers)).status).toBe(403);
    }
    const paths = scene.lines().map(({ event, reason, path }) => [event, reason, path]);
    expect(paths.slice(1)).toEqual([['request.refused', 'other_site', '/api/keys']]);
    expect(await scene.count(refusals('other_site'))).toBe(4);
    expect(await counts(scene)).toMatchObject({ refused: 0 });
  });

  test('because the session may not do it is a line and a count', async () => {
    await using scene = await start({ PETSTORE_OPERATOR_SECOND_FACTOR: 'required' });
    const { service } = scene;
    const boss = await operator(service);
    await expectRefusal(await boss.post('/api/keys', {}), 403, 'second_factor_required');
    const suspended = await Visitor.signUp(service);
    await service.stores.accounts.suspend(suspended.accountId, 'a test', Date.now(), 'test');
    await expectRefusal(await suspended.post('/api/keys', {}), 403, 'suspended');
    const idle = await Visitor.signUp(service);
    const queries = await service.stores.queries();
    const created_at = new Date(Date.now() - HOUR).toISOString();
    await queries.updateTable('sessions').set({ created_at }).execute();
    const key = { name: 'mine', environment: 'staging' };
    await expectRefusal(await idle.post('/api/keys', key), 403, 'sign_in_again');
    for (const reason of ['second_factor_required', 'suspended', 'sign_in_again']) {
      expect(scene.lines().some((line) => line.reason === reason)).toBe(true);
      expect(await scene.count(refusals(reason))).toBe(1);
    }
  });

  test('because there are too many is a line and a count', async () => {
    await using scene = await start();
    const stranger = new Visitor(scene.service);
    const requests = Array.from({ length: 610 }, () => stranger.get('/api/session'));
    await Promise.all(requests);
    expect(scene.lines()).toMatchObject([{ event: 'request.refused', reason: 'rate_limited' }]);
    expect(await scene.count(refusals('rate_limited'))).toBe(10);
  });

  test('is logged without what a client could have put into its path', async () => {
    await using scene = await start();
    const visitor = await Visitor.signUp(scene.service);
    const evil = { Origin: 'https://canary-of-an-origin.example.com' };
    for (const canary of [
      'canary%20password',
      `${'x1'.repeat(20)}`,
      'canary"quote',
      'a'.repeat(999),
    ]) {
      await visitor.request('POST', `/api/${canary}`, {}, evil);
    }
    expect(scene.lines().slice(1)).toMatchObject([{ path: '/api/[hidden]' }]);
    expect(scene.text()).not.toContain('canary-of-an-origin');
  });
});

test('no event contains a password, code, token or cookie', async () => {
  await using scene = await start();
  const { service } = scene;
  const { visitor, app, key, recoveryCodes } = await withApp(service);
  const [code = ''] = recoveryCodes;
  const canaries = ['canary-of-a-password', 'canary-of-an-email@example.com', 'canary-of-a-code'];
  const [password, email] = canaries;
  const agent = { 'User-Agent': 'canary-of-an-agent Firefox Linux' };
  const stranger = new Visitor(service, visitor.email, { headers: agent });
  for (const body of [
    { email: visitor.email, password },
    { email, password },
    { email: password, password: email },
  ]) {
    await stranger.post('/api/auth/sign-in/email', body);
  }
  const { visitor: one } = await enterPassword(service, visitor);
  await giveCode(one, 'canary-of-a-code');
  await giveRecoveryCode(one, 'canary-of-a-code');
  const used = app.nextCode();
  await giveCode(one, used);
  const { visitor: other } = await enterPassword(service, visitor);
  await giveRecoveryCode(other, code);
  const token = await resetToken(service, visitor.email);
  const newPassword = 'canary-of-a-new-password';
  await one.json('POST', '/api/auth/reset-password', { token, newPassword });

  const entries = JSON.stringify(await service.stores.audit.list(50));
  expect(entries).toContain('session.refused');
  const cookies = [one.cookie, other.cookie, visitor.cookie].flatMap((each) => each.split('; '));
  const values = cookies.map((each) => each.slice(each.indexOf('=') + 1));
  const secrets = [...canaries, newPassword, 'canary-of-an-agent', key, code, token, ...values];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(10);
    expect(entries).not.toContain(secret);
    expect(scene.text()).not.toContain(secret);
  }
});
