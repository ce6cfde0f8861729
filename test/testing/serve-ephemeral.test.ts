import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { PetstoreClient } from '../../client/src/index.ts';
import { canPreload, FaultyDisk } from '../storage/disk/faulty-disk.ts';
import { eventually, SLOW_REPLY, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess, startCommand } from '../support/process.ts';

function ephemeralFolders(parent: string): string[] {
  return readdirSync(parent).filter((name) => name.startsWith('petstore-ephemeral-'));
}

function serve(parent: string, args: readonly string[] = []): Promise<ServiceProcess> {
  return ServiceProcess.start({ TMPDIR: parent }, ['--ephemeral', ...args]);
}

test('an ephemeral service holds its data in a temporary folder, which goes with it', async () => {
  using parent = temporaryFolder();
  await using service = await serve(parent.path);
  expect(ephemeralFolders(parent.path)).toHaveLength(1);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(readdirSync(parent.path)).toEqual([]);
});

test('the folder of an ephemeral service that was killed is removed by the next start', async () => {
  using parent = temporaryFolder();
  await using running = await serve(parent.path);
  await using killed = await serve(parent.path);
  const before = ephemeralFolders(parent.path);
  await killed.end('SIGKILL');
  expect(ephemeralFolders(parent.path)).toEqual(before);
  // Like the folder of a process that was killed before it had locked the folder.
  const draft = mkdtempSync(join(parent.path, '.petstore-ephemeral-'));
  utimesSync(draft, 0, 0);

  await using next = await serve(parent.path);
  expect(ephemeralFolders(parent.path)).toHaveLength(2);
  const client = new PetstoreClient({ apiKey: 'none', baseUrl: running.url(), maxRetries: 0 });
  expect(await client.listPets().catch((error) => error.status)).toBe(401);
  await next.end('SIGTERM');
  await running.end('SIGTERM');
  expect(readdirSync(parent.path)).toEqual([]);
});

test('a ready file has the addresses, ports and keys, once requests are answered', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await using service = await serve(parent.path, ['--ready-file', readyFile]);
  await eventually(() => existsSync(readyFile));
  const ready = await Bun.file(readyFile).json();
  expect(ready).toMatchObject({
    pid: service.pid,
    ports: { http: service.port, ops: service.opsPort },
    addresses: { production: service.url(), ops: `http://127.0.0.1:${service.opsPort}` },
  });
  expect(statSync(readyFile).mode & 0o777).toBe(0o600);
  const { key } = ready.keys.find(
    (each: { environment: string }) => each.environment === 'staging',
  );
  const client = new PetstoreClient({
    apiKey: key,
    baseUrl: ready.addresses.staging,
    timeoutMs: SLOW_REPLY,
  });
  expect(await client.createPet({ name: 'One', categoryId: 1 })).toMatchObject({ id: 1 });
});

test.skipIf(!canPreload)('an ephemeral service never waits for the disk', async () => {
  using parent = temporaryFolder();
  using files = temporaryFolder();
  const disk = await FaultyDisk.compile(files.path);
  const settings = { ...disk.settings(parent.path), PETSTORE_DATA_DIR: '', TMPDIR: parent.path };
  const readyFile = join(files.path, 'ready.json');
  const args = ['--ephemeral', '--ready-file', readyFile];
  await using service = await ServiceProcess.start(settings, args);
  await eventually(() => existsSync(readyFile));
  const { keys, addresses } = await Bun.file(readyFile).json();
  for (const { environment, key } of keys) {
    const baseUrl = addresses[environment];
    const client = new PetstoreClient({ apiKey: key, baseUrl, timeoutMs: SLOW_REPLY });
    expect(await client.createPet({ name: 'One', categoryId: 1 })).toMatchObject({ id: 1 });
  }
  expect(await service.end('SIGTERM')).toBe(0);
  const operations = disk.operations();
  expect(operations.some(({ path }) => path.endsWith('production.db-wal'))).toBe(true);
  expect(operations.filter(({ kind }) => kind === 's').map(({ path }) => path)).toEqual([]);
});

test('a ready file that cannot be written ends the service, and leaves nothing behind', async () => {
  using parent = temporaryFolder();
  // A file in a missing folder, and a path that is a folder.
  for (const path of [join(parent.path, 'none', 'ready.json'), import.meta.dir]) {
    const { code, stderr } = await runCommand(['serve', '--ephemeral', '--ready-file', path], {
      TMPDIR: parent.path,
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: '0',
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('Cannot write the ready file')]);
    expect(readdirSync(parent.path)).toEqual([]);
  }
});

test('a ready file of an earlier service is removed at the start, and its own at the stop', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await Bun.write(readyFile, '{"pid":1}');
  await using service = await serve(parent.path, ['--ready-file', readyFile]);
  expect(await Bun.file(readyFile).json()).toMatchObject({ pid: service.pid });
  await service.end('SIGTERM');
  expect(existsSync(readyFile)).toBe(false);
});

test('commands work on the data of an ephemeral service, whose folder the ready file names', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await using service = await serve(parent.path, ['--ready-file', readyFile]);
  await eventually(() => existsSync(readyFile));
  const { dataDir } = await Bun.file(readyFile).json();
  const made = await runCommand(['keys', 'create', 'you@example.com'], {
    PETSTORE_DATA_DIR: dataDir,
  });
  const reply = await fetch(`${service.url()}/pets`, {
    headers: { Authorization: `Bearer ${made.stdout.trim()}` },
  });
  expect(reply.status).toBe(200);
});

test('health waits for a service that is still starting', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  const waiting = startCommand(['health', '--wait', '60s', '--ready-file', readyFile], {});
  await using service = await serve(parent.path, ['--ready-file', readyFile]);
  expect(await new Response(waiting.stdout).text()).toBe('ready\n');
  expect(await waiting.exited).toBe(0);
  expect(service.pid).toBeGreaterThan(0);
});

test('health gives up when the time is over', async () => {
  using parent = temporaryFolder();
  const { code, stderr } = await runCommand(
    ['health', '--wait', '1s', '--ready-file', join(parent.path, 'none.json')],
    {},
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot read the ready file')]);
});

test('an ephemeral service refuses a database and Redis', async () => {
  const { code, stderr } = await runCommand(['serve', '--ephemeral'], {
    PETSTORE_REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Unset PETSTORE_DATABASE_URL')]);
});

test('a fixture is refused where the data stay', async () => {
  const { code, stderr } = await runCommand(['serve', '--fixture', 'any.json'], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining('--fixture needs --ephemeral')]);
});
