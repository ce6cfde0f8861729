import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { newId } from '../../src/core/ids.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { sharedStores } from '../../src/storage/shared-stores.ts';
import { connect } from '../../src/storage/sqlite/database.ts';
import { sqliteEngine, sqliteHotPathQueries } from '../../src/storage/sqlite/engine.ts';
import { SqliteFile } from '../../src/storage/sqlite/file.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { SqlitePetStore } from '../../src/storage/sqlite/pet-store.ts';
import { RequestLogFile } from '../../src/storage/sqlite/request-log-file.ts';
import { Writer } from '../../src/storage/sqlite/writer.ts';
import { QUEUE_CAPACITY } from '../../src/storage/write-queue.ts';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';
import { apiKey, at, ban, NOON, pet } from './ports/backend.ts';
import { countCommits } from './wal.ts';

/** A file with its writer, and functions to inspect it from outside. */
class Rig implements AsyncDisposable {
  readonly writer = new Writer();
  readonly #folder = temporaryFolder();
  readonly #files: SqliteFile[] = [];
  readonly path = join(this.#folder.path, 'production.db');
  readonly accountsPath = join(this.#folder.path, 'accounts.db');
  readonly pets = new SqlitePetStore(this.#open(this.path, ENVIRONMENT_SCHEMA));
  readonly accountsFile = this.#open(this.accountsPath, ACCOUNTS_SCHEMA);

  create(name: string) {
    return this.pets.create(pet(name), at());
  }

  /** The stores in the accounts file. */
  stores() {
    const path = join(this.#folder.path, 'requests.db');
    const requestLog = new RequestLogFile(path, this.accountsPath);
    return sharedStores(
      sqliteEngine(this.accountsFile),
      sqliteHotPathQueries(this.accountsFile, requestLog),
    );
  }

  /** Another connection during a transaction, like that of another program. */
  lock(path = this.path): Database {
    const other = new Database(path, { readwrite: true });
    other.run('BEGIN IMMEDIATE');
    return other;
  }

  async names(): Promise<string[]> {
    const names: string[] = [];
    for (let after = 0; ; ) {
      const { pets, more } = this.pets.list({ limit: 1_000, after });
      names.push(...pets.map(({ name }) => name));
      if (!more) return names;
      after = pets.at(-1)?.id ?? 0;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files) file.close();
    await this.writer.close();
    this.#folder[Symbol.dispose]();
  }

  #open(path: string, schema: typeof ACCOUNTS_SCHEMA): SqliteFile {
    const file = new SqliteFile(path, schema, this.writer, { onDamage() {} });
    this.#files.push(file);
    return file;
  }
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `pet ${index}`);
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('group commit', () => {
  test('commits everything that queued up during a transaction in the next one', async () => {
    await using rig = new Rig();
    const before = countCommits(rig.path);
    await Promise.all(names(500).map((name) => rig.create(name)));
    expect(countCommits(rig.path) - before).toBe(2);
  });

  test('puts no more than a thousand changes into one transaction', async () => {
    await using rig = new Rig();
    const before = countCommits(rig.path);
    await Promise.all(names(2_501).map((name) => rig.create(name)));
    expect(countCommits(rig.path) - before).toBe(4);
  });

  test('commits a change alone when nothing else waits', async () => {
    await using rig = new Rig();
    const before = countCommits(rig.path);
    for (const name of names(5)) await rig.create(name);
    expect(countCommits(rig.path) - before).toBe(5);
  });

  test('gives every change its own result, in ascending ids without a gap', async () => {
    await using rig = new Rig();
    const wanted = names(3_000);
    const outcomes = await Promise.all(wanted.map((name) => rig.create(name)));
    const pets = outcomes.map((outcome) => ('pet' in outcome ? outcome.pet : undefined));
    expect(pets.map((each) => each?.name)).toEqual(wanted);
    expect(pets.map((each) => each?.id)).toEqual(wanted.map((_, index) => index + 1));
  });

  test('a change that the schema refuses does not take down the others of its batch', async () => {
    await using rig = new Rig();
    const { accounts, bans } = rig.stores();
    const create = (name: string) =>
      accounts.create(`${name}@example.com`, subscribe('free'), NOON, 'test');
    const ofNobody = ban(apiKey('acct_nobody'), { id: newId('ban', NOON) });

    const before = ['a', 'b', 'c'].map(create);
    const refused = refusal(bans.record(ofNobody));
    const after = ['d', 'e'].map(create);

    const error = await refused;
    expect(error).not.toBeInstanceOf(StorageUnavailable);
    expect(String(error)).toStartWith('Error: SQLITE_CONSTRAINT_FOREIGNKEY: ');
    const made = await Promise.all([...before, ...after]);
    expect(made.map((each) => each?.email[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await accounts.list()).toHaveLength(5);
  });

  test('an id is neither lost nor given twice when a change of the batch is refused', async () => {
    await using rig = new Rig();
    const tooHigh = new Database(rig.path, { readwrite: true });
    tooHigh.run(
      "INSERT INTO pets (id, name, category_id, status) VALUES (9007199254740989, 'last but two', 1, 'sold')",
    );
    tooHigh.close();
    const outcomes = await Promise.all(
      names(4).map((name) =>
        rig.create(name).then(
          (outcome) => ('pet' in outcome ? outcome.pet.id : undefined),
          (error: unknown) => String(error).includes('SQLITE_CONSTRAINT'),
        ),
      ),
    );
    expect(outcomes).toEqual([9007199254740990, 9007199254740991, true, true]);
  });
});

describe('the write queue', () => {
  test('is bounded: past its capacity changes are refused, and taken again once it drained', async () => {
    await using rig = new Rig();
    const lock = rig.lock();
    const first = rig.create('first');
    const waiting = names(QUEUE_CAPACITY).map((name) => rig.create(name));
    expect(await refusal(rig.create('too many'))).toBeInstanceOf(StorageUnavailable);
    lock.run('ROLLBACK');
    lock.close();
    await Promise.all([first, ...waiting]);
    expect((await rig.create('later')).kind).toBe('created');
    expect(await rig.names()).toEqual(['first', ...names(QUEUE_CAPACITY), 'later']);
  });

  test('of one file does not fill up with the changes of another', async () => {
    await using rig = new Rig();
    const waiting = names(QUEUE_CAPACITY + 1).map((name) => rig.create(name));
    const { accounts } = rig.stores();
    expect(await accounts.create('a@example.com', subscribe('free'), NOON, 'test')).toBeDefined();
    await Promise.all(waiting);
  });

  test('is carried out whole before the writer closes, and takes nothing after that', async () => {
    await using rig = new Rig();
    const writer = new Writer();
    const file = new SqliteFile(rig.path, ENVIRONMENT_SCHEMA, writer, { onDamage() {} });
    const store = new SqlitePetStore(file);
    const creations = names(3_000).map((name) => store.create(pet(name), at()));
    const closed = writer.close();
    const late = refusal(store.create(pet('late'), at()));
    await closed;
    expect(await late).toBeInstanceOf(StorageUnavailable);
    expect((await Promise.all(creations)).every(({ kind }) => kind === 'created')).toBe(true);
    expect(await refusal(store.create(pet('later'), at()))).toBeInstanceOf(StorageUnavailable);
    expect(await rig.names()).toEqual(names(3_000));
    file.close();
  });
});

describe('while another process writes', () => {
  test('reads continue, and see nothing of a transaction before its end', async () => {
    await using rig = new Rig();
    await rig.create('before');
    const other = rig.lock();
    for (let round = 0; round < 50; round += 1) {
      other.run("INSERT INTO pets (name, category_id, status) VALUES ('during', 1, 'sold')");
      expect(await rig.names()).toEqual(['before']);
    }
    other.run('COMMIT');
    other.close();
    expect(await rig.names()).toHaveLength(51);
  });

  test('a lock that is held for half a second only delays a change', async () => {
    await using rig = new Rig();
    const lock = rig.lock();
    let settled = false;
    const creation = rig.create('patient').finally(() => {
      settled = true;
    });
    await Bun.sleep(500);
    expect(settled).toBe(false);
    lock.run('COMMIT');
    lock.close();
    expect((await creation).kind).toBe('created');
  });

  test('the event loop and reads are not blocked, however long a change waits', async () => {
    await using rig = new Rig();
    await rig.create('before');
    const lock = rig.lock();
    const creation = rig.create('patient');
    for (let round = 0; round < 50; round += 1) {
      await Bun.sleep(0);
      expect(await rig.names()).toEqual(['before']);
    }
    lock.run('ROLLBACK');
    lock.close();
    await creation;
    expect(await rig.names()).toEqual(['before', 'patient']);
  });

  test('an import shows whole, or not at all', async () => {
    await using rig = new Rig();
    let pending = true;
    const importing = rig.pets.import(names(30_000).map((name) => pet(name))).finally(() => {
      pending = false;
    });
    while (pending) {
      const { pets } = rig.pets.list({ limit: 40_000, after: 0 });
      expect([0, 30_000]).toContain(pets.length);
      await Bun.sleep(0);
    }
    await importing;
    expect(rig.pets.list({ limit: 40_000, after: 0 }).pets).toHaveLength(30_000);
  });
});

describe('a write lock that another process does not let go of', () => {
  test('answers creations with 503 while reads work, and needs no restart afterwards', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    // Quotas that are being saved may wait for the lock before the creation.
    const client = clientOf(service, key, { timeoutMs: 40_000 });
    await client.createPet({ name: 'before', categoryId: 1 });
    const lock = new Database(join(folder.path, 'production.db'), { readwrite: true });
    lock.run('BEGIN IMMEDIATE');

    const refused = refusal(client.createPet({ name: 'during', categoryId: 1 }));
    expect(await allNames(client)).toEqual(['before']);
    expect(await refused).toMatchObject({ status: 503, code: 'unavailable', retryAfterMs: 1_000 });
    lock.run('COMMIT');
    lock.close();
    await client.createPet({ name: 'after', categoryId: 1 });
    expect(await allNames(client)).toEqual(['before', 'after']);
  });
});

describe('a database file', () => {
  test('is written to disk before a commit returns: WAL with synchronous=FULL', async () => {
    await using rig = new Rig();
    const database = connect(rig.path);
    const pragma = (name: string) => database.query(`PRAGMA ${name}`).values().flat();
    expect(pragma('journal_mode')).toEqual(['wal']);
    expect(pragma('synchronous')).toEqual([2n]);
    expect(pragma('foreign_keys')).toEqual([1n]);
    database.close();
  });

  test('has a write-ahead log that stays small during creations and reads', async () => {
    await using rig = new Rig();
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(names(300).map((name) => rig.create(`${name} ${'x'.repeat(200)}`)));
      rig.pets.list({ limit: 100, after: round * 300 });
      rig.pets.get(round);
    }
    const [file, log] = [rig.path, `${rig.path}-wal`].map((path) => statSync(path).size);
    expect(file).toBeGreaterThan(5_000_000);
    expect(log).toBeLessThan(5_000_000);
  });
});
