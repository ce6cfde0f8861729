import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';

const SOURCES = join(import.meta.dir, '..', '..', 'src');
const NEW = 'a wholly new password';

describe('accounts reset-link', () => {
  test('lets an account made by the command line sign in, while the server runs', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = settingsOf(service);
    await runCommand(['accounts', 'create', 'A.Person@example.com'], settings);

    const { code, stdout } = await runCommand(
      ['accounts', 'reset-link', 'a.person@example.com'],
      settings,
    );

    expect(code).toBe(0);
    const [page, token] = stdout.trim().split('#token=');
    expect(page).toBe(`${service.dashboardUrl}/reset-password`);
    const body = { token, newPassword: NEW };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);
    const visitor = await Visitor.signIn(service, 'a.person@example.com', NEW);
    expect(await visitor.json('GET', '/api/session')).toMatchObject({
      account: { email: 'A.Person@example.com' },
    });
  });

  test('works without a running server, for one that is started later', async () => {
    using folder = temporaryFolder();
    const settings = {
      PETSTORE_DATA_DIR: folder.path,
      PETSTORE_DASHBOARD_URL: 'https://petstore.example.com/dashboard',
    };
    await runCommand(['accounts', 'create', 'a@example.com'], settings);
    const { stdout } = await runCommand(['accounts', 'reset-link', 'a@example.com'], settings);
    const [page, token] = stdout.trim().split('#token=');
    expect(page).toBe('https://petstore.example.com/dashboard/reset-password');

    await using service = await TestService.start({ parts: PARTS, folder: folder.path });
    const body = { token, newPassword: NEW };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);

    await Visitor.signIn(service, 'a@example.com', NEW);
  });

  test('prints JSON, and is recorded in the audit log without the token', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await runCommand(['accounts', 'create', 'a@example.com'], settings);

    const printed = await runCommand(
      ['accounts', 'reset-link', 'a@example.com', '--json'],
      settings,
    );

    const { email, link } = JSON.parse(printed.stdout);
    expect(email).toBe('a@example.com');
    expect(link).toStartWith('http://localhost:3000/reset-password#token=');
    await using service = await TestService.start({ folder: folder.path });
    const [entry] = await service.stores.audit.list(1);
    expect(entry).toMatchObject({
      action: 'account.reset_link_made',
      by: expect.stringMatching(/^command line: \S/),
      detail: 'a@example.com',
    });
    expect(JSON.stringify(entry)).not.toContain(link.split('=')[1]);
  });

  test('is refused for an address without an account', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    expect(await runCommand(['accounts', 'reset-link', 'a@example.com'], settings)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('No account has the address a@example.com.'),
    });
  });

  test("requires the dashboard's address when the service picks a free port", async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_PORT: '0' };
    await runCommand(['accounts', 'create', 'a@example.com'], settings);
    expect(await runCommand(['accounts', 'reset-link', 'a@example.com'], settings)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('PETSTORE_DASHBOARD_URL'),
    });
  });
});

describe('accounts set-operator', () => {
  test('grants the role to sessions that begin afterwards, and removes it', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const settings = settingsOf(service);
    const visitor = await Visitor.signUp(service);
    const asOperator = () => visitor.get('/api/operator/accounts');
    expect((await asOperator()).status).toBe(403);

    const given = await runCommand(['accounts', 'set-operator', visitor.email], settings);
    expect(given.stderr).toContain(` accounts reset-link ${visitor.email}\n`);

    expect(given.stdout).toBe(
      `${visitor.email} is an operator now, and is signed out everywhere.\n`,
    );
    expect((await asOperator()).status).toBe(401);
    await visitor.signIn();
    expect((await asOperator()).status).toBe(200);
    const args = ['accounts', 'set-operator', visitor.email, '--remove', '--json'];
    const { stdout } = await runCommand(args, settings);
    expect(JSON.parse(stdout)).toMatchObject({ id: visitor.accountId, role: 'customer' });
    expect((await asOperator()).status).toBe(403);
  });

  test('is recorded in the audit log', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    await runCommand(['accounts', 'set-operator', visitor.email], settingsOf(service));
    expect(await service.stores.audit.list(1)).toEqual([
      expect.objectContaining({
        action: 'account.role_changed',
        accountId: visitor.accountId,
        by: expect.stringMatching(/^command line: \S/),
        detail: 'operator',
      }),
    ]);
  });

  test('is refused for an address without an account', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const { code, stderr } = await runCommand(
      ['accounts', 'set-operator', 'a@example.com'],
      settings,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('No account has the address a@example.com.');
  });
});

test('accounts list shows who is an operator', async () => {
  using folder = temporaryFolder();
  const settings = { PETSTORE_DATA_DIR: folder.path };
  await runCommand(['accounts', 'create', 'a@example.com'], settings);
  await runCommand(['accounts', 'create', 'b@example.com'], settings);
  await runCommand(['accounts', 'set-operator', 'b@example.com'], settings);

  const table = await runCommand(['accounts', 'list'], settings);
  const json = await runCommand(['accounts', 'list', '--json'], settings);

  const [headings, ...rows] = table.stdout.trimEnd().split('\n');
  expect(headings).toMatch(/^EMAIL +ROLE +PLAN /);
  expect(rows[0]).toMatch(/^a@example.com +customer +free /);
  expect(rows[1]).toMatch(/^b@example.com +operator +free /);
  expect(JSON.parse(json.stdout)).toMatchObject([{ role: 'customer' }, { role: 'operator' }]);
});

test('no other command and no start of the service loads the sign-in libraries', () => {
  for (const entry of ['cli/program.ts', 'app.ts']) {
    const packages = packagesOf(entry);
    expect(packages).toContain(entry === 'cli/program.ts' ? 'commander' : 'ipaddr.js');
    for (const heavy of HEAVY) expect(packages).not.toContain(heavy);
  }
  expect(packagesOf('dashboard/sign-in/sign-in.ts')).toContain('better-auth');
});

const HEAVY = ['better-auth', 'better-auth/api', 'kysely', 'nodemailer'];

/** The packages that are loaded with a file of src, without dynamic imports. */
function packagesOf(entry: string): string[] {
  const packages = new Set<string>();
  const pending = [join(SOURCES, entry)];
  const seen = new Set<string>();
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file) || !file.endsWith('.ts')) continue;
    seen.add(file);
    for (const { kind, path } of new Bun.Transpiler({ loader: 'ts' }).scanImports(
      readFileSync(file),
    )) {
      if (kind !== 'import-statement') continue;
      if (path.startsWith('.')) pending.push(join(dirname(file), path));
      else packages.add(path);
    }
  }
  return [...packages];
}

function settingsOf(service: TestService): Record<string, string> {
  return {
    PETSTORE_DATA_DIR: service.folder.path,
    PETSTORE_DASHBOARD_URL: service.dashboardUrl,
  };
}
