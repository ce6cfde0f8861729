import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { MINUTE } from '../../src/lib/clock.ts';
import { type DashboardScene, dashboardScene, expectRefusal } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { resetToken } from '../support/reset-token.ts';

const COMMON = ['password', '12345678', '        ', 'P@ssw0rd', 'Password1!', 'letmein1'];
const PATTERNS = ['asdfghjkl;', 'aaaaaaaaaa', 'abcabcabcabc', '20270102', 'Summer2026!'];
const WORDS_WITH_ADDITIONS = [
  'Spring2026!',
  'India@123',
  'London@2026',
  'Welc0me2026!',
  'January2026!!',
  '2026-Michael!',
  'M1cha3l!2026',
  'Company@123',
  'S3cur1ty2026!',
];
const PHRASES = [
  'thisismypassword',
  'ThisIsMyPassword1!',
  'ilovemydog',
  'correcthorsebatterystaple',
  'Correct horse battery staple!',
  'To be, or not to be',
];
const STRONG = [
  'umbrella granite sonnet kettle',
  'granite-kettle-sonnet',
  'a wholly new password',
  'kqzvbwtx',
  'xQ9!mvbP',
  'Biscuit, the brown dog',
];
const ABOUT_THE_ACCOUNT = [
  'jane.doe@example.com',
  'Jane.Doe1',
  'petstore2026',
  'petstore-admin',
  'JaneDoe1985',
];
const DISGUISED = [
  '  password  ',
  'ｐａｓｓｗｏｒｄ',
  'p a s s w o r d',
  'p.a.s.s.w.o.r.d',
  'p_a-s–s w.o_r-d',
  'pet-store-2026',
];

describe('a common or guessable password', () => {
  let scene: DashboardScene;
  beforeAll(async () => {
    scene = await dashboardScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test.each([
    ...COMMON,
    ...PATTERNS,
    ...WORDS_WITH_ADDITIONS,
    ...PHRASES,
    ...ABOUT_THE_ACCOUNT,
    ...DISGUISED,
  ])('is refused at a sign-up, with words that help: %p', async (password) => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    const visitor = new Visitor(service, 'jane.doe@example.com', { password });
    const { email } = visitor;

    const reply = await visitor.post('/api/auth/sign-up/email', { email, password });

    const message = await expectRefusal(reply, 400, 'weak_password');
    expect(message).toStartWith('This password is easy to guess. It ');
    expect(message).toEndWith('such as four words that have nothing to do with each other.');
    expect(await service.stores.accounts.findByEmail(email)).toBeUndefined();
  });

  test('is named for what it is', async () => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    const visitor = new Visitor(service, 'jane.doe@example.com');
    const messageFor = async (password: string) => {
      const body = { email: visitor.email, password };
      return (await (await visitor.post('/api/auth/sign-up/email', body)).json()).message;
    };
    expect(await messageFor('password')).toContain('one of the most common passwords');
    expect(await messageFor('jane.doe1')).toContain('your address or of the name of this service');
    expect(await messageFor('asdfghjkl;')).toContain('a row of keys');
    expect(await messageFor('aaaaaaaaaa')).toContain('repeats itself');
    expect(await messageFor('Spring2026!')).toContain('made of common words, names or dates');
  });

  test.each(STRONG)('is not %p', async (password) => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    await new Visitor(service, undefined, { password }).signUp();
  });

  test('is refused when the password is changed, and the former one stays', async () => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    const visitor = await Visitor.signUp(service);
    const body = { currentPassword: PASSWORD, newPassword: visitor.email };

    await expectRefusal(
      await visitor.post('/api/auth/change-password', body),
      400,
      'weak_password',
    );

    await Visitor.signIn(service, visitor.email);
  });

  test('is refused through a link, which can then set a better one', async () => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    const { email } = await Visitor.signUp(service);
    const token = await resetToken(service, email);
    const reset = (newPassword: string) =>
      new Visitor(service).post('/api/auth/reset-password', { token, newPassword });

    await expectRefusal(await reset(email), 400, 'weak_password');
    expect((await reset('a wholly new password')).status).toBe(200);

    await Visitor.signIn(service, email, 'a wholly new password');
  });

  test('is not counted as an attempt at the account', async () => {
    const { service, clock } = scene;
    clock.advance(MINUTE);
    const visitor = new Visitor(service);
    const { email } = visitor;
    for (const password of [...COMMON, 'qwertyuiop']) {
      const reply = await visitor.post('/api/auth/sign-up/email', { email, password });
      expect(reply.status).toBe(400);
    }
    await visitor.signUp();
  });
});
