import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestService, temporaryFolder } from '../support/harness.ts';
import {
  type CommandResult,
  PROGRAM,
  runCommand,
  ServiceProcess,
  SHOWN_PROGRAM,
} from '../support/process.ts';
import { TerminalProcess } from '../support/terminal.ts';

const FIRST_KEY = `${SHOWN_PROGRAM} keys create you@example.com`;

/** The superuser may open every port unless this capability is dropped. */
const WITHOUT_LOW_PORTS =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-net_bind_service', '--inh-caps=-net_bind_service']
    : [];

/** Whether low ports need a privilege; some containers allow every port to all users. */
function lowPortsAreGuarded(): boolean {
  const rule = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  return existsSync(rule) && Number(readFileSync(rule, 'utf8')) > 80;
}

describe('on a terminal', () => {
  test('a banner shows the addresses, and the next command while there is no key', async () => {
    using folder = temporaryFolder();
    await using service = serveInTerminal(folder.path);
    await service.shows(/keys create .*\n\n/);
    const port = /localhost:(\d+)/.exec(service.text)?.[1];
    expect(service.text.split('\n').map((line) => line.trim())).toEqual([
      '',
      'Petstore is ready.',
      '',
      `production  http://localhost:${port}/v1`,
      `staging     http://localhost:${port}/staging/v1`,
      `quickstart  http://localhost:${port}/quickstart`,
      `dashboard   http://localhost:${port}`,
      `reference   http://localhost:${port}/docs`,
      '',
      `There is no API key yet. Open http://localhost:${port} and make one there,`,
      'or make one in another terminal:',
      `PETSTORE_DATA_DIR='${folder.path}' ${FIRST_KEY}`,
      '',
      '',
    ]);
    expect((await fetch(`http://localhost:${port}/v1/openapi.json`)).status).toBe(200);
  });

  test('the banner does not speak of keys once there is one', async () => {
    using folder = temporaryFolder();
    await runCommand(['keys', 'create', 'a@example.com'], { PETSTORE_DATA_DIR: folder.path });
    await using service = serveInTerminal(folder.path);
    await service.shows(/\/docs\n/);
    service.type('\x03');
    expect(await service.end()).toBe(0);
    expect(service.text).not.toContain('keys create');
  });

  test('the banner shows what is served only, and makes the first key for that', async () => {
    using folder = temporaryFolder();
    await using service = serveInTerminal(folder.path, '--only', 'staging');
    await service.shows(/keys create .*\n\n/);
    expect(service.text).not.toContain('production');
    expect(service.text).toMatch(/reference +http:\/\/localhost:\d+\/staging\/v1\/openapi\.json\n/);
    expect(service.text).toContain(`${FIRST_KEY} --environment staging\n`);
  });

  test('a silent log does not silence the banner', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_LOG_LEVEL: 'silent', PETSTORE_PORT: '0' };
    const command = [...PROGRAM, 'serve'];
    await using service = new TerminalProcess(command, {
      ...settings,
      PETSTORE_DATA_DIR: folder.path,
    });
    await service.shows(/Petstore is ready/);
  });

  test('--json gives JSON lines there, too', async () => {
    using folder = temporaryFolder();
    await using service = serveInTerminal(folder.path, '--json');
    await service.shows(/"msg":"listening"\}\n/);
    expect(service.text).not.toContain('Petstore is ready');
  });
});

describe('without a terminal', () => {
  test('every line is JSON; the first tells the port, the addresses and the next command', async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.startWithPages({ PETSTORE_DATA_DIR: folder.path });
    await service.end('SIGTERM');
    const lines = (await service.output()).trimEnd().split('\n');
    const [first, ...rest] = lines.map((line): unknown => JSON.parse(line));
    expect(first).toMatchObject({
      level: 30,
      msg: 'listening',
      port: service.port,
      production: `http://localhost:${service.port}/v1`,
      staging: `http://localhost:${service.port}/staging/v1`,
      quickstart: `http://localhost:${service.port}/quickstart`,
      dashboard: `http://localhost:${service.port}`,
      next: `PETSTORE_DATA_DIR='${folder.path}' ${FIRST_KEY}`,
    });
    expect(rest).toMatchObject([{ msg: 'stopping', signal: 'SIGTERM' }, { msg: 'stopped' }]);
  });

  test('the first line does not speak of keys once there is one', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await runCommand(['keys', 'create', 'a@example.com'], settings);
    await using service = await ServiceProcess.start(settings);
    await service.end('SIGTERM');
    expect(await service.output()).not.toContain('keys create');
  });

  test('the service answers as soon as it says that it listens', async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path });
    const [production, staging] = await Promise.all([
      fetch(`${service.url()}/pets`),
      fetch(`${service.url('staging')}/pets`),
    ]);
    expect([production.status, staging.status]).toEqual([401, 401]);
  });
});

describe('serve --only', () => {
  test('serves one environment, while another process serves the other from the same folder', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await using production = await ServiceProcess.start(settings, ['--only', 'production']);
    await using staging = await ServiceProcess.start(settings, ['--only', 'staging']);
    const status = async (url: string) => (await fetch(`${url}/openapi.json`)).status;
    expect(await status(production.url())).toBe(200);
    expect(await status(production.url('staging'))).toBe(404);
    expect(await status(staging.url('staging'))).toBe(200);
    expect(await status(staging.url())).toBe(404);
  });
});

describe('a start that cannot be ends with exit code 2 and one clear line:', () => {
  test('a port that is in use, and leaves its process running', async () => {
    using folder = temporaryFolder();
    await using other = await TestService.start();
    const settings = { PETSTORE_PORT: String(other.port) };
    const refused = await serve(folder.path, settings);
    expectRefusal(refused, new RegExp(`:${other.port}: the port is in use.*PETSTORE_PORT`));
    expect((await other.request('/pets')).status).toBe(401);
    await using _ = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path });
  });

  test('an address that is not of this machine', async () => {
    using folder = temporaryFolder();
    // 192.0.2.0/24 and 2001:db8::/32 are reserved for documentation, so no machine has them.
    for (const [host, shown] of [
      ['192.0.2.1', '192.0.2.1:0'],
      ['2001:db8::1', '[2001:db8::1]:0'],
      ['no host', 'no host:0'],
    ]) {
      const refused = await serve(folder.path, { PETSTORE_HOST: host });
      expectRefusal(refused, /not an address of this machine\. Set PETSTORE_HOST\.\n$/);
      expect(refused.stderr).toContain(`Cannot listen on ${shown}: `);
    }
  });

  test('an address that cannot be listened on for another reason, and reports it', async () => {
    using folder = temporaryFolder();
    // A link-local address without its zone.
    const refused = await serve(folder.path, { PETSTORE_HOST: 'fe80::1' });
    expectRefusal(refused, /\[fe80::1\]:0: EINVAL.*PETSTORE_HOST/);
  });

  test.skipIf(!lowPortsAreGuarded())('a port that this user may not open', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_PORT: '80', PETSTORE_DATA_DIR: folder.path };
    await expect(ServiceProcess.start(settings, [], WITHOUT_LOW_PORTS)).rejects.toThrow(
      /^petstore: [^\n]*:80: you may not open this port\. Set PETSTORE_PORT to 1024 or above\.\n$/,
    );
  });

  test('a folder that cannot be made, or is a file', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, 'kept');
    for (const path of [file, join(file, 'below')]) {
      expectRefusal(await serve(path), new RegExp(`folder ${path}.*PETSTORE_DATA_DIR`));
    }
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });

  test('data that another process serves, and leaves that process running', async () => {
    await using other = await TestService.start();
    const refused = await serve(other.folder.path);
    expectRefusal(refused, /Another process serves production.*PETSTORE_DATA_DIR/);
    expect((await other.request('/pets')).status).toBe(401);
  });

  test.each(['accounts.db', 'production.db', 'staging.db', 'production.lock', 'secret'])(
    'a folder in the place of %s',
    async (name) => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, name));
      expectRefusal(await serve(folder.path), new RegExp(name.replace('.', '\\.')));
    },
  );

  test.each(['accounts.db', 'production.db', 'staging.db'])(
    'noise in the place of %s, which is left as it is',
    async (name) => {
      using folder = await startedOnce();
      const path = join(folder.path, name);
      const noise = randomBytes(20_000);
      writeFileSync(path, noise);
      expectRefusal(await serve(folder.path), /\.db.* Restore a backup/);
      expect(readFileSync(path).equals(noise)).toBe(true);
    },
  );

  test.each(['accounts.db', 'production.db', 'staging.db'])('%s cut short', async (name) => {
    using folder = await startedOnce();
    truncateSync(join(folder.path, name), 8_192);
    expectRefusal(await serve(folder.path), /\.db.* Restore a backup/);
  });

  test('noise in the place of a lock', async () => {
    using folder = await startedOnce();
    writeFileSync(join(folder.path, 'production.lock'), randomBytes(20_000));
    expectRefusal(await serve(folder.path), /production\.lock/);
  });

  test('an empty secret', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'secret'), '');
    expectRefusal(await serve(folder.path), /secret.*backup/);
    rmSync(join(folder.path, 'secret'));
    await using _ = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path });
  });
});

function serveInTerminal(folder: string, ...args: string[]): TerminalProcess {
  return new TerminalProcess([...PROGRAM, 'serve', ...args], {
    PETSTORE_PORT: '0',
    PETSTORE_DATA_DIR: folder,
  });
}

function serve(folder: string, settings = {}): Promise<CommandResult> {
  return runCommand(['serve'], { PETSTORE_PORT: '0', ...settings, PETSTORE_DATA_DIR: folder });
}

/** A folder in which the service was started and stopped. */
async function startedOnce() {
  const folder = temporaryFolder();
  await (await TestService.start({ folder: folder.path })).stop();
  return folder;
}

function expectRefusal(result: CommandResult, problem: RegExp): void {
  expect(result).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^petstore: [^\n]+\n$/),
  });
  expect(result.stderr).toMatch(problem);
}
