import type { Database } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { dataFolderAt } from '../../src/storage/data-folder.ts';
import {
  AcknowledgedFile,
  readAcknowledged,
  writeAcknowledged,
} from '../../src/storage/folder/acknowledged.ts';
import { requireManifest } from '../../src/storage/folder/manifest.ts';
import { connect } from '../../src/storage/sqlite/database.ts';
import { openRecords } from '../../src/storage/sqlite/id-records.ts';
import { environmentWrites } from '../../src/storage/sqlite/pet-writes.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';

/** The record of one database, opened by two processes. */
function twoRecorders(highest = 0) {
  const folder = temporaryFolder();
  const path = join(folder.path, 'production.ids');
  writeAcknowledged(path, highest);
  const open = () => new AcknowledgedFile(path, { isSynced: true });
  return {
    one: open(),
    other: open(),
    found: () => readAcknowledged(path),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe('the highest acknowledged id', () => {
  test('follows the ids of two processes in turn', () => {
    using it = twoRecorders(4);
    expect(it.found()?.highest).toBe(4);
    it.one.record(5);
    it.other.record(6);
    it.one.record(7);
    expect([it.one.highest, it.other.highest, it.found()?.highest]).toEqual([7, 7, 7]);
  });

  test('is not lowered by a process that records its id after a higher one of another', () => {
    using it = twoRecorders();
    it.one.record(4);
    it.other.record(6);
    it.one.record(5);
    expect(it.found()?.highest).toBe(6);
    it.other.record(7);
    expect(it.found()?.highest).toBe(7);
  });

  test('is not lowered when the process with the higher one has stopped, nor when this one stops', () => {
    using it = twoRecorders();
    it.other.record(6);
    it.other.close(6);
    it.one.record(5);
    expect(it.found()?.highest).toBe(6);
    it.one.close(5);
    expect(it.found()).toEqual({ highest: 6, isExact: true });
  });

  test('is what the database holds when the last process stops', () => {
    using it = twoRecorders();
    it.one.record(6);
    it.one.close(8);
    expect(it.found()).toEqual({ highest: 8, isExact: true });
    it.other.abandon();
    expect(it.found()).toEqual({ highest: 8, isExact: true });
  });

  test('begins at 0 again when everything is deleted, also for another process', () => {
    using it = twoRecorders();
    it.one.record(6);
    it.other.forget();
    expect(it.found()?.highest).toBe(0);
    it.one.record(1);
    expect(it.found()?.highest).toBe(1);
  });
});

/** The database of production in a store, with the records of two processes. */
async function store() {
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await TestService.start());
  await service.stop();
  const folder = dataFolderAt(service.folder.path);
  const { storeId } = requireManifest(folder);
  const database = connect(folder.database('production'));
  starting.defer(() => database.close());
  const path = folder.acknowledged('production');
  const records = openRecords(database, { name: 'production', storeId });
  starting.defer(() => records.abandon());
  const other = new AcknowledgedFile(path, { isSynced: false });
  starting.defer(() => other.abandon());
  const resources = starting.move();
  return {
    ...{ database, records, other },
    found: () => readAcknowledged(path),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function addPet(database: Database): void {
  environmentWrites.importPets(database, [['Rex', 1, 'sold', null]]);
}

describe('the reset of an environment', () => {
  test('leaves no record of an id that another process has assigned, but not recorded yet', async () => {
    await using it = await store();
    addPet(it.database);
    let isRecorded = false;
    const record = () => {
      if (!isRecorded) it.other.record(1);
      isRecorded = true;
    };
    using pause = spyOn(Bun, 'sleepSync').mockImplementation(() => {
      if (pause.mock.calls.length === 2) record();
    });

    it.records.begin(true);
    environmentWrites.resetEnvironment(it.database, null);
    it.records.beforeCommit(true);
    it.records.afterCommit();
    // If the reset did not wait, the other process records its id only now.
    record();

    expect(it.found()?.highest).toBe(0);
    expect(pause).toHaveBeenCalledTimes(2);
  });

  test('waits for no process when the last id is recorded, and a second for one that was killed', async () => {
    await using it = await store();
    let waited = 0;
    using _ = spyOn(Bun, 'sleepSync').mockImplementation((milliseconds) => {
      waited += milliseconds;
    });
    it.records.begin(true);
    addPet(it.database);
    it.other.record(1);
    it.records.begin(true);
    expect(waited).toBe(0);
    addPet(it.database);
    it.records.begin(true);
    expect(waited).toBe(1_000);
  });
});
