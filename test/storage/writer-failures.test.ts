import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { SqliteFile } from '../../src/storage/sqlite/file.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { SqlitePetStore } from '../../src/storage/sqlite/pet-store.ts';
import { Writer } from '../../src/storage/sqlite/writer.ts';
import { OWN_THREADS } from '../../src/storage/sqlite/writer-threads.ts';
import { WriteOutcomes } from '../../src/storage/write-outcomes.ts';
import { ManualClock, temporaryFolder } from '../support/harness.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { onFolder } from '../support/storage.ts';
import { at, pet } from './ports/backend.ts';

const startDying = () => new Worker(new URL('./dying-writer.ts', import.meta.url).href);

/** The file of an environment with its own writer. */
function openRig(newThread?: () => Worker, clock: Clock = systemClock) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'production.db');
  const writer = new Writer({
    ...(newThread && { threads: { ...OWN_THREADS, start: newThread } }),
    outcomes: new WriteOutcomes(clock),
  });
  const file = new SqliteFile(path, ENVIRONMENT_SCHEMA, writer, { onDamage() {} });
  const pets = new SqlitePetStore(file);
  return {
    path,
    pets,
    writer,
    create: (name: string) => pets.create(pet(name), at()),
    names: () => pets.list({ limit: 1_000, after: 0 }).pets.map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      file.close();
      await writer.close();
      folder[Symbol.dispose]();
    },
  };
}

function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function causeOf(error: unknown): string {
  return error instanceof StorageUnavailable ? String(error.cause) : `not so: ${error}`;
}

describe('a change that fails', () => {
  test('because of itself is no failure of the storage, and leaves the others of its batch be', async () => {
    await using rig = openRig();
    const other = new Database(rig.path, { readwrite: true });
    other.run(`CREATE TRIGGER odd BEFORE INSERT ON pets WHEN new.name = 'odd'
      BEGIN SELECT abs(-9223372036854775807 - 1); END`);
    other.close();
    const first = rig.create('first');
    const made = ['a', 'b'].map(rig.create);
    const odd = refusal(rig.create('odd'));
    made.push(rig.create('c'), first);
    const error = await odd;
    expect(error).not.toBeInstanceOf(StorageUnavailable);
    expect(String(error)).toBe('Error: SQLITE_ERROR: integer overflow');
    await Promise.all(made);
    expect(rig.names()).toEqual(['first', 'a', 'b', 'c']);
  });

  test('because of its input alone says why in one line', async () => {
    await using rig = openRig();
    const unreadable = pet('x');
    Reflect.set(unreadable, 'name', {});
    const error = await refusal(rig.pets.create(unreadable, at()));
    expect(error).not.toBeInstanceOf(StorageUnavailable);
    expect(String(error)).toBe('Error: Missing parameter "?1"');
  });

  test('because the file was moved away is refused, and makes no new file', async () => {
    await using rig = openRig();
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(rig.path + end)) renameSync(rig.path + end, `${rig.path}.away${end}`);
    }
    expect(causeOf(await refusal(rig.create('x')))).toContain('SQLITE_CANTOPEN');
    expect(existsSync(rig.path)).toBe(false);
  });
});

test('a reset whose record cannot be updated is unavailable, and its batch is not made again', async () => {
  using folder = temporaryFolder();
  const config = readConfig(onFolder(folder.path));
  const stores = await openStores(config, systemClock, REUSED_THREADS);
  await using _ = { [Symbol.asyncDispose]: () => stores.close() };
  const { pets, reset } = stores.environment('production');
  await pets.import([pet('old')]);
  // The changes after this one wait for it, and so are one batch.
  const first = pets.import([pet('old, too')]);
  const batch = [reset(), pets.import([pet('new')])].map(refusal);
  rmSync(join(folder.path, 'store.json'));
  await first;
  for (const error of await Promise.all(batch)) {
    expect(causeOf(error)).toContain('store.json was removed');
  }
  const { pets: left } = await pets.list({ limit: 9, after: 0 });
  expect(left.map(({ name }) => name)).toEqual(['new']);
});

test('a file counts as failing while ids cannot be recorded, although quotas are saved', async () => {
  using folder = temporaryFolder();
  const config = readConfig(onFolder(folder.path));
  const stores = await openStores(config, systemClock, REUSED_THREADS);
  await using _ = { [Symbol.asyncDispose]: () => stores.close() };
  const { pets, quotas } = stores.environment('production');
  // The thread reads the reserved ids with the first creation, and cannot reserve more.
  const manifest = join(folder.path, 'store.json');
  const listed = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, listed.replaceAll(/"reservedUpTo": \d+/g, '"reservedUpTo": 0'));
  const obstacle = `${manifest}.new`;
  mkdirSync(obstacle);
  expect(causeOf(await refusal(pets.create(pet('x'), at())))).toContain('store.json');

  await quotas.drop(['acc_x']);

  expect(stores.writes.problem()).toContain('production.db cannot be written');
  expect(causeOf(await refusal(stores.probeWrites()))).toContain('store.json');
  rmdirSync(obstacle);
  await stores.probeWrites();
  expect(stores.writes.problem()).toBeUndefined();
});

describe('when the writer thread dies', () => {
  for (const [way, cause] of [
    ['throw', /^Error: The writer thread ended: error: no more$/],
    ['exit', /^Error: The writer thread ended: it closed$/],
  ] as const) {
    test(`by ${way}, waiting changes are refused, none is half done, and the next change works`, async () => {
      await using rig = openRig(startDying);
      await rig.create('before');
      const waiting = [way, 'b', 'c'].map((name) => refusal(rig.create(name)));
      for (const error of await Promise.all(waiting)) expect(causeOf(error)).toMatch(cause);
      expect((await rig.create('after')).kind).toBe('created');
      expect(rig.names()).toEqual(['before', 'after']);
    });
  }

  test('while the writer closes, it closes all the same', async () => {
    await using rig = openRig(startDying);
    await rig.create('before');
    const waiting = refusal(rig.create('exit'));
    await rig.writer.close();
    expect(await waiting).toBeInstanceOf(StorageUnavailable);
  });

  test('its file counts as failing until a probe has been written', async () => {
    await using rig = openRig(startDying, new ManualClock());
    await rig.create('before');
    expect(rig.writer.outcomes.problem()).toBeUndefined();
    await refusal(rig.create('exit'));
    expect(rig.writer.outcomes.problem()).toBe(
      'production.db cannot be written (last result 0.0 s ago): The writer thread ended: it closed',
    );
    await rig.writer.probe();
    expect(rig.writer.outcomes.problem()).toBeUndefined();
    expect(rig.names()).toEqual(['before']);
  });
});

describe('a write without a result', () => {
  test('is said to have no result yet when it is the first', async () => {
    const clock = new ManualClock();
    await using rig = openRig(undefined, clock);
    const lock = new Database(rig.path, { readwrite: true });
    lock.run('BEGIN IMMEDIATE');
    const creation = rig.create('waits');
    clock.advance(10_001);
    expect(rig.writer.outcomes.problem()).toBe(
      'production.db cannot be written (no result yet): no result for 10.0 s',
    );
    lock.run('COMMIT');
    lock.close();
    await creation;
  });

  test('counts as failing after ten seconds', async () => {
    const clock = new ManualClock();
    await using rig = openRig(undefined, clock);
    const lock = new Database(rig.path, { readwrite: true });
    await rig.create('before');
    lock.run('BEGIN IMMEDIATE');
    const creation = rig.create('waits');
    clock.advance(10_000);
    expect(rig.writer.outcomes.problem()).toBeUndefined();
    clock.advance(1);
    expect(rig.writer.outcomes.problem()).toBe(
      'production.db cannot be written (last result 10.0 s ago): no result for 10.0 s',
    );
    lock.run('COMMIT');
    lock.close();
    await creation;
    expect(rig.writer.outcomes.problem()).toBeUndefined();
  });
});

describe('the code of rare changes', () => {
  test('is loaded once the thread says so, also by a thread that replaces it', async () => {
    const started: Worker[] = [];
    const start = () => {
      const thread = OWN_THREADS.start();
      started.push(thread);
      return thread;
    };
    await using rig = openRig(start);
    await rig.writer.load();
    expect(started).toHaveLength(1);
    const ended = Promise.withResolvers<void>();
    started[0]?.addEventListener('close', () => ended.resolve());
    started[0]?.terminate();
    await ended.promise;
    await rig.create('by the next thread');
    await rig.writer.load();
    expect(started).toHaveLength(2);
  });

  test('is reported as not loaded when the thread ends instead', async () => {
    const source = 'self.onmessage = () => { throw new Error("no file descriptor is left"); };';
    const file = URL.createObjectURL(new Blob([source], { type: 'application/javascript' }));
    const writer = new Writer({ threads: { ...OWN_THREADS, start: () => new Worker(file) } });
    await expect(writer.load()).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringContaining('no file descriptor is left') },
    });
  });
});
