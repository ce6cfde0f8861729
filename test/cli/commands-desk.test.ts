import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

const MOMENT = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('accounts show', () => {
  test('shows everything about an account, as JSON and as text', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    const { key } = await createKey(visitor, { name: 'mine' });
    await service.stores.accounts.suspend(visitor.accountId, 'Spam', Date.now(), 'test');
    const show = (...args: string[]) =>
      runCommand(['accounts', 'show', visitor.email, ...args], onFolder(service.folder.path));

    const json = JSON.parse((await show('--json')).stdout);
    const none = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };
    expect(json).toMatchObject({
      id: visitor.accountId,
      email: visitor.email,
      suspended: { at: MOMENT, reason: 'Spam' },
      keys: [{ id: key.id, name: 'mine', state: 'active' }],
      usage: { production: { day: none, month: none }, staging: { day: none, month: none } },
      bans: [],
      sessions: [{ createdAt: MOMENT, secondFactor: null }],
      secondFactors: { hasTotp: false, recoveryCodesLeft: 0, passkeys: 0 },
      audit: [
        { action: 'account.suspended', actor: 'test', detail: 'Spam', at: MOMENT },
        { action: 'key.created', actor: visitor.email },
        { action: 'session.signed_in', detail: 'password' },
        { action: 'account.created' },
      ],
    });
    const { code, stdout } = await show();
    expect(code).toBe(0);
    for (const part of [visitor.accountId, ': Spam', key.id, 'account.created', 'Sessions: 1']) {
      expect(stdout).toContain(part);
    }
  });

  test('is refused for an address without an account', async () => {
    using folder = temporaryFolder();
    const { code, stderr } = await runCommand(
      ['accounts', 'show', 'a@example.com'],
      onFolder(folder.path),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('No account has the address')]);
  });
});

describe('accounts create --count', () => {
  test('makes accounts whose links and keys work, once', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = {
      ...onFolder(service.folder.path),
      PETSTORE_DASHBOARD_URL: service.dashboardUrl,
    };
    const create = (...args: string[]) =>
      runCommand(['accounts', 'create', '--count', '2', '--prefix', 'class-', ...args], settings);

    const { code, stdout } = await create('--plan', 'pro');

    expect(code).toBe(0);
    const [names, ...lines] = stdout.trimEnd().split('\r\n');
    expect(names).toBe('email,link,staging key,production key');
    const sheets = lines.map((line) => line.split(','));
    expect(sheets.map(([email]) => email)).toEqual([
      'class-01@example.com',
      'class-02@example.com',
    ]);
    for (const [email = '', link = '', staging = '', production = ''] of sheets) {
      const token = link.split('#token=')[1];
      const newPassword = 'a wholly new password';
      const body = { token, newPassword };
      await new Visitor(service).json('POST', '/api/auth/reset-password', body);
      const visitor = await Visitor.signIn(service, email, newPassword);
      expect(await visitor.json('GET', '/api/session')).toMatchObject({ account: { plan: 'pro' } });
      const statuses = [
        await service.request('/pets', { key: production }),
        await service.request('/pets', { key: staging, environment: 'staging' }),
      ].map(({ status }) => status);
      expect(statuses).toEqual([200, 200]);
    }
    expect(await create('--json')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('class-01@example.com has an account already.'),
    });
  });

  test('loses no line of the sheet when it is interrupted', async () => {
    using folder = temporaryFolder();
    const settings = onFolder(folder.path);
    const args = ['accounts', 'create', '--count', '999', '--prefix', 'class-'];
    const command = startCommand(args, settings);
    let sheet = '';
    const decoder = new TextDecoder();
    for await (const part of command.stdout) {
      sheet += decoder.decode(part, { stream: true });
      if (sheet.split('\r\n').length > 3) command.kill('SIGKILL');
    }
    await command.exited;
    const lines = sheet.split('\r\n').slice(1, -1);
    const listed = (await runCommand(['accounts', 'list', '--json'], settings)).stdout;
    const made: string[] = JSON.parse(listed).map(({ email }: { email: string }) => email);
    const missing = made.filter((email) => !lines.some((line) => line.startsWith(`${email},`)));
    expect(made.length).toBeGreaterThan(1);
    // The account that was being created when the command was killed.
    expect(missing.length).toBeLessThanOrEqual(1);
  });

  test('prints each account as JSON as soon as it exists', async () => {
    using folder = temporaryFolder();
    const settings = onFolder(folder.path);
    const args = ['accounts', 'create', '--count', '999', '--prefix', 'class-', '--json'];
    const command = startCommand(args, settings);
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of command.stdout) {
      text += decoder.decode(part, { stream: true });
      if (text.split('{').length > 3) command.kill('SIGKILL');
    }
    await command.exited;
    const printed: string[] = JSON.parse(`${text}]`).map((each: { email: string }) => each.email);
    const listed = (await runCommand(['accounts', 'list', '--json'], settings)).stdout;
    const made: string[] = JSON.parse(listed).map(({ email }: { email: string }) => email);
    expect(made.length).toBeLessThan(999);
    // The account that was being created when the command was killed.
    expect(made.filter((email) => !printed.includes(email)).length).toBeLessThanOrEqual(1);
  });

  test('prints valid JSON, also when an account cannot be made', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = onFolder(service.folder.path);
    const args = ['accounts', 'create', '--prefix', 'class-', '--json', '--count'];
    const whole = await runCommand([...args, '2'], settings);
    expect(JSON.parse(whole.stdout)).toMatchObject([
      { email: 'class-01@example.com' },
      { email: 'class-02@example.com' },
    ]);
    const command = startCommand([...args, '999'], settings);
    let text = '';
    const decoder = new TextDecoder();
    const last = 'class-999@example.com';
    for await (const part of command.stdout) {
      if (text === '') await service.stores.accounts.create(last, subscribe('free'), 0, 'test');
      text += decoder.decode(part, { stream: true });
    }
    expect(await command.exited).toBe(1);
    expect(await new Response(command.stderr).text()).toContain(`${last} has an account already`);
    expect(JSON.parse(text)).toHaveLength(998);
  });

  test.each([
    ['sheet', []],
    ['JSON', ['--json']],
  ])('makes no further accounts when the reader of the %s ends', async (_, json) => {
    using folder = temporaryFolder();
    const settings = onFolder(folder.path);
    const args = ['accounts', 'create', '--count', '20', '--prefix', 'class-', ...json];
    const command = startCommand(args, settings);
    const reader = command.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect(await command.exited).toBe(1);
    const { stdout } = await runCommand(['accounts', 'list', '--json'], settings);
    const last = JSON.parse(stdout).at(-1).email;
    expect(JSON.parse(stdout).length).toBeLessThan(20);
    expect(await new Response(command.stderr).text()).toBe(
      `petstore: Nobody reads the sheet any more. ${last} is the last account that was made, and its line is lost.\n`,
    );
  });

  test.each([
    [['--count', '2']],
    [['--prefix', 'a-']],
    [['a@example.com', '--count', '2', '--prefix', 'a-']],
    [['a@example.com', '--domain', 'example.org']],
    [['--count', '2', '--prefix', 'a b']],
    [['--count', '1001', '--prefix', 'a-']],
    [['--count', '0', '--prefix', 'a-']],
    [[]],
  ])('is refused with %j', async (args) => {
    const settings = { PETSTORE_DATA_DIR: '/nonexistent' };
    expect(await runCommand(['accounts', 'create', ...args], settings)).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});

describe('audit list', () => {
  test('names accounts, and filters by actor, account, action and time', async () => {
    using folder = temporaryFolder();
    const run = async (...args: string[]) => {
      const result = await runCommand(args, onFolder(folder.path));
      expect([args, result.code]).toEqual([args, 0]);
      return result.stdout;
    };
    const emails = ['a@example.com', 'b@example.com'];
    for (const email of emails) await run('accounts', 'create', email);
    await run('accounts', 'suspend', 'a@example.com', '--reason', 'Spam');
    await run('accounts', 'delete', 'b@example.com', '--yes');
    const list = async (...args: string[]): Promise<Array<Record<string, unknown>>> =>
      JSON.parse(await run('audit', 'list', '--json', ...args));
    const all = await list();
    expect(all).toMatchObject([
      { action: 'account.deleted', email: null },
      { action: 'account.suspended', email: 'a@example.com', detail: 'Spam' },
      {
        action: 'account.created',
        email: null,
        detail: '(deleted), free: 60 a minute, 1000 a day',
      },
      { action: 'account.created', email: 'a@example.com', at: MOMENT },
    ]);
    const actions = async (...args: string[]) => (await list(...args)).map(({ action }) => action);
    const ofA = ['account.suspended', 'account.created'];
    expect(await actions('--account', 'A@example.com')).toEqual(ofA);
    const deleted = String(all[0]?.['accountId']);
    expect(await actions('--account', deleted)).toEqual(['account.deleted', 'account.created']);
    expect(await actions('--action', 'account.suspended')).toEqual(['account.suspended']);
    expect(await actions('--actor', 'COMMAND', '--since', '1d', '--limit', '2')).toHaveLength(2);
    expect(await actions('--actor', 'nobody')).toEqual([]);
    expect(await actions('--to', '2020-01-01')).toEqual([]);
    expect(await actions('--from', '2020-01-01')).toHaveLength(4);
    expect(await run('audit', 'list', '--action', 'account.suspended')).toContain('a@example.com');
  });

  test.each([
    ['--action', 'bogus'],
    ['--since', 'yesterday'],
    ['--from', 'soon'],
    ['--to', '2027-01-31T12:00'],
    ['--limit', '0'],
  ] as const)('is refused with %s %s', async (option, value) => {
    const settings = { PETSTORE_DATA_DIR: '/nonexistent' };
    expect(await runCommand(['audit', 'list', option, value], settings)).toMatchObject({ code: 2 });
  });
});
