import type { Database } from 'bun:sqlite';
import { basename, dirname } from 'node:path';
import { SetupError, StorageUnavailable } from '../../core/errors.ts';
import { type DataFolder, dataFolderAt, makeDurable } from '../data-folder.ts';
import { GivenIdsFile } from '../folder/given-ids.ts';
import { type Manifest, requireManifest, updateManifest } from '../folder/manifest.ts';
import { endOfBlock, withFile } from '../folder/pet-ids.ts';
import { highestId } from './database.ts';
import type { RecordedIds } from './writer-protocol.ts';
import { continueIdsAfter } from './writes-environment.ts';

/** Records, in the writer thread, which ids of one environment are given. */
export class IdRecords {
  readonly #database: Database;
  readonly #folder: DataFolder;
  readonly #file: string;
  readonly #storeId: string;
  readonly #given: GivenIdsFile;
  #reservedUpTo: number;
  #highest = 0;

  /**
   * @param database the environment's, in a transaction.
   * @throws StorageUnavailable when the folder is not that of the store.
   */
  constructor(database: Database, { environment, storeId }: RecordedIds) {
    this.#database = database;
    this.#folder = dataFolderAt(dirname(database.filename));
    this.#file = basename(database.filename);
    this.#storeId = storeId;
    const { reservedUpTo = 0, idsAfter = 0 } =
      orUnavailable(() => this.#require()).files[this.#file] ?? {};
    this.#reservedUpTo = reservedUpTo;
    // The start that listed the database did not wait for this.
    orUnavailable(() => makeDurable(this.#folder.path));
    if (idsAfter > highestId(database)) continueIdsAfter(database, idsAfter);
    this.#given = orUnavailable(() => new GivenIdsFile(this.#folder.givenIds(environment)));
  }

  /**
   * Called before the commit of a transaction that created pets: reserves further ids where they do not
   * lie in the reserved block.
   * @throws StorageUnavailable when they cannot be reserved.
   */
  reserve(): void {
    this.#highest = highestId(this.#database);
    if (this.#highest <= this.#reservedUpTo) return;
    const { files } = orUnavailable(() =>
      updateManifest(this.#folder, (found) => {
        const manifest = this.#require(found);
        const listed = manifest.files[this.#file];
        // Another process may have reserved more.
        const reservedUpTo = Math.max(endOfBlock(this.#highest), listed?.reservedUpTo ?? 0);
        return withFile(manifest, this.#file, { ...listed, reservedUpTo });
      }),
    );
    // Only now: where the manifest could not be written, nothing is reserved.
    this.#reservedUpTo = files[this.#file]?.reservedUpTo ?? 0;
  }

  /**
   * Called after the commit, before its pets are acknowledged.
   * @throws StorageUnavailable when they must not be.
   */
  record(): void {
    orUnavailable(() => this.#given.record(this.#highest));
  }

  /** Called when no further pet is created. */
  close(): void {
    this.#given.close(highestId(this.#database));
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
    throw new StorageUnavailable(cause);
  }
}
