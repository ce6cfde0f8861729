import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { packPages } from '../../src/dashboard/pages/bundle-pack.ts';
import { findPack, keepPack, packFolders } from '../../src/dashboard/pages/kept-pack.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, ServiceProcess, SOURCE } from '../support/process.ts';
import { ON_POSTGRES } from '../support/shared-store.ts';
import { makeKey, onFolder } from '../support/storage.ts';
import {
  type FirstRequest,
  firstRequests,
  type Keys,
  openConnection,
  sendOn,
  useDashboard,
} from './first-requests.ts';

const WATCHED = join(import.meta.dir, 'watched-service.ts');

const hasProc = existsSync('/proc/self/fd');

/** Starts a service from source with the preloaded watcher, which explains the settings. */
function startWatched(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<ServiceProcess> {
  return ServiceProcess.run([...SOURCE, 'serve', ...options], {
    env: cleanEnvironment({
      ...{ ...onFolder(folder), PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' },
      ...{ BUN_OPTIONS: `--preload ${WATCHED}`, GO: marker(folder), MODULES: moduleList(folder) },
      ...settings,
    }),
  });
}

/** The file for which the watcher waits. */
function marker(folder: string): string {
  return join(folder, 'go');
}

/** The file to which the watcher writes the loaded modules. */
function moduleList(folder: string): string {
  return join(folder, 'modules');
}

/** The paths of the modules that the main thread has loaded by now. */
async function modulesOf({ pid }: ServiceProcess, folder: string): Promise<readonly string[]> {
  const list = moduleList(folder);
  rmSync(list, { force: true });
  process.kill(pid, 'SIGUSR1');
  await eventually(() => existsSync(list));
  return JSON.parse(readFileSync(list, 'utf8'));
}

async function makeKeys(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Keys> {
  const production = await makeKey(folder, 'production', settings);
  return { production, staging: await makeKey(folder, 'staging', settings) };
}

/** Lets the services find the bundle of their pages on disk, as after their first start. */
async function keepBundle(): Promise<void> {
  const folders = packFolders(undefined);
  if (!(await findPack(folders))) await keepPack(await packPages(), folders);
}

async function readiness({ opsPort }: ServiceProcess): Promise<string> {
  return (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).text();
}

/** Waits until the service is ready, as a proxy would. */
function ready(service: ServiceProcess): Promise<void> {
  return eventually(async () => (await readiness(service).catch(() => '')) === 'ready\n');
}

/** Sends requests on new connections; returns those whose status is not the expected one, with it. */
async function failuresOf(
  { port }: ServiceProcess,
  requests: readonly FirstRequest[],
): Promise<unknown[]> {
  const replies = await Promise.all(
    requests.map(async (request) => sendOn(await openConnection(port), request)),
  );
  return unexpected(requests, replies);
}

function unexpected(requests: readonly FirstRequest[], replies: ReadonlyArray<number | undefined>) {
  return requests.flatMap(({ method, path, status }, index) =>
    replies[index] === status ? [] : [{ method, path, status: replies[index] }],
  );
}

/** How many sockets the process has open. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith('socket:');
    } catch {
      // Closed in the meantime.
      return false;
    }
  }).length;
}

test.skipIf(!hasProc)(
  'the first request of every kind since the start is answered while no file descriptor is left',
  async () => {
    using folder = temporaryFolder();
    await keepBundle();
    const keys = await makeKeys(folder.path);
    await using service = await startWatched(folder.path);
    await ready(service);
    const requests = firstRequests(`http://localhost:${service.port}`, keys);
    const connections = await Promise.all(requests.map(() => openConnection(service.port)));
    await eventually(() => socketsOf(service.pid) >= requests.length);
    process.kill(service.pid, 'SIGUSR2');
    const replies = connections.map((connection, index) => {
      return sendOn(connection, requests[index] as FirstRequest);
    });
    await Bun.write(marker(folder.path), '');
    const wrong = unexpected(requests, await Promise.all(replies));
    // The first creation opens the file that records assigned ids; the next one tries that again.
    const creations = ['/v1/pets', '/quickstart/messages'];
    expect(
      wrong.filter(({ path, status }) => !(status === 503 && creations.includes(path))),
    ).toEqual([]);
    process.kill(service.pid, 'SIGUSR2');
    await ready(service);
    const repeated = requests.filter(({ path }) => !path.includes('sign-up'));
    expect(await failuresOf(service, repeated)).toEqual([]);
  },
);

describe.skipIf(!hasProc).each([200, 1_024])(
  'half-sent requests with %d file descriptors',
  (limit) => {
    test('while the first requests of every kind arrive do no lasting damage', async () => {
      using folder = temporaryFolder();
      const keys = await makeKeys(folder.path);
      const limited = ['bash', '-c', `ulimit -n ${limit}; exec "$@"`, 'bash'];
      const settings = { ...onFolder(folder.path), PETSTORE_ANONYMOUS_PER_MINUTE: '10000' };
      await using service = await ServiceProcess.startWithPages(settings, [], limited);
      await ready(service);
      const requests = firstRequests(`http://localhost:${service.port}`, keys);
      const halfSent = Array.from({ length: 2 * limit }, () => connect(service.port, '127.0.0.1'));
      for (const socket of halfSent) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHo');
      // Refused or answered, whatever the moment allows.
      await Promise.allSettled(
        requests.map(async (request) => sendOn(await openConnection(service.port), request)),
      );
      await eventually(async () => (await readiness(service)).includes('descriptors'));
      for (const socket of halfSent.splice(0)) socket.destroy();
      await ready(service);
      const repeated = requests.filter(({ path }) => !path.includes('sign-up'));
      expect(await failuresOf(service, repeated)).toEqual([]);
      const metrics = await fetch(`http://127.0.0.1:${service.opsPort}/metrics`);
      expect(metrics.status).toBe(200);
      expect(await service.end('SIGTERM')).toBe(0);
      expect(await service.output()).not.toMatch(/"level":(?:50|60)/);
    });
  },
);

/** Expects a ready service to answer all kinds of requests without loading a module. */
async function expectLoaded(
  folder: string,
  keys: Keys,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using service = await startWatched(folder, {
    PETSTORE_OPERATOR_SECOND_FACTOR: 'optional',
    ...settings,
  });
  await ready(service);
  const before = await modulesOf(service, folder);
  const requests = firstRequests(`http://localhost:${service.port}`, keys);
  expect(await failuresOf(service, requests)).toEqual([]);
  await useDashboard(`http://localhost:${service.port}`);
  expect((await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).status).toBe(200);
  const after = await modulesOf(service, folder);
  expect(before).toContain(join(import.meta.dir, '../../src/dashboard/sign-in/sign-in.ts'));
  expect(after.filter((path) => !before.includes(path))).toEqual([]);
}

describe('once the service is ready no request loads a module', () => {
  test('with a data folder', async () => {
    using folder = temporaryFolder();
    await expectLoaded(folder.path, await makeKeys(folder.path));
  });

  test.skipIf(!ON_POSTGRES.isHere)('with PostgreSQL and Redis', async () => {
    using folder = temporaryFolder();
    await using store = await ON_POSTGRES.open();
    await expectLoaded(folder.path, await makeKeys(folder.path, store.settings), store.settings);
  });
});

describe('code that is loaded after the start', () => {
  test('delays the requests that need it, and the readiness, but no other request', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await startWatched(folder.path, { HELD: '/src/dashboard/dashboard.ts' });
    const origin = `http://localhost:${service.port}`;
    let isAnswered = false;
    const page = fetch(`${origin}/docs`).finally(() => {
      isAnswered = true;
    });
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${origin}/v1/pets`, { headers })).status).toBe(200);
    expect(await readiness(service)).toBe('the service is still loading code\n');
    expect(isAnswered).toBe(false);
    await Bun.write(marker(folder.path), '');
    expect((await page).status).toBe(200);
    await ready(service);
  });

  test.each([
    ['src/http/body/body-validator.ts', []],
    ['src/api/openapi/document.ts', ['--only', 'production']],
    ['src/dashboard/dashboard.ts', []],
    ['src/dashboard/sign-in/sign-in.ts', []],
    ['src/storage/schema/kysely.ts', []],
    ['@modelcontextprotocol/server', []],
  ])(
    'ends the process with 1 and the cause in the log if %s cannot be loaded',
    async (path, options) => {
      using folder = temporaryFolder();
      await using service = await startWatched(folder.path, { FAILING: path }, options);
      const output = await service.output();
      expect(output).toMatch(
        /"level":50,.*no file descriptor is left.*cannot be loaded, so the service stops/,
      );
      expect(output).toContain('"msg":"stopped"');
      expect(await service.exited).toBe(1);
    },
  );

  test('is not loaded by a service that does not serve it', async () => {
    using folder = temporaryFolder();
    await using service = await startWatched(folder.path, {}, ['--only', 'production']);
    await ready(service);
    const modules = await modulesOf(service, folder.path);
    expect(modules.filter((each) => each.endsWith('/http/body/body-validator.ts'))).toHaveLength(1);
    expect(modules.filter((each) => /better-auth|\/dashboard\/dashboard/.test(each))).toEqual([]);
  });

  test('of the dashboard is loaded by a throwaway service at its first page', async () => {
    using folder = temporaryFolder();
    await using service = await startWatched(folder.path, {}, ['--ephemeral']);
    const dashboard = /\/src\/dashboard\/dashboard\.ts$/;
    const isLoaded = async (path: RegExp) =>
      (await modulesOf(service, folder.path)).some((each) => path.test(each));
    // Loaded shortly after the start.
    await eventually(() => isLoaded(/\/src\/limits\/account-limits\.ts$/));
    expect(await isLoaded(dashboard)).toBe(false);
    expect(await readiness(service)).toBe('ready\n');
    expect((await fetch(`http://localhost:${service.port}/docs`)).status).toBe(200);
    expect(await isLoaded(dashboard)).toBe(true);
  });
});
