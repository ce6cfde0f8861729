import { describe, expect, test } from 'bun:test';
import { ARGON2ID, normalizing } from '../../src/dashboard/sign-in/passwords.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { resetToken } from '../support/reset-token.ts';
import { startWithSignIn } from './second-factor-scene.ts';

const NEW = 'umbrella granite sonnet kettle';

/** Texts of one password, as different keyboards and devices send them. */
const SAME: readonly (readonly [name: string, typed: string, elsewhere: string])[] = [
  ['letters with accents', 'żółw näht Grüße'.normalize('NFC'), 'żółw näht Grüße'.normalize('NFD')],
  ['Hangul', '고양이네우산공장'.normalize('NFC'), '고양이네우산공장'.normalize('NFD')],
  ['full-width letters', 'granite kettle 47', 'ｇｒａｎｉｔｅ　ｋｅｔｔｌｅ　４７'],
  ['half-width Katakana', 'ガラスノカエルトカサ', 'ｶﾞﾗｽﾉｶｴﾙﾄｶｻ'],
  ['ligatures and no-break spaces', 'fish office granite', 'ﬁsh oﬃce\u00a0granite'],
  ['the Kelvin and the Ångström sign', 'KÅ granite kettle', '\u212a\u212b granite kettle'],
];

describe('a password typed on another device', () => {
  test.each(SAME)('is the same one: %s', async (_, typed, elsewhere) => {
    expect(typed).not.toBe(elsewhere);
    await using service = await startWithSignIn();
    for (const [set, given] of [
      [typed, elsewhere],
      [elsewhere, typed],
    ] as const) {
      const visitor = new Visitor(service, undefined, { password: set });
      await visitor.signUp();
      const { email } = visitor;
      const again = await Visitor.signIn(service, email, given);

      const passwords = { currentPassword: given, newPassword: PASSWORD };
      await again.json('POST', '/api/auth/change-password', passwords);
      const token = await resetToken(service, email);
      await again.json('POST', '/api/auth/reset-password', { token, newPassword: set });
      const last = await Visitor.signIn(service, email, given);
      await last.json('POST', '/api/auth/delete-user', { password: given });
      expect(await service.stores.accounts.findByEmail(email)).toBeUndefined();
    }
  });

  test('is rated the same, and has the same length', async () => {
    await using service = await startWithSignIn();
    const visitor = new Visitor(service);
    const signUp = (password: string) =>
      visitor.post('/api/auth/sign-up/email', { email: visitor.email, password });
    const weak = 'Zoë Zoë Zoë 2026';
    for (const form of ['NFC', 'NFD'] as const) {
      await expectRefusal(await signUp(weak.normalize(form)), 400, 'weak_password');
      // Seven characters, however many code points they are sent as.
      await expectRefusal(await signUp('żółwäöü'.normalize(form)), 400, 'invalid');
    }
    await expectRefusal(await signUp('ｐａｓｓｗｏｒｄ１'), 400, 'weak_password');
    const long = 'żółw näht Grüße '.repeat(8);
    expect([...long.normalize('NFC')]).toHaveLength(128);
    expect((await signUp(`${long}x`.normalize('NFD'))).status).toBe(400);
    expect((await signUp(long.normalize('NFD'))).status).toBe(200);
  });

  test('counts code points, of the text that was typed and of the one that is hashed', async () => {
    await using service = await startWithSignIn();
    const signUp = async (password: string) => {
      const visitor = new Visitor(service);
      const body = { email: visitor.email, password };
      return (await visitor.post('/api/auth/sign-up/email', body)).status;
    };
    // Four code points of two UTF-16 units each; one that stands for eighteen.
    for (const password of ['🦊🐢🦉🐝', '\ufdfa', '\ufdfa'.repeat(8)]) {
      expect(await signUp(password)).toBe(400);
    }
    const animals = '🦊🐢🦉🐝🦄🐙🦔🐧';
    expect(await signUp(animals)).toBe(200);
    expect(await signUp(animals.repeat(16))).toBe(200);
    expect(await signUp(`${animals.repeat(16)}🦊`)).toBe(400);
  });
});

describe('a password that was hashed as it was sent', () => {
  const SENT = 'żółw näht Grüße'.normalize('NFD');

  test('signs in, and is stored normalised then', async () => {
    await using service = await startWithSignIn();
    const { email, accountId } = await Visitor.signUp(service);
    await storeHash(service, accountId, await ARGON2ID.hash(SENT));
    await refuseSignIn(service, email, SENT.normalize('NFC'));

    await Visitor.signIn(service, email, SENT);

    expect(await ARGON2ID.verify(await given(service, accountId, SENT.normalize('NFC')))).toBe(
      true,
    );
    expect(await ARGON2ID.verify(await given(service, accountId, SENT))).toBe(false);
    const stored = await hashOf(service, accountId);
    await Visitor.signIn(service, email, SENT.normalize('NFC'));
    await Visitor.signIn(service, email, SENT);
    expect(await hashOf(service, accountId)).toBe(stored);
  });

  test('may be too long by now', async () => {
    await using service = await startWithSignIn();
    const { email, accountId } = await Visitor.signUp(service);
    const sent = '\ufdfa'.repeat(128);
    await storeHash(service, accountId, await ARGON2ID.hash(sent));
    await Visitor.signIn(service, email, sent);
    await Visitor.signIn(service, email, sent);
  });

  test('confirms a change and a deletion', async () => {
    await using service = await startWithSignIn();
    const changing = await Visitor.signUp(service);
    await storeHash(service, changing.accountId, await ARGON2ID.hash(SENT));
    const passwords = { currentPassword: SENT, newPassword: NEW };
    await changing.json('POST', '/api/auth/change-password', passwords);
    await Visitor.signIn(service, changing.email, NEW);

    const leaving = await Visitor.signUp(service);
    await storeHash(service, leaving.accountId, await ARGON2ID.hash(SENT));
    await leaving.json('POST', '/api/auth/delete-user', { password: SENT });
    expect(await service.stores.accounts.find(leaving.accountId)).toBeUndefined();
  });

  test('keeps the browser known that signed in with it', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    await storeHash(service, visitor.accountId, await ARGON2ID.hash(SENT));
    const { email } = visitor;
    const known = new Visitor(service, email, { password: SENT });
    await known.signIn();
    for (let guess = 0; guess < 11; guess += 1) await guessAt(service, email);
    await expectRefusal(await guessAt(service, email), 429, 'too_many_attempts');
    const body = { email, password: SENT };
    expect((await known.post('/api/auth/sign-in/email', body)).status).toBe(200);
  });
});

test('both texts of a password are one attempt', async () => {
  await using service = await startWithSignIn();
  const { email } = await Visitor.signUp(service);
  const statuses = [];
  for (let guess = 0; guess < 11; guess += 1) {
    const body = { email, password: 'żółw näht nicht'.normalize('NFD') };
    statuses.push((await new Visitor(service).post('/api/auth/sign-in/email', body)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
});

test('a refused sign-in costs the same whether the address is known or not', async () => {
  const calls: string[] = [];
  const passwords = normalizing({
    hash: async (password) => `${calls.push(`argon2 ${password}`)}`,
    verify: async ({ password }) => calls.push(`argon2 ${password}`) < 0,
  });
  for (const sent of ['żółw'.normalize('NFC'), 'żółw'.normalize('NFD')]) {
    await passwords.hash(sent);
    const ofUnknown = calls.splice(0);
    expect(await passwords.verify({ hash: 'stored', password: sent })).toBe(false);
    expect(calls.splice(0)).toEqual(ofUnknown);
    expect(ofUnknown).toHaveLength(sent === sent.normalize('NFKC') ? 1 : 2);
  }
});

function guessAt(service: TestService, email: string): Promise<Response> {
  const body = { email, password: 'not the password' };
  return new Visitor(service).post('/api/auth/sign-in/email', body);
}

async function refuseSignIn(service: TestService, email: string, password: string) {
  const reply = await new Visitor(service).post('/api/auth/sign-in/email', { email, password });
  await expectRefusal(reply, 401, 'invalid');
}

async function storeHash(service: TestService, user_id: string, password: string): Promise<void> {
  const queries = await service.stores.queries();
  await queries
    .updateTable('credentials')
    .set({ password })
    .where('user_id', '=', user_id)
    .execute();
}

async function hashOf(service: TestService, user_id: string): Promise<string> {
  const queries = await service.stores.queries();
  const row = await queries
    .selectFrom('credentials')
    .select('password')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  return row.password ?? '';
}

async function given(service: TestService, accountId: string, password: string) {
  return { hash: await hashOf(service, accountId), password };
}
