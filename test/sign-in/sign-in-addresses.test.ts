import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { TotpInfo } from '../../src/dashboard/shared/api.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import {
  type DashboardScene,
  dashboardScene,
  expectRefusal,
  operator,
} from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { AMPLE, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { confirm, signUp } from './mail-scene.ts';
import { MailServer, tokenFrom } from './mail-server.ts';

const LONG_LABEL = 'x'.repeat(63);

/** Every sign of an atom, parts of extreme lengths, and internationalised domains. */
const ACCEPTED = [
  'r&d@example.com',
  ...[..."!#$%&'*+-/=?^_`{|}~"].map((sign) => `a${sign}b@example.com`),
  ...['!', '#', '-', '=', '+', '~'].map((sign) => `${sign}@example.com`),
  "!#$%&'*+-/=?^_`{|}~@example.com",
  'a.b.c-d@mail.example.co.uk',
  `${'x'.repeat(64)}@example.com`,
  `a@${LONG_LABEL}.example`,
  `a@${LONG_LABEL}.${LONG_LABEL}.${LONG_LABEL}.${'x'.repeat(52)}.example`.slice(-254),
  'a@example.xn--p1ai',
  'a@xn--e1afmkfd.xn--p1ai',
  'a@xn--bcher-kva.example',
  'a@1.example',
  'a@x.io',
];

/** Texts that cannot be an address, with the essence of the message. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['"r d"@example.com', 'with quotes'],
  ['"r"@example.com', 'with quotes'],
  ['a@[192.0.2.1]', 'with an IP address'],
  ['a@[IPv6:2001:db8::1]', 'with an IP address'],
  ['a@192.0.2.1', 'with an IP address'],
  ['a@localhost', 'at least two parts'],
  ['a@com', 'at least two parts'],
  ['a@пример.рф', 'a@xn--e1afmkfd.xn--p1ai'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ['a@ｅｘａｍｐｌｅ.com', 'a@example.com'],
  ['käse@example.com', 'before the @'],
  ['почта@пример.рф', 'before the @'],
  [`${'x'.repeat(65)}@example.com`, 'At most 64'],
  [`a@${LONG_LABEL}x.example`, 'at most 63'],
  [`${'x'.repeat(60)}@${'x.'.repeat(100)}com`, 'at most 254'],
  ...[
    ...['.a@example.com', 'a.@example.com', 'a..b@example.com', 'a b@example.com', '@example.com'],
    ...['a@', 'a', 'a@b@example.com', 'a(b)@example.com', 'a<b@example.com', 'a,b@example.com'],
    ...['a:b@example.com', 'a;b@example.com', 'a[b@example.com', 'a\\b@example.com'],
    ...['a@.example.com', 'a@example..com', 'a@example.com.', 'a@-x.example', 'a@x-.example'],
    ...['a@x_y.example', 'a@example.c', 'a@example.123', 'a@example.xn--', 'a@example.com/x'],
    ...['a@example.com\r\nBcc: b@example.com', 'a\0@example.com', 'a@example.com,b@example.com'],
    ...['<a@example.com>', 'A <a@example.com>', 'mailto:a@example.com', 'a@ example.com'],
  ].map((text) => [text, 'such as you@example.com'] as const),
];

describe('an address in the dashboard', () => {
  let it: DashboardScene;
  beforeAll(async () => {
    it = await dashboardScene();
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test.each(ACCEPTED)('can be %s', async (email) => {
    it.clock.advance(MINUTE);
    const visitor = await Visitor.signUp(it.service, email);
    expect(await visitor.json('GET', '/api/session')).toMatchObject({ account: { email } });
    await Visitor.signIn(it.service, email.toUpperCase());
    const { uri } = await visitor.json<TotpInfo>('POST', '/api/auth/second-factors/totp');
    expect(decodeURIComponent(new URL(uri).pathname)).toEndWith(`:${email}`);
    const boss = await operator(it.service);
    const path = `/api/operator/accounts?search=${encodeURIComponent(email)}`;
    const { accounts } = await boss.json<{ accounts: { email: string }[] }>('GET', path);
    expect(accounts.map((account) => account.email)).toContain(email);
    await visitor.json('POST', '/api/auth/delete-user', { password: PASSWORD });
  });

  test.each(REFUSED)('cannot be %p, and the reply says why', async (email, reason) => {
    it.clock.advance(MINUTE);
    const body = { email, password: PASSWORD };
    const reply = await new Visitor(it.service).post('/api/auth/sign-up/email', body);
    expect(await expectRefusal(reply, 400, 'invalid')).toContain(reason);
    expect(await it.service.stores.accounts.findByEmail(email)).toBeUndefined();
  });

  test('may begin and end with white space, which is not part of it', async () => {
    it.clock.advance(MINUTE);
    const body = { email: ' \tr&d@white.example\n', password: PASSWORD };
    const reply = await new Visitor(it.service).post('/api/auth/sign-up/email', body);
    expect(await reply.json()).toMatchObject({ user: { email: 'r&d@white.example' } });
  });

  test('of an earlier release signs in and has its commands though a part is too long by now', async () => {
    it.clock.advance(MINUTE);
    const email = `${'x'.repeat(100)}@example.com`;
    const { email: other } = await Visitor.signUp(it.service);
    const queries = await it.service.stores.queries();
    const renamed = { email, written_as: email };
    await queries.updateTable('accounts').set(renamed).where('email', '=', other).execute();
    await Visitor.signIn(it.service, email);
    const settings = { PETSTORE_DATA_DIR: it.service.folder.path };
    expect(await runCommand(['keys', 'create', email], settings)).toMatchObject({ code: 0 });
  });

  test('that a spreadsheet would take for a formula is text in the CSV of the audit log', async () => {
    it.clock.advance(MINUTE);
    const boss = await operator(it.service);
    const { accounts } = it.service.stores;
    for (const email of ['=1+1@example.com', '+a@example.com', '-a@example.com']) {
      await accounts.create(email, AMPLE, it.clock.now().wall, email);
    }
    const text = await (await boss.get('/api/operator/audit?format=csv')).text();
    expect(text).toContain(",'=1+1@example.com,account.created,'=1+1@example.com,");
    expect(text).not.toMatch(/,[=+-]/);
  });
});

describe('mail', () => {
  test.each([
    'r&d@example.com',
    "!#$%&'*+-/=?^_`{|}~@example.com",
    '-a@example.com',
    'a@xn--e1afmkfd.xn--p1ai',
  ])('reaches %s', async (email) => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service, email);
    await signUp(visitor);
    const token = tokenFrom(await mail.emailTo(email), 'verify-email');
    await confirm(service, token);
    await visitor.signIn();
    await visitor.json('POST', '/api/auth/request-password-reset', { email });
    const reset = tokenFrom(await mail.emailTo(email, 2), 'reset-password');
    const body = { token: reset, newPassword: 'a wholly new password' };
    expect((await visitor.post('/api/auth/reset-password', body)).status).toBe(200);
    expect((await mail.emailTo(email, 3)).subject).toBe('Your password was changed');
    await signUp(new Visitor(service, email));
    expect((await mail.emailTo(email, 4)).subject).toBe('You have an account already');
    expect(mail.received.map(({ to }) => to)).toEqual([email, email, email, email]);
  });
});

describe('the commands', () => {
  const COMMAND_LINES = ['r&d@example.com', 'a@example.xn--p1ai', "!#$%&'*+/=?^_`{|}~@example.com"];

  test('take the same addresses; one that begins with a hyphen after --', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    for (const email of [...COMMAND_LINES, '-a@example.com', '--plan@example.com']) {
      const commands = [
        ['accounts', 'create', '--', email],
        ['keys', 'create', '--', email],
        ['accounts', 'show', '--', email],
        ['accounts', 'reset-link', '--', email],
      ];
      for (const command of commands) {
        expect(await runCommand(command, settings)).toMatchObject({ code: 0 });
      }
    }
    const { stdout } = await runCommand(['accounts', 'list', '--json'], settings);
    const listed: { email: string }[] = JSON.parse(stdout);
    expect(listed.map(({ email }) => email)).toContain('--plan@example.com');
  });

  test('show commands with these addresses as a shell takes them', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    for (const email of ["o'$x`&!#@example.com", '-a@example.com', 'plain+1@example.com']) {
      await runCommand(['accounts', 'create', '--', email], settings);
      const { stderr } = await runCommand(['accounts', 'set-operator', '--', email], settings);
      expect(shellWords(stderr.match(/accounts reset-link (.*)/)?.[1]).at(-1)).toBe(email);
      for (const command of [
        ['accounts', 'show'],
        ['keys', 'list'],
      ]) {
        const { stdout } = await runCommand([...command, '--', email], settings);
        expect(shellWords(stdout.match(/keys create (.*)/)?.[1]).at(-1)).toBe(email);
      }
    }
  });

  test('refuse the same addresses, with the same reason', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    for (const [email, reason] of REFUSED.filter((_, index) => index % 3 === 0)) {
      if (email.includes('\0')) continue;
      for (const command of ['accounts', 'keys']) {
        const refused = await runCommand([command, 'create', email], settings);
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
      }
    }
    const many = ['accounts', 'create', '--count', '2', '--prefix', 'a', '--domain', 'пример.рф'];
    const refused = await runCommand(many, settings);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('xn--e1afmkfd') });
  });
});

/** The arguments that a shell makes of the end of a command line. */
function shellWords(line = ''): string[] {
  const { stdout } = Bun.spawnSync(['sh', '-c', `printf '%s\\n' ${line}`]);
  return stdout.toString().trimEnd().split('\n');
}
