import { describe, expect, test } from 'bun:test';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, type Pet, type PetstoreClient } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

/** Writes fail for real: no file may grow beyond 2 MiB, until the limit is lifted from outside. */
const NO_FILE_ABOVE_2_MIB = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 2048; exec "$@"', 'bash'];

/** Fills the disk with few creations. */
const LONG_TAIL = '🐈'.repeat(230);

interface Filled {
  readonly acknowledged: readonly Pet[];
  readonly refused: readonly string[];
  readonly error: ApiError;
}

/** The number of consecutive refusals after which there is no room for the smallest change. */
const ENOUGH_REFUSALS = 5;

/** Creates pets over several connections until all of them are refused. */
async function fill(client: PetstoreClient): Promise<Filled> {
  const acknowledged: Pet[] = [];
  const refused: string[] = [];
  const errors: ApiError[] = [];
  const fillOver = async (connection: number) => {
    for (let number = 0, refusals = 0; refusals < ENOUGH_REFUSALS; number += 1) {
      const name = `${connection}-${number}`;
      try {
        acknowledged.push(await create(client, name));
        refusals = 0;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        errors.push(error);
        refused.push(name);
        refusals += 1;
      }
    }
  };
  await Promise.all([0, 1, 2, 3].map(fillOver));
  const [error] = errors;
  if (!error) throw new Error('nothing was refused');
  return { acknowledged, refused, error };
}

function create(client: PetstoreClient, name: string): Promise<Pet> {
  return client.createPet({ name: name + LONG_TAIL, categoryId: 1 }, { idempotencyKey: name });
}

function byId(one: Pet, other: Pet): number {
  return Number(one.id) - Number(other.id);
}

function listed(client: PetstoreClient): Promise<Pet[]> {
  return Array.fromAsync(client.listAllPets());
}

async function expectUnavailable(client: PetstoreClient): Promise<void> {
  const error = await create(client, 'refused').catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 503, code: 'unavailable', retryAfterMs: 1_000 });
}

/** Fills the disk of a service, makes room, and checks the behaviour before and after. */
async function survives(service: ServiceProcess, key: string): Promise<void> {
  const client = clientOf(service, key);
  const { acknowledged, refused, error } = await fill(client);
  // No write may succeed, because a checkpoint of the write-ahead log would make room again.
  await limitFiles(service.pid, 0);
  expect(error).toMatchObject({ status: 503, code: 'unavailable', retryAfterMs: 1_000 });
  expect(error.headers.get('Retry-After')).toBe('1');
  expect(await metricsOf(service)).toMatch(/^petstore_database_errors_total [1-9]/m);
  expect(acknowledged.length).toBeGreaterThan(10);
  const [first] = acknowledged;
  if (!first) throw new Error('nothing was acknowledged');

  for (let round = 0; round < 3; round += 1) {
    await expectUnavailable(client);
    expect(await listed(client)).toEqual(acknowledged.toSorted(byId));
    expect(await client.getPet(first.id)).toEqual(first);
  }

  await eventually(async () => {
    await expectUnavailable(client);
    return (await readyz(service)).status === 503;
  });
  // The failed write is that of the database, or of the record of its highest id.
  expect((await readyz(service)).text).toMatch(
    /^production\.db cannot be written \(last result \d+\.\d s ago\): (?:SQLITE_|EFBIG|ENOSPC)/m,
  );
  expect(await metricsOf(service)).toMatch(/^petstore_not_ready\{check="writes"\} 1$/m);
  expect(await metricsOf(service)).toMatch(/^petstore_writes_failing\{.*"production\.db"\} 1$/m);

  await limitFiles(service.pid, 'unlimited');
  // The service detects this without a request that writes.
  await eventually(async () => (await readyz(service)).status === 200);
  expect(await metricsOf(service)).toMatch(/^petstore_writes_failing\{.*"production\.db"\} 0$/m);
  expect(await metricsOf(service)).toMatch(
    /^petstore_last_write_age_seconds\{.*"production\.db"\} /m,
  );
  const highest = Math.max(...acknowledged.map(({ id }) => Number(id)));
  const later = await Promise.all(refused.map((name) => create(client, name)));
  expect(later.every(({ id }) => Number(id) > highest)).toBe(true);
  expect(await listed(client)).toEqual([...acknowledged, ...later].toSorted(byId));
}

async function metricsOf({ opsPort }: ServiceProcess): Promise<string> {
  return (await fetch(`http://localhost:${opsPort}/metrics`)).text();
}

/** Sets the maximum file size of a running service; with 0, every write fails. */
async function limitFiles(pid: number, bytes: 0 | 'unlimited'): Promise<void> {
  const child = Bun.spawn(['prlimit', `--pid=${pid}`, `--fsize=${bytes}:`], { stderr: 'inherit' });
  expect(await child.exited).toBe(0);
}

/** A command prefix that runs a program with its own file system of 8 MiB, which contains a copy of a folder. */
function onSmallDisk(original: string, disk: string): string[] {
  const script = 'mount -t tmpfs -o size=8m none "$1" && cp -a "$0"/. "$1" && shift && exec "$@"';
  return ['unshare', '--map-root-user', '--mount', 'bash', '-c', script, original, disk];
}

/** Uses all free space of a disk. */
function fillDisk(path: string): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

/** A service whose files may not grow beyond 2 MiB, and a key. */
async function startLimited() {
  const folder = temporaryFolder();
  const key = await makeKey(folder.path);
  const service = await ServiceProcess.start(onFolder(folder.path), [], NO_FILE_ABOVE_2_MIB);
  return {
    folder,
    key,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const mayMount =
  Bun.spawnSync(['unshare', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
    .exitCode === 0;

describe('when a write fails', () => {
  test('creations answer 503, reads work, and no restart is needed afterwards', async () => {
    await using limited = await startLimited();
    const { folder, key, service } = limited;
    await survives(service, key);
    const animals = await allNames(clientOf(service, key));
    expect(await service.end('SIGTERM')).toBe(0);

    await using next = await ServiceProcess.start(onFolder(folder.path));
    expect(await allNames(clientOf(next, key))).toEqual(animals);
  });

  test('a service that is stopped still ends in good order, and loses nothing', async () => {
    await using limited = await startLimited();
    const { folder, key, service } = limited;
    const { acknowledged } = await fill(clientOf(service, key));
    expect(await service.end('SIGTERM')).toBe(0);

    await using next = await ServiceProcess.start(onFolder(folder.path));
    expect(await listed(clientOf(next, key))).toEqual(acknowledged.toSorted(byId));
  });

  test('a service that is killed loses nothing that it acknowledged', async () => {
    await using limited = await startLimited();
    const { folder, key, service } = limited;
    const { acknowledged, refused } = await fill(clientOf(service, key));
    await service.end('SIGKILL');

    await using next = await ServiceProcess.start(onFolder(folder.path));
    const client = clientOf(next, key);
    expect(await listed(client)).toEqual(acknowledged.toSorted(byId));
    const later = await Promise.all(refused.map((name) => create(client, name)));
    expect(await listed(client)).toEqual([...acknowledged, ...later].toSorted(byId));
  });
});

describe.skipIf(!mayMount)('when the disk is full', () => {
  test('creations answer 503, reads work, and free space is all that is needed to recover', async () => {
    using folder = temporaryFolder();
    const [original, disk] = ['original', 'disk'].map((name) => join(folder.path, name));
    if (!original || !disk) throw new Error('no folders');
    mkdirSync(disk);
    const key = await makeKey(original);
    await using service = await ServiceProcess.start(
      onFolder(disk),
      [],
      onSmallDisk(original, disk),
    );
    // Only the service has this mount, so it is accessed through the process.
    const ballast = join(`/proc/${service.pid}/root`, disk, 'ballast');
    await create(clientOf(service, key), 'before');
    fillDisk(ballast);

    await expectUnavailable(clientOf(service, key));
    expect(await listed(clientOf(service, key))).toHaveLength(1);
    rmSync(ballast);
    await create(clientOf(service, key), 'refused');
    expect(await listed(clientOf(service, key))).toHaveLength(2);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toContain('SQLITE_FULL');
  });
});
