import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPetstore } from '../../testing/src/index.ts';
import { temporaryFolder } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';
import { cleanEnvironment, PROGRAM, SOURCE } from '../support/process.ts';
import { timeoutMs } from './petstore-scene.ts';

const BIN = ['node', join(import.meta.dir, '..', '..', 'bin', 'petstore.js')];

/** Every way to start the program; the first may be the executable. */
const PROGRAMS = [
  ['as the tests do', PROGRAM],
  ['from its source', SOURCE],
  ['by the command of the package', BIN],
] as const;

/** Every file that the runtime would read by itself. */
const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.production', '.env.test'];

/** Prints the variables of the command whose names begin like this, as JSON. */
function printing(...beginnings: readonly string[]): readonly string[] {
  const program = `
    const shown = Object.entries(process.env).filter(([name]) => ${JSON.stringify(beginnings)}.some((each) => name.startsWith(each)));
    console.log(JSON.stringify(Object.fromEntries(shown)));
  `;
  return ['node', '-e', program];
}

/** Runs a command line in a folder with these variables in every `.env` file. */
async function runBeside(
  envFile: string,
  command: readonly string[],
  settings: Readonly<Record<string, string>> = {},
) {
  using folder = temporaryFolder();
  for (const name of ENV_FILES) writeFileSync(join(folder.path, name), envFile);
  const child = Bun.spawn([...command], {
    cwd: folder.path,
    env: cleanEnvironment({ TMPDIR: folder.path, ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** A proxy that answers every request itself; its address in the variables that name proxies. */
function openProxy() {
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      requests.push(url);
      return new Response('from the proxy', { status: 502 });
    },
  });
  const address = `http://127.0.0.1:${server.port}`;
  const names = [
    'HTTP_PROXY',
    'http_proxy',
    'HTTPS_PROXY',
    'https_proxy',
    'ALL_PROXY',
    'all_proxy',
  ];
  return {
    requests,
    variables: {
      ...Object.fromEntries(names.map((name) => [name, address])),
      // The machine's own exemptions must not hide what is tested.
      NO_PROXY: '',
      no_proxy: '',
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describe.each(PROGRAMS)('a command that is started %s', (_, program) => {
  test('by run sees no variable of the .env files beside it', async () => {
    const { code, stdout, stderr } = await runBeside(
      'DATABASE_URL=from-the-file\nPETSTORE_BAN_AFTER=no-number\n',
      [...program, 'run', '--', ...printing('DATABASE_', 'PETSTORE_')],
      { DATABASE_HOST: 'from-the-start' },
    );
    expect([code, stderr]).toEqual([0, '']);
    const { DATABASE_HOST, ...others } = JSON.parse(stdout);
    expect(DATABASE_HOST).toBe('from-the-start');
    expect(Object.keys(others).toSorted()).toEqual([
      'PETSTORE_KEY',
      'PETSTORE_QUICKSTART_URL',
      'PETSTORE_SANDBOX_URL',
      'PETSTORE_STAGING_KEY',
      'PETSTORE_STAGING_URL',
      'PETSTORE_URL',
    ]);
  });

  test('by grade sees no variable of the .env files beside it', async () => {
    const { stdout } = await runBeside('DATABASE_URL=from-the-file\n', [
      ...[...program, 'grade', '--only', 'follows-links', '--json', '--'],
      ...['sh', '-c', 'echo "seen: [$DATABASE_URL]" >&2; exit 1'],
    ]);
    expect(stdout).toContain('seen: []');
    expect(stdout).not.toContain('from-the-file');
  });
});

describe('settings in .env', () => {
  test.each([
    ['from its source', SOURCE],
    ['by the command of the package', BIN],
  ])('are read by commands that open the store, started %s', async (_, program) => {
    const { code, stderr } = await runBeside('PETSTORE_PORT=70000\n', [
      ...program,
      'keys',
      'list',
      'a@b.example',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('PETSTORE_PORT must be a whole number'),
    ]);
  });

  test('do not replace those of the environment', async () => {
    const { code, stderr } = await runBeside(
      'PETSTORE_PORT=70000\n',
      [...BIN, 'openapi', '--part', 'quickstart'],
      { PETSTORE_PORT: '4000' },
    );
    expect([code, stderr]).toEqual([0, '']);
  });

  test.each(['.env.local', '.env.production'])('are not read from %s', async (name) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, name), 'PETSTORE_PORT=70000\n');
    const child = Bun.spawn([...BIN, 'openapi', '--part', 'quickstart'], {
      cwd: folder.path,
      env: cleanEnvironment({ NODE_ENV: 'production' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, '']);
  });

  test('are not read by serve --no-env-file, with which the testing package starts a service', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, '.env'), 'PETSTORE_API_KEY=x\nPETSTORE_PORT=70000\n');
    // The package starts its service in the folder of the tests.
    const program = `
      import { startPetstore } from '${join(import.meta.dir, '../../testing/src/index.ts')}';
      await using petstore = await startPetstore({ command: ${JSON.stringify(BIN)}, timeoutMs: ${timeoutMs} });
      const headers = { Authorization: 'Bearer ' + petstore.key };
      console.log((await fetch(petstore.url + '/pets', { headers })).status);
    `;
    const child = Bun.spawn([process.execPath, '-e', program], {
      cwd: folder.path,
      env: cleanEnvironment({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await new Response(child.stdout).text()).toBe('200\n');
  });
});

describe('variables of a client project that look like settings', () => {
  const FOREIGN = { PETSTORE_API_KEY: 'x', PETSTORE_: '', PETSTORE_PROT: '1' };

  test('are ignored by run, and reach its command', async () => {
    const { code, stdout } = await runBeside(
      '',
      [...PROGRAM, 'run', '--', ...printing('PETSTORE_API')],
      FOREIGN,
    );
    expect([code, JSON.parse(stdout)]).toEqual([0, { PETSTORE_API_KEY: 'x' }]);
  });

  test('are ignored by grade', async () => {
    const { code, stderr } = await runBeside(
      '',
      [...PROGRAM, 'grade', '--only', 'follows-links', '--', 'false'],
      FOREIGN,
    );
    const noted = expect.stringMatching(/^petstore: The program did not do its task.*\n$/);
    expect([code, stderr]).toEqual([1, noted]);
  });

  test('are ignored by mcp', async () => {
    await using petstore = await startPetstore({ command: PROGRAM, timeoutMs });
    await using tools = await ToolClient.overStdio({
      ...FOREIGN,
      PETSTORE_PORT: 'tcp://10.0.0.1:80',
      PETSTORE_URL: petstore.url,
      PETSTORE_KEY: petstore.key,
    });
    expect((await tools.call('listPets')).isError).toBe(false);
  });

  test('do not hide a wrong value of a setting', async () => {
    const { code, stderr } = await runBeside('', [...PROGRAM, 'run', '--', 'true'], {
      PETSTORE_BAN_AFTER: 'often',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('PETSTORE_BAN_AFTER must be')]);
  });
});

describe('where the environment names a proxy', () => {
  test('grade sends its own requests, and its client, to the service', async () => {
    await using proxy = openProxy();
    const client = join(import.meta.dir, '../../examples/grade/petstore-client.ts');
    const { code, stderr } = await runBeside(
      '',
      [...PROGRAM, 'grade', '--only', 'follows-links', '--', process.execPath, client],
      proxy.variables,
    );
    expect([code, stderr, proxy.requests]).toEqual([0, '', []]);
  });

  test('run adds this machine to the hosts that its command reaches without one', async () => {
    const seen = async (variables: Readonly<Record<string, string>>) => {
      const { stdout } = await runBeside(
        '',
        [...PROGRAM, 'run', '--', ...printing('NO_PROXY', 'no_proxy')],
        variables,
      );
      return JSON.parse(stdout);
    };
    const local = 'localhost,127.0.0.1,::1';
    expect(await seen({ NO_PROXY: '', no_proxy: '' })).toEqual({
      NO_PROXY: local,
      no_proxy: local,
    });
    expect(await seen({ NO_PROXY: 'a.example, localhost', no_proxy: '*' })).toEqual({
      NO_PROXY: 'a.example,localhost,127.0.0.1,::1',
      no_proxy: '*',
    });
  });

  test('mcp asks a service of this machine itself', async () => {
    await using proxy = openProxy();
    await using petstore = await startPetstore({ command: PROGRAM, timeoutMs });
    await using tools = await ToolClient.overStdio({
      ...proxy.variables,
      PETSTORE_URL: petstore.url.replace('localhost', '127.0.0.1'),
      PETSTORE_KEY: petstore.key,
    });
    expect((await tools.call('listPets')).isError).toBe(false);
    expect(proxy.requests).toEqual([]);
  });

  test('mcp asks a service elsewhere through the proxy', async () => {
    await using proxy = openProxy();
    await using petstore = await startPetstore({ command: PROGRAM, timeoutMs });
    await using tools = await ToolClient.overStdio({
      ...proxy.variables,
      PETSTORE_URL: 'http://petstore.invalid/v1',
      PETSTORE_KEY: petstore.key,
    });
    await tools.call('listPets').catch(() => {});
    expect(proxy.requests).toEqual([expect.stringContaining('petstore.invalid/v1/pets')]);
  });

  test('the testing package controls its service without it', async () => {
    await using proxy = openProxy();
    const program = `
      import { startPetstore } from '${join(import.meta.dir, '../../testing/src/index.ts')}';
      await using petstore = await startPetstore({ command: ${JSON.stringify(PROGRAM)}, timeoutMs: ${timeoutMs} });
      await petstore.advance('1s');
      await petstore.simulate('unavailable', { times: 1 });
      console.log((await petstore.requests()).length);
    `;
    const child = Bun.spawn([process.execPath, '-e', program], {
      env: cleanEnvironment(proxy.variables),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await new Response(child.stdout).text()).toBe('0\n');
    expect(proxy.requests).toEqual([]);
  });
});
