import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TotpInfo } from '../../src/dashboard/shared/api.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { dashboardScene, expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { resetToken } from '../support/reset-token.ts';
import {
  AuthenticatorApp,
  addApp,
  enterPassword,
  factorsOf,
  giveCode,
  giveRecoveryCode,
  isSignedIn,
  startWithSignIn,
  withApp,
  wrongCode,
} from './second-factor-scene.ts';

const TOTP = '/api/auth/second-factors/totp';

describe('an authenticator app', () => {
  test('is asked for after the password, and completes the sign-in', async () => {
    await using service = await startWithSignIn();
    const { visitor, app } = await withApp(service);
    const { visitor: again, entered } = await enterPassword(service, visitor);
    expect(entered).toEqual({ user: null, secondFactors: ['totp', 'recovery_code'] });
    expect(await isSignedIn(again)).toBe(false);
    const reply = await giveCode(again, app.nextCode());
    expect(await reply.json()).toEqual({
      user: { id: visitor.accountId, email: visitor.email },
    });
    expect(await isSignedIn(again)).toBe(true);
  });

  test('counts only once a code of it was given', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const { uri, key, setUpId } = await visitor.json<TotpInfo>('POST', TOTP);
    expect(new URL(uri).searchParams.get('secret')).toBe(key);
    expect(decodeURIComponent(uri)).toStartWith(
      `otpauth://totp/Petstore (localhost):${visitor.email}?`,
    );
    expect(await factorsOf(visitor)).toMatchObject({ hasTotp: false, recoveryCodesLeft: 0 });
    const wrong = await visitor.post(`${TOTP}/confirm`, { code: '12', setUpId });
    await expectRefusal(wrong, 401, 'invalid');
    expect((await enterPassword(service, visitor)).entered.user).not.toBeNull();
    const { recoveryCodes } = await addApp(service, visitor);
    expect(new Set(recoveryCodes).size).toBe(10);
    expect(await factorsOf(visitor)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 10 });
    await expectRefusal(await visitor.post(TOTP), 409, 'conflict');
  });

  test('can be guessed at ten times a minute while it is set up', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const { key, setUpId } = await visitor.json<TotpInfo>('POST', TOTP);
    const body = { code: wrongCode(new AuthenticatorApp(key, service.clock)), setUpId };
    for (let guess = 0; guess < 10; guess += 1) {
      await expectRefusal(await visitor.post(`${TOTP}/confirm`, body), 401, 'invalid');
    }
    const reply = await visitor.post(`${TOTP}/confirm`, body);
    await expectRefusal(reply, 429, 'too_many_attempts');
  });

  test('ends the sessions that were not proven with it', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const elsewhere = await Visitor.signIn(service, visitor.email);
    await addApp(service, visitor);
    expect(await isSignedIn(elsewhere)).toBe(false);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  test('has only its current code and the one before accepted at a sign-in', async () => {
    await using it = await dashboardScene();
    const { visitor, app } = await withApp(it.service);
    it.clock.advance(10 * MINUTE);
    const { visitor: again } = await enterPassword(it.service, visitor);
    for (const later of [-3, -2, 1, 2]) {
      await expectRefusal(await giveCode(again, app.code(later)), 401, 'invalid');
    }
    expect((await giveCode(again, app.code(-1))).status).toBe(200);
    const { visitor: third } = await enterPassword(it.service, visitor);
    await expectRefusal(await giveCode(third, app.code(1)), 401, 'invalid');
    expect((await giveCode(third, app.code())).status).toBe(200);
  });

  test('has only its current code and the one before accepted when it is set up', async () => {
    await using it = await dashboardScene();
    for (const accepted of [-1, 0]) {
      const visitor = await Visitor.signUp(it.service);
      const { key, setUpId } = await visitor.json<TotpInfo>('POST', TOTP);
      const app = new AuthenticatorApp(key, it.clock);
      const confirm = (later: number) =>
        visitor.post(`${TOTP}/confirm`, { code: app.code(later), setUpId });
      for (const later of [-3, -2, 1, 2]) {
        await expectRefusal(await confirm(later), 401, 'invalid');
      }
      expect((await confirm(accepted)).status).toBe(200);
    }
  });

  test('has a code accepted until the next half minute ends, to the millisecond', async () => {
    await using it = await dashboardScene();
    const { visitor, app } = await withApp(it.service);
    const { visitor: late } = await enterPassword(it.service, visitor);
    const { visitor: later } = await enterPassword(it.service, visitor);
    const code = app.nextCode();
    it.clock.advance(MINUTE);
    await expectRefusal(await giveCode(later, code), 401, 'invalid');
    it.clock.step(-1);
    expect((await giveCode(late, code)).status).toBe(200);
  });

  test('has each code accepted once, also at the same moment and after setting it up', async () => {
    await using service = await startWithSignIn();
    const { visitor, app, used } = await withApp(service);
    const attempts = await Promise.all([1, 2].map(() => enterPassword(service, visitor)));
    for (const attempt of attempts) {
      await expectRefusal(await giveCode(attempt.visitor, used), 401, 'invalid');
    }
    const next = app.nextCode();
    const replies = await Promise.all(attempts.map((each) => giveCode(each.visitor, next)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  test('is not replaced by a cookie of a known browser, a new password or another session', async () => {
    await using service = await startWithSignIn();
    const { visitor, app } = await withApp(service);
    const token = await resetToken(service, visitor.email);
    const newPassword = 'another horse, another battery';
    const path = '/api/auth/reset-password';
    expect((await visitor.post(path, { token, newPassword })).status).toBe(200);
    const known = new Visitor(service, visitor.email, { password: newPassword });
    known.cookie = visitor.cookie;
    const { email } = visitor;
    const body = { email, password: newPassword };
    const reply = await known.post('/api/auth/sign-in/email', body);
    expect(await reply.json()).toMatchObject({ user: null });
    expect(await isSignedIn(known)).toBe(false);

    // The session of another account in the same browser does not replace the code.
    const stranger = await Visitor.signUp(service);
    await stranger.post('/api/auth/sign-in/email', body);
    await addApp(service, stranger);
    expect(await stranger.json('GET', '/api/session')).toMatchObject({
      account: { email: stranger.email },
    });
    expect((await giveCode(stranger, app.nextCode())).status).toBe(200);
    expect(await stranger.json('GET', '/api/session')).toMatchObject({ account: { email } });
  });

  test('needs the password first, and again after five wrong codes', async () => {
    await using service = await startWithSignIn();
    const { visitor, app, recoveryCodes } = await withApp(service);
    const stranger = new Visitor(service);
    await expectRefusal(await giveCode(stranger, app.nextCode()), 403, 'sign_in_again');
    const recovery = await giveRecoveryCode(stranger, recoveryCodes[0]);
    await expectRefusal(recovery, 403, 'sign_in_again');
    const { visitor: guesser } = await enterPassword(service, visitor);
    for (let guess = 0; guess < 5; guess += 1) {
      await expectRefusal(await giveCode(guesser, wrongCode(app)), 401, 'invalid');
    }
    await expectRefusal(await giveCode(guesser, app.nextCode()), 403, 'sign_in_again');
    expect(await isSignedIn(guesser)).toBe(false);
  });

  test('is locked after ten wrong codes in a row, from whatever address', async () => {
    const settings = { PETSTORE_TRUSTED_PROXIES: '127.0.0.0/8,::1' };
    await using service = await startWithSignIn({ settings });
    const { visitor, app, recoveryCodes } = await withApp(service);
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      const { visitor: guesser } = await enterPassword(service, visitor, address);
      for (let guess = 0; guess < 4; guess += 1) await giveCode(guesser, wrongCode(app));
      await expectRefusal(await giveRecoveryCode(guesser, 'wrong'), 401, 'invalid');
    }
    const { visitor: owner } = await enterPassword(service, visitor, '192.0.2.3');
    const reply = await giveRecoveryCode(owner, recoveryCodes[0]);
    expect(Number(reply.headers.get('Retry-After'))).toBeGreaterThan(60);
    const message = await expectRefusal(reply, 429, 'too_many_attempts');
    expect(message).toContain('too many wrong codes for this account');
  });
});

describe('a recovery code', () => {
  test('replaces the app once, however it is typed, and is on record', async () => {
    await using service = await startWithSignIn();
    const { visitor, recoveryCodes } = await withApp(service);
    const [code = ''] = recoveryCodes;
    const typed = ` ${code.replaceAll('-', ' ').toUpperCase()} `;
    const { visitor: again } = await enterPassword(service, visitor);
    expect((await giveRecoveryCode(again, typed)).status).toBe(200);
    expect(await factorsOf(again)).toMatchObject({ recoveryCodesLeft: 9 });
    const { visitor: third } = await enterPassword(service, visitor);
    await expectRefusal(await giveRecoveryCode(third, code), 401, 'invalid');
    const [entry] = await service.stores.audit.list(1, undefined, {
      actions: ['second_factor.code_used'],
    });
    expect(entry).toMatchObject({
      accountId: visitor.accountId,
      by: visitor.email,
      detail: '9 left',
    });
  });

  test('is used once by two requests at the same moment', async () => {
    await using service = await startWithSignIn();
    const { visitor, recoveryCodes } = await withApp(service);
    const attempts = await Promise.all([1, 2, 3].map(() => enterPassword(service, visitor)));
    const replies = await Promise.all(
      attempts.map((each) => giveRecoveryCode(each.visitor, recoveryCodes[0])),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  test('ends when new ones are made', async () => {
    await using service = await startWithSignIn();
    const { visitor, recoveryCodes } = await withApp(service);
    const path = '/api/auth/second-factors/recovery-codes';
    const renewed = await visitor.json<{ recoveryCodes: string[] }>('POST', path);
    const { visitor: again } = await enterPassword(service, visitor);
    const old = await giveRecoveryCode(again, recoveryCodes[1]);
    await expectRefusal(old, 401, 'invalid');
    expect((await giveRecoveryCode(again, renewed.recoveryCodes[9])).status).toBe(200);
  });

  test('reaches neither the log nor a file, as little as the key of the app', async () => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => lines.push(line) });
    await using service = await startWithSignIn({ log });
    const { visitor, key, recoveryCodes } = await withApp(service);
    const { visitor: again } = await enterPassword(service, visitor);
    expect((await giveRecoveryCode(again, recoveryCodes[0])).status).toBe(200);
    const files = readdirSync(service.folder.path, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(service.folder.path, name), 'latin1'));
    const text = lines.join('');
    expect(text).toContain('/api/auth/sign-in/recovery-code');
    const codes = recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')]);
    for (const secret of [key, ...codes]) {
      for (const place of [text, ...files]) expect(place.includes(secret)).toBe(false);
    }
  });
});

test('a new password leaves a session as it was proven, and as long ago', async () => {
  await using it = await dashboardScene();
  const { visitor, app } = await withApp(it.service);
  it.clock.advance(15 * MINUTE);
  const newPassword = 'another horse, another battery';
  const passwords = { currentPassword: visitor.password, newPassword };
  await visitor.json('POST', '/api/auth/change-password', passwords);
  await expectRefusal(await visitor.post(`${TOTP}/remove`), 403, 'sign_in_again');
  const { visitor: again } = await enterPassword(it.service, {
    email: visitor.email,
    password: newPassword,
  });
  await giveCode(again, app.nextCode());
  expect((await again.post(`${TOTP}/remove`)).status).toBe(200);
});

describe('removing the app', () => {
  test('asks for a recent sign-in with the second factor, and is on record', async () => {
    await using service = await startWithSignIn();
    const { visitor } = await withApp(service);
    expect((await visitor.post(`${TOTP}/remove`)).status).toBe(200);
    expect(await factorsOf(visitor)).toEqual({
      hasTotp: false,
      recoveryCodesLeft: 0,
      passkeys: [],
    });
    await expectRefusal(await visitor.post(`${TOTP}/remove`), 404, 'not_found');
    const [entry] = await service.stores.audit.list(1);
    expect(entry).toMatchObject({
      action: 'factor.removed',
      by: visitor.email,
      detail: 'authenticator app',
    });
    expect((await enterPassword(service, visitor)).entered.user).not.toBeNull();
  });
});
