import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { PetstoreClient } from '../../client/src/index.ts';
import { canPreload, FaultyDisk } from '../storage/disk/faulty-disk.ts';
import { eventually, SLOW_REPLY, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess, startCommand } from '../support/process.ts';

function throwawayFolders(parent: string): string[] {
  return readdirSync(parent).filter((name) => name.startsWith('petstore-ephemeral-'));
}

function serve(parent: string, args: readonly string[] = []): Promise<ServiceProcess> {
  return ServiceProcess.start({ TMPDIR: parent }, ['--ephemeral', ...args]);
}

test('a throwaway service holds its data in a temporary folder, which goes with it', async () => {
  using parent = temporaryFolder();
  await using service = await serve(parent.path);
  expect(throwawayFolders(parent.path)).toHaveLength(1);
  expect(await service.end('SIGTERM')).toBe(0);
  expect(readdirSync(parent.path)).toEqual([]);
});

test('the folder of a throwaway service that was killed is removed by the next start', async () => {
  using parent = temporaryFolder();
  await using running = await serve(parent.path);
  await using killed = await serve(parent.path);
  const before = throwawayFolders(parent.path);
  await killed.end('SIGKILL');
  expect(throwawayFolders(parent.path)).toEqual(before);
  // Like the folder of a process that was killed before it had locked the folder.
  const draft = mkdtempSync(join(parent.path, '.petstore-ephemeral-'));
  utimesSync(draft, 0, 0);

  await using next = await serve(parent.path);
  expect(throwawayFolders(parent.path)).toHaveLength(2);
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

test.skipIf(!canPreload)('a throwaway service never waits for the disk', async () => {
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

test('the ready file of a running service stays when a second service with it cannot start', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await using service = await serve(parent.path, ['--ready-file', readyFile]);
  await eventually(() => existsSync(readyFile));
  const before = await Bun.file(readyFile).text();
  const second = await runCommand(['serve', '--ephemeral', '--ready-file', readyFile], {
    TMPDIR: parent.path,
    PETSTORE_PORT: String(service.port),
    PETSTORE_OPS_PORT: '0',
  });
  expect(second.code).toBe(2);
  expect(await Bun.file(readyFile).text()).toBe(before);
  expect(statSync(readyFile).mode & 0o777).toBe(0o600);
});

test('the ready file of a service that is gone does not come back when the next one cannot start', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  const gone = Bun.spawn(['true']);
  await gone.exited;
  await using taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  for (const text of [JSON.stringify({ pid: gone.pid }), '{"pid":0}', 'null', 'no JSON']) {
    await Bun.write(readyFile, text);
    const { code } = await runCommand(['serve', '--ephemeral', '--ready-file', readyFile], {
      TMPDIR: parent.path,
      PETSTORE_PORT: String(taken.port),
      PETSTORE_OPS_PORT: '0',
    });
    expect(code).toBe(2);
    expect(readdirSync(parent.path)).toEqual([]);
  }
});

test('a service that stops leaves a ready file that another service has written since', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await using first = await serve(parent.path, ['--ready-file', readyFile]);
  await using second = await serve(parent.path, ['--ready-file', readyFile]);
  expect(await first.end('SIGTERM')).toBe(0);
  expect(await Bun.file(readyFile).json()).toMatchObject({ pid: second.pid });
  expect(await second.end('SIGTERM')).toBe(0);
  expect(existsSync(readyFile)).toBe(false);
});

test('commands work on the data of a throwaway service, whose folder the ready file names', async () => {
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

test('health asks whether the service that wrote the ready file is running', async () => {
  using parent = temporaryFolder();
  const readyFile = join(parent.path, 'ready.json');
  await Bun.write(readyFile, '{"addresses":{"ops":"http://127.0.0.1:1"}}');
  const { code, stderr } = await runCommand(['health', '--ready-file', readyFile], {});
  expect([code, stderr]).toEqual([
    1,
    `petstore: http://127.0.0.1:1/livez does not answer. Is the service that wrote ${readyFile} running?\n`,
  ]);
});

test('a throwaway service refuses a database and Redis', async () => {
  const { code, stderr } = await runCommand(['serve', '--ephemeral'], {
    PETSTORE_REDIS_URL: 'redis://127.0.0.1:1',
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Unset PETSTORE_DATABASE_URL')]);
});

test('a fixture is refused where the data stay', async () => {
  const { code, stderr } = await runCommand(['serve', '--fixture', 'any.json'], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining('--fixture needs --ephemeral')]);
});

test('a fixture from standard input is refused where the end of standard input stops the service', async () => {
  const args = ['serve', '--ephemeral', '--fixture', '-', '--until-stdin-ends'];
  const { code, stderr } = await runCommand(args, {});
  expect([code, stderr]).toEqual([2, expect.stringContaining('would stop the service at once')]);
});
