import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PetstoreClient } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody } from '../support/nobody.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

const PETS = 5;
const [PUT_BACK, RESTART] = ['Put ', 'Restart the service with SIGTERM'];
const [WITHOUT_COMMANDS, ALONE] = ['Run no command on the folder', 'Stop every other process'];

/** A service that has created some pets, which only its write-ahead log contains. */
async function serving() {
  const folder = temporaryFolder();
  const key = await makeKey(folder.path);
  const service = await ServiceProcess.start(onFolder(folder.path));
  const client = clientOf(service, key);
  for (let count = 0; count < PETS; count += 1) await create(client);
  return {
    service,
    client,
    key,
    path: folder.path,
    file: (name: string) => join(folder.path, name),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function create(client: PetstoreClient): Promise<number> {
  return client.createPet({ name: 'Rex', categoryId: 1 }).then(
    () => 201,
    ({ status }: { status: number }) => status,
  );
}

async function expectNotReady(service: ServiceProcess, ...texts: string[]): Promise<void> {
  // A change that failed meanwhile is a problem as well, and comes first.
  await eventually(async () => (await readyz(service)).text.includes(texts[0] ?? ''));
  const { status, text } = await readyz(service);
  expect(status).toBe(503);
  for (const each of texts) expect(text).toContain(each);
}

describe('a file that is removed while the service runs', () => {
  for (const [name, advice] of [
    ['store.json', PUT_BACK],
    ['production.ids', PUT_BACK],
    ['accounts.ids', PUT_BACK],
    ['production.db-wal', RESTART],
    ['accounts.db-wal', RESTART],
    ['production.db-shm', WITHOUT_COMMANDS],
    ['staging.db-shm', WITHOUT_COMMANDS],
    ['accounts.db-shm', WITHOUT_COMMANDS],
    ['folder.lock', ALONE],
    ['store.lock', ALONE],
    ['production.lock', ALONE],
    ['staging.lock', ALONE],
  ] as const) {
    test(`is noticed: ${name}`, async () => {
      await using scene = await serving();
      const { service, client, file } = scene;
      const away = file('away');
      renameSync(file(name), away);
      const problem = `${file(name)} was moved or deleted while the service runs`;
      await expectNotReady(service, problem, advice);
      expect(await create(client)).toBe(503);
      expect(await allNames(client)).toHaveLength(PETS);
      renameSync(away, file(name));
      await eventually(async () => (await readyz(service)).status === 200);
      expect(await create(client)).toBe(201);
      expect(await service.end('SIGTERM')).toBe(0);
      expect(await service.output()).toContain(`"problem":"${problem}`);
    });
  }

  test('is saved by a stop if it is a write-ahead log', async () => {
    await using scene = await serving();
    rmSync(scene.file('production.db-wal'));
    await expectNotReady(scene.service, `${scene.file('production.db-wal')} was moved or deleted`);
    expect(await scene.service.end('SIGTERM')).toBe(0);
    await using next = await ServiceProcess.start(onFolder(scene.path));
    expect((await readyz(next)).status).toBe(200);
    expect(await allNames(clientOf(next, scene.key))).toHaveLength(PETS);
  });

  test('is saved by a stop if it is shared memory, and the next service makes another', async () => {
    await using scene = await serving();
    rmSync(scene.file('production.db-shm'));
    await expectNotReady(scene.service, `${scene.file('production.db-shm')} was moved or deleted`);
    const refused = await runCommand(['seed', '--pets', '1'], onFolder(scene.path));
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('production.db-shm was moved or deleted'),
    });
    expect(await scene.service.end('SIGTERM')).toBe(0);
    await using next = await ServiceProcess.start(onFolder(scene.path));
    expect((await readyz(next)).status).toBe(200);
    expect(await allNames(clientOf(next, scene.key))).toHaveLength(PETS);
    expect(await create(clientOf(next, scene.key))).toBe(201);
  });

  test('is noticed when another process makes it again: shared memory and a lock', async () => {
    await using scene = await serving();
    for (const name of ['production.db-shm', 'production.lock']) {
      renameSync(scene.file(name), scene.file('away'));
      writeFileSync(scene.file(name), '');
      await expectNotReady(scene.service, `${scene.file(name)} was replaced`);
      expect(await create(scene.client)).toBe(503);
      renameSync(scene.file('away'), scene.file(name));
      await eventually(async () => (await readyz(scene.service)).status === 200);
    }
  });

  test('is noticed if it is the secret, and changes go on', async () => {
    await using scene = await serving();
    const secret = scene.file('secret');
    renameSync(secret, scene.file('away'));
    await expectNotReady(scene.service, `Cannot read ${secret}`, 'Put it back');
    expect(await create(scene.client)).toBe(201);
    writeFileSync(secret, 'x'.repeat(64));
    await expectNotReady(scene.service, `${secret} was replaced`, 'Put it back');
    renameSync(scene.file('away'), secret);
    await eventually(async () => (await readyz(scene.service)).status === 200);
  });

  test('is not missed if it is the secret, and PETSTORE_SECRET is set', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path);
    const file = (name: string) => join(folder.path, name);
    const settings = { PETSTORE_SECRET: readFileSync(file('secret'), 'utf8').trim() };
    await using service = await ServiceProcess.start({ ...onFolder(folder.path), ...settings });
    rmSync(file('secret'));
    renameSync(file('store.json'), file('away'));
    await expectNotReady(service, `${file('store.json')} was moved or deleted`);
    renameSync(file('away'), file('store.json'));
    await eventually(async () => (await readyz(service)).status === 200);
  });

  test('is missed as well when another one takes its place: the manifest of another folder', async () => {
    await using scene = await serving();
    using other = temporaryFolder();
    await makeKey(other.path);
    renameSync(scene.file('store.json'), scene.file('away'));
    copyFileSync(join(other.path, 'store.json'), scene.file('store.json'));
    await expectNotReady(scene.service, `${scene.file('store.json')} was replaced`);
    expect(await create(scene.client)).toBe(503);
    writeFileSync(scene.file('store.json'), '{');
    await expectNotReady(scene.service, `${scene.file('store.json')} is damaged`);
    renameSync(scene.file('away'), scene.file('store.json'));
    await eventually(async () => (await readyz(scene.service)).status === 200);
  });
});

describe('a write-ahead log that is truncated while the service runs', () => {
  test('is noticed, and the next start shows what is lost', async () => {
    await using scene = await serving();
    const log = scene.file('production.db-wal');
    truncateSync(log, 0);
    await expectNotReady(scene.service, `${log} was truncated`, 'which then shows what is lost');
    expect(await create(scene.client)).toBe(503);
    expect(await scene.service.end('SIGTERM')).toBe(0);
    await using next = await ServiceProcess.start(onFolder(scene.path));
    await expectNotReady(
      next,
      `production.db has lost up to ${PETS} acknowledged animals or orders`,
    );
  });

  test('is noticed after later writes, which leave a hole, and the hole stays out of the database', async () => {
    await using scene = await serving();
    const log = scene.file('production.db-wal');
    punchHole(log);
    await expectNotReady(scene.service, `${log} was truncated`);
    expect(await scene.service.end('SIGTERM')).toBe(0);
    expect(await runCommand(['store', 'check', scene.file('production.db')], {})).toMatchObject({
      code: 0,
    });
    expect(existsSync(`${log}.rest`)).toBe(true);
    await using next = await ServiceProcess.start(onFolder(scene.path));
    await expectNotReady(
      next,
      `production.db has lost up to ${PETS} acknowledged animals or orders`,
    );
  });

  test('stays out of the database when the service stops before it is noticed', async () => {
    await using scene = await serving();
    punchHole(scene.file('production.db-wal'));
    expect(await scene.service.end('SIGTERM')).toBe(0);
    expect(await runCommand(['store', 'check', scene.file('production.db')], {})).toMatchObject({
      code: 0,
    });
    // All that the database held was in its log.
    expect(await runCommand(['store', 'check'], onFolder(scene.path))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`${scene.file('production.db')}: the file is empty`),
    });
  });

  test('is no loss when a command has folded it into its database', async () => {
    await using scene = await serving();
    // Ends with 0 if nothing kept the log from being truncated; the service may write to it immediately.
    const fold = `
      const database = new (require('bun:sqlite').Database)(process.argv[1]);
      database.run('PRAGMA busy_timeout = 60000');
      process.exit(database.query('PRAGMA wal_checkpoint(TRUNCATE)').get().busy);
    `;
    const child = Bun.spawn([process.execPath, '-e', fold, scene.file('production.db')]);
    expect(await child.exited).toBe(0);
    expect(await create(scene.client)).toBe(201);
    expect(await create(scene.client)).toBe(201);
    expect((await readyz(scene.service)).status).toBe(200);
    expect(await scene.service.end('SIGTERM')).toBe(0);
    expect(await scene.service.output()).not.toContain('was truncated');
  });
});

describe.skipIf(AS_NOBODY.length > 0 && Bun.which('setpriv') === null)(
  'a file that is read-only',
  () => {
    const folder = temporaryFolder();
    const file = (name: string) => join(folder.path, name);
    let key: string;
    let service: ServiceProcess;

    const start = () => ServiceProcess.start(onFolder(folder.path), [], AS_NOBODY);

    beforeAll(async () => {
      key = await makeKey(folder.path);
      await (await ServiceProcess.start(onFolder(folder.path))).end('SIGTERM');
      giveToNobody(folder.path);
      service = await start();
      await create(clientOf(service, key));
    });
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    for (const name of ['store.json', 'production.ids', 'production.db', 'accounts.db-wal', '']) {
      test(`is noticed while the service runs, and its end as well: ${name || 'the folder'}`, async () => {
        const mode = name === '' ? 0o700 : 0o600;
        chmodSync(file(name), mode & ~0o200);
        const path = name === '' ? folder.path : file(name);
        await expectNotReady(service, `${path} cannot be written (EACCES`, 'Make it writable');
        chmodSync(file(name), mode);
        await eventually(async () => (await readyz(service)).status === 200);
        expect(await create(clientOf(service, key))).toBe(201);
      });
    }

    for (const name of ['production.db', 'accounts.db', 'production.db-shm']) {
      test(`refuses the start, which works once it is writable again: ${name}`, async () => {
        // After a kill, the -wal and -shm files remain.
        await service.end('SIGKILL');
        chmodSync(file(name), 0o400);
        const error = await start().catch(String);
        expect(error).toContain(`petstore: Cannot write to ${file(name)}: EACCES`);
        expect(error).toContain('Make it writable');
        chmodSync(file(name), 0o600);
        service = await start();
        expect((await readyz(service)).status).toBe(200);
        expect(await create(clientOf(service, key))).toBe(201);
      });
    }
  },
);

/** Overwrites the start of a file with zeros, like a simultaneous truncation and write. */
function punchHole(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096), 0, 4_096, 0);
  closeSync(file);
}
