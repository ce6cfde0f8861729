import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ApiError } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';
import { canPreload, FaultyDisk } from './disk/faulty-disk.ts';

/** Faults of the disk with the error codes of SQLite. */
const FAULTS = [
  ['an fsync that fails', 'fsync fail 5 production.db-wal', 'SQLITE_IOERR_FSYNC'],
  ['a write that fails', 'write fail 5 production.db-wal', 'SQLITE_IOERR_WRITE'],
  ['a full disk', 'any fail 28 production.db-wal', 'SQLITE_FULL'],
  ['a write that is torn by a full disk', 'write tear 28 production.db-wal', 'SQLITE_FULL'],
  ['a file that has become read-only', 'any fail 30 production.db-wal', 'SQLITE_IOERR_WRITE'],
] as const;

describe.skipIf(!canPreload)('a service (needs Linux and cc) with', () => {
  const files = temporaryFolder();
  const folder = join(files.path, 'data');
  const acknowledged: string[] = [];
  const unanswered: string[] = [];
  let disk: FaultyDisk;
  let service: ServiceProcess;
  let key: string;

  const create = async (name: string) => {
    const idempotencyKey = name.replaceAll(' ', '-');
    await clientOf(service, key).createPet({ name, categoryId: 1 }, { idempotencyKey });
    acknowledged.push(name);
  };
  const ops = async (path: string) => {
    const reply = await fetch(`http://127.0.0.1:${service.opsPort}${path}`);
    return { status: reply.status, text: await reply.text() };
  };

  beforeAll(async () => {
    disk = await FaultyDisk.compile(files.path);
    key = await makeKey(folder);
    service = await ServiceProcess.start(disk.settings(folder));
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    files[Symbol.dispose]();
  });

  test.each(FAULTS)('%s says so, and works again by itself', async (name, fault, code) => {
    await create(`before ${name}`);
    disk.set(fault);
    const error = await create(name).catch((error: unknown) => error);
    unanswered.push(name);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 503, code: 'unavailable', retryAfterMs: 1_000 });
    const readiness = await ops('/readyz');
    expect(readiness.status).toBe(503);
    expect(readiness.text).toMatch(
      new RegExp(`production\\.db cannot be written \\(last result \\d+\\.\\d s ago\\): ${code}`),
    );
    const failing = 'petstore_writes_failing{store="production.db"}';
    expect((await ops('/metrics')).text).toContain(`${failing} 1\n`);
    expect((await allNames(clientOf(service, key))).slice(0, acknowledged.length)).toEqual(
      acknowledged,
    );
    disk.repair();
    await eventually(async () => (await ops('/readyz')).status === 200);
    expect((await ops('/metrics')).text).toContain(`${failing} 0\n`);
  });

  test('slow writes answers late, and nothing is lost', async () => {
    disk.set('fsync delay 100 production.db-wal');
    await create('slow');
    disk.repair();
    expect(await allNames(clientOf(service, key))).toContain('slow');
  });

  test('faults that is killed right after one has lost nothing, and a repeated key settles a 503', async () => {
    disk.set('fsync fail 5 production.db-wal');
    await create('killed').catch(() => unanswered.push('killed'));
    await service.end('SIGKILL');
    expect(await service.output()).toMatch(
      /"cause":"SQLITE_IOERR_FSYNC: [^"]*","msg":"The store cannot do this just now\./,
    );
    disk.repair();
    service = await ServiceProcess.start(disk.settings(folder));
    const names = await allNames(clientOf(service, key));
    expect(acknowledged.filter((name) => !names.includes(name))).toEqual([]);
    for (const name of [...unanswered]) await create(name);
    const after = await allNames(clientOf(service, key));
    expect(after.toSorted()).toEqual(acknowledged.toSorted());
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toContain('"msg":"stopped"');
  });

  test('reads that fail answers 503, and goes on serving', async () => {
    await using other = await ServiceProcess.start(disk.settings(folder));
    await allNames(clientOf(other, key));
    // Made by another process, so that the service has to read it from the disk.
    const made = await runCommand(['keys', 'create', 'production@example.com'], onFolder(folder));
    const client = clientOf(other, made.stdout.trim());
    disk.set('read fail 5 accounts.db-wal');
    for (let request = 0; request < 5; request += 1) {
      const error = await client.listPets().catch((error: unknown) => error);
      expect(error).toMatchObject({ status: 503, code: 'unavailable' });
    }
    disk.repair();
    expect(await allNames(client)).toEqual(await allNames(clientOf(other, key)));
    expect(await other.end('SIGTERM')).toBe(0);
    // Only lines of the log, no uncaught error.
    expect(await other.output()).not.toMatch(/^[^{]/m);
  });
});
