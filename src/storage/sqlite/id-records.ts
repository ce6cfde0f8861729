import type { Database } from 'bun:sqlite';
import { basename, dirname } from 'node:path';
import type { Environment } from '../../core/environments.ts';
import { SetupError, StorageUnavailable } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { type DataFolder, dataFolderAt, makeDurableIn } from '../data-folder.ts';
import { AcknowledgedFile } from '../folder/acknowledged.ts';
import {
  type ListedFile,
  type Manifest,
  requireManifest,
  updateManifest,
} from '../folder/manifest.ts';
import { endOfBlock, withFile } from '../folder/pet-ids.ts';
import { NUMBERED_TABLES } from '../numbered-tables.ts';
import { HIGHEST_ID, LAST_CHANGE, retireIds, selectNumber } from './numbers.ts';
import type { Recorded } from './writer-protocol.ts';

/**
 * How long a reset waits for another process to record the last id that it assigned, in ms. Recording takes some
 * microseconds, unless the process was killed.
 */
const RECORDING_TAKES = SECOND;
const LOOK_AGAIN_AFTER = 5;

/** Records the acknowledged numbers of one database, in the writer thread. */
export interface Records {
  /**
   * Called at the start of a transaction.
   * @param isReset whether it resets the environment.
   * @throws StorageUnavailable when a record cannot be read.
   */
  begin(isReset: boolean): void;
  /**
   * Called at the end of a transaction.
   * @param isReset whether it resets the environment, which resets the record as well.
   * @throws StorageUnavailable when the transaction must not be committed.
   */
  beforeCommit(isReset: boolean): void;
  /**
   * Called after the commit, before its changes are acknowledged.
   * @throws StorageUnavailable when they must not be acknowledged.
   */
  afterCommit(): void;
  /**
   * Called in a transaction that checks whether writes succeed.
   * @throws StorageUnavailable when the next change could not be recorded.
   */
  probe(): void;
  /** Called after the last change. */
  close(): void;
  /** Called instead of `close` when the database is reopened. */
  abandon(): void;
}

/**
 * @param database in a transaction.
 * @throws StorageUnavailable when the folder no longer belongs to the store.
 */
export function openRecords(database: Database, { name, storeId }: Recorded): Records {
  const records = orUnavailable(() =>
    name === 'accounts'
      ? new ChangeRecords(database)
      : new IdRecords(database, { environment: name, storeId }),
  );
  // In one place, because after any other error the thread would make the changes of the transaction again.
  return {
    begin: (isReset) => orUnavailable(() => records.begin(isReset)),
    beforeCommit: (isReset) => orUnavailable(() => records.beforeCommit(isReset)),
    afterCommit: () => orUnavailable(() => records.afterCommit()),
    probe: () => orUnavailable(() => records.probe()),
    close: () => records.close(),
    abandon: () => records.abandon(),
  };
}

/** Records the acknowledged changes to the accounts. */
class ChangeRecords implements Records {
  readonly #database: Database;
  readonly #file: AcknowledgedFile;
  #last = 0;

  constructor(database: Database) {
    this.#database = database;
    const folder = dataFolderAt(dirname(database.filename));
    this.#file = new AcknowledgedFile(folder.acknowledged('accounts'), { isSynced: false });
  }

  begin(): void {}

  beforeCommit(): void {
    this.#last = selectNumber(this.#database, LAST_CHANGE);
  }

  afterCommit(): void {
    this.#file.record(this.#last);
  }

  probe(): void {
    this.#file.probe();
  }

  close(): void {
    this.#file.close(this.#last);
  }

  abandon(): void {
    this.#file.abandon();
  }
}

/** Records the assigned ids of one environment. */
class IdRecords implements Records {
  readonly #database: Database;
  readonly #folder: DataFolder;
  readonly #file: string;
  readonly #storeId: string;
  readonly #given: AcknowledgedFile;
  #reservedUpTo: number;
  #highest = 0;
  #isReset = false;
  /** Whether the database holds the id after which new ids continue according to the manifest. */
  #isContinued = false;

  constructor(
    database: Database,
    { environment, storeId }: { readonly environment: Environment; readonly storeId: string },
  ) {
    this.#database = database;
    this.#folder = dataFolderAt(dirname(database.filename));
    this.#file = basename(database.filename);
    this.#storeId = storeId;
    this.#reservedUpTo = this.#listed().reservedUpTo ?? 0;
    // The start that listed the database did not wait until the manifest was durable.
    makeDurableIn(this.#folder, this.#folder.path);
    const path = this.#folder.acknowledged(environment);
    this.#given = new AcknowledgedFile(path, { isSynced: !this.#folder.isThrowaway });
  }

  begin(isReset: boolean): void {
    if (isReset) this.#waitForRecord();
    if (this.#isContinued) return;
    const { idsAfter = 0 } = this.#listed();
    if (idsAfter === 0) return;
    for (const table of NUMBERED_TABLES) retireIds(this.#database, table, idsAfter);
  }

  /** Waits until the last assigned id is recorded: its process must not record it after the reset. */
  #waitForRecord(): void {
    const last = selectNumber(this.#database, HIGHEST_ID);
    for (let waited = 0; waited < RECORDING_TAKES; waited += LOOK_AGAIN_AFTER) {
      if (this.#given.highest >= last) return;
      Bun.sleepSync(LOOK_AGAIN_AFTER);
    }
  }

  /** Reserves another block of ids if the ids of new pets are not in the reserved block. */
  beforeCommit(isReset: boolean): void {
    this.#isReset = isReset;
    this.#highest = selectNumber(this.#database, HIGHEST_ID);
    this.#reserve(this.#highest);
    // Before the commit: a record that is too low is harmless, but one of deleted pets would be reported as a loss.
    if (isReset) this.#given.forget();
  }

  afterCommit(): void {
    this.#isContinued = true;
    this.#given.record(this.#highest);
    if (this.#isReset) this.#beginIdsAnew();
  }

  probe(): void {
    this.#reserve(selectNumber(this.#database, HIGHEST_ID) + 1);
    this.#given.probe();
  }

  close(): void {
    this.#given.close(selectNumber(this.#database, HIGHEST_ID));
  }

  abandon(): void {
    this.#given.abandon();
  }

  /** Runs after the commit: until then new ids must continue after the lost ones. */
  #beginIdsAnew(): void {
    if (this.#listed().idsAfter === undefined) return;
    updateManifest(this.#folder, (found) => {
      const manifest = this.#require(found);
      const { idsAfter: _, ...listed } = manifest.files[this.#file] ?? {};
      return withFile(manifest, this.#file, listed);
    });
  }

  #listed(): ListedFile {
    return this.#require().files[this.#file] ?? {};
  }

  #reserve(id: number): void {
    if (id <= this.#reservedUpTo) return;
    const { files } = updateManifest(this.#folder, (found) => {
      const manifest = this.#require(found);
      const listed = manifest.files[this.#file];
      // Another process may have reserved more.
      const reservedUpTo = Math.max(endOfBlock(id), listed?.reservedUpTo ?? 0);
      return withFile(manifest, this.#file, { ...listed, reservedUpTo });
    });
    // Set last: if the manifest could not be written, no ids are reserved.
    this.#reservedUpTo = files[this.#file]?.reservedUpTo ?? 0;
  }

  #require(found?: Manifest): Manifest {
    const manifest = requireManifest(this.#folder, found);
    if (manifest.storeId === this.#storeId) return manifest;
    throw new SetupError(`${this.#folder.manifest} was replaced.`);
  }
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof StorageUnavailable ? cause : new StorageUnavailable(cause);
  }
}
