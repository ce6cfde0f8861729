import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { type Expectations, examineDatabase, unusable } from '../sqlite/database.ts';
import { causeOfFailure } from '../sqlite/failures.ts';
import { DATABASES } from './databases.ts';
import { checkChanges } from './losses.ts';
import {
  type ListedFile,
  type Manifest,
  readManifest,
  requireManifest,
  updateManifest,
} from './manifest.ts';
import { beginIds, checkIds, withFile } from './pet-ids.ts';
import { refuseServedFolder } from './served-folder.ts';

/** Opens or makes a file, and checks it. The service reads and writes it in two threads, a migration in one. */
type OpenFile<File> = (path: string, expected: Expectations) => File;

/**
 * The databases of a data folder, opened as its manifest lists them: what is listed must be there and
 * belong to the store; what is not is made on first use, and listed.
 */
export class StoreFiles {
  readonly #folder: DataFolder;
  readonly storeId: string;

  /**
   * Reads the manifest. A folder without data begins a store; one of an earlier release is adopted.
   * @throws SetupError when the manifest or the accounts are missing, or the manifest cannot be used.
   */
  constructor(folder: DataFolder) {
    this.#folder = folder;
    const { storeId } =
      readManifest(folder) ?? updateManifest(folder, (found) => found ?? begin(folder));
    this.storeId = storeId;
  }

  /** Opens the accounts, and compares them with what was acknowledged. */
  openAccounts<File>(open: OpenFile<File>, lastChange: (file: File) => number, clock: Clock): File {
    const path = this.#folder.accounts;
    const onEmpty = () => {
      throw lost(path, 'empty');
    };
    const file = this.#open(FILE_NAMES.accounts, open, () => ({}), onEmpty);
    namingFile(path, () => checkChanges(this.#folder, () => lastChange(file), clock));
    return file;
  }

  /** Opens the database of an environment, and compares it with what was acknowledged. */
  openEnvironment<File>(
    environment: Environment,
    open: OpenFile<File>,
    highestId: (file: File) => number,
    clock: Clock,
  ): File {
    const path = this.#folder.database(environment);
    let wasEmpty = false;
    const list = (made: File) => beginIds(this.#folder, environment, highestId(made));
    const onEmpty = () => {
      wasEmpty = true;
    };
    const file = this.#open(FILE_NAMES.database(environment), open, list, onEmpty);
    namingFile(path, () => {
      const found = { highestId: () => highestId(file), wasEmpty };
      checkIds(this.#folder, environment, found, clock);
    });
    return file;
  }

  /**
   * Opens one database and lists it.
   * @param list gives what the manifest says of a file that it does not list yet.
   * @param onEmpty called when the manifest lists the file, and it has no table.
   * @throws SetupError when the file is listed, and missing or of 0 bytes; and whatever `open` throws.
   */
  #open<File>(
    name: string,
    open: OpenFile<File>,
    list: (file: File) => ListedFile,
    onEmpty: () => void,
  ): File {
    const listed = requireListedFile(this.#folder, this.#read(), name);
    const { hasIdentity = false, damage } = listed ?? {};
    const thorough = damage !== undefined;
    const { storeId } = this;
    // A file is listed after its tables are made, so nobody is making it at this moment.
    const expected = { storeId, thorough, hasIdentity, ...(listed && { onEmpty }) };
    const file = open(join(this.#folder.path, name), expected);
    if (hasIdentity && !thorough) return file;
    const add = (manifest: Manifest) => {
      // Another process may have been faster.
      const { damage: found, ...now } = manifest.files[name] ?? list(file);
      const left = found === undefined || thorough ? {} : { damage: found };
      return withFile(manifest, name, { ...now, ...left, hasIdentity: true });
    };
    // A start does not wait for the disk once more: whoever gives the first id does.
    updateManifest(this.#folder, (found) => add(requireManifest(this.#folder, found)), false);
    return file;
  }

  #read(): Manifest {
    const manifest = readManifest(this.#folder);
    if (manifest?.storeId === this.storeId) return manifest;
    throw new SetupError(`${this.#folder.manifest} was removed or replaced. Start again.`);
  }
}

/** @throws SetupError when a database that the manifest lists is missing, or has no table. */
export function requireListedFiles(folder: DataFolder): void {
  const manifest = readManifest(folder);
  for (const name of Object.keys(manifest?.files ?? {})) {
    requireListedFile(folder, manifest, name);
    const path = join(folder.path, name);
    if (!examineDatabase(path).isMade) throw lost(path, 'empty');
  }
}

/**
 * @returns what the manifest says of the database, if it lists it.
 * @throws SetupError when it does, and the file is missing or of 0 bytes.
 */
function requireListedFile(
  { path }: DataFolder,
  manifest: Manifest | undefined,
  name: string,
): ListedFile | undefined {
  const listed = manifest?.files[name];
  if (!listed) return undefined;
  const file = join(path, name);
  if (!existsSync(file)) throw lost(file, 'missing');
  if (statSync(file).size === 0) throw lost(file, 'empty');
  return listed;
}

/** @throws SetupError that names the file at this path when it cannot be read. */
function namingFile(path: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    const cause = causeOfFailure(error);
    if (!cause) throw error;
    throw unusable(path, cause);
  }
}

function lost(path: string, how: 'missing' | 'empty', replaceable = basename(path)): SetupError {
  return new SetupError(
    `${path} is ${how}. Restore a backup (petstore restore FILE --replace), or begin it anew without what it held: petstore store begin-anew ${replaceable}`,
  );
}

/** @throws SetupError when a folder without databases had some, or a running service serves it. */
function refuseRemains(folder: DataFolder): void {
  const records = [...ENVIRONMENTS, 'accounts' as const].map((name) => folder.acknowledged(name));
  const record = records.find((path) => existsSync(path));
  if (record !== undefined) {
    throw new SetupError(
      `${folder.path} has lost its databases: ${basename(record)} is left. Restore a backup (petstore restore FILE --replace), or empty the folder to begin another store.`,
    );
  }
  refuseServedFolder(folder.path);
}

/** The manifest of a folder that has none: of a new store, or of one that an earlier release left. */
function begin(folder: DataFolder): Manifest {
  const made = DATABASES.map(([name]) => ({
    name,
    ...examineDatabase(join(folder.path, name)),
  })).filter(({ isMade }) => isMade);
  const member = made.find(({ storeId }) => storeId !== undefined);
  if (member) {
    throw new SetupError(
      `${folder.manifest} is missing, and ${member.name} belongs to a store that had one. Restore a backup (petstore restore FILE --replace), or make it anew from the databases: petstore store begin-anew ${FILE_NAMES.manifest}`,
    );
  }
  if (made.length === 0) refuseRemains(folder);
  if (made.length > 0 && !made.some(({ name }) => name === FILE_NAMES.accounts)) {
    const how = existsSync(folder.accounts) ? 'empty' : 'missing';
    // The manifest that this makes does not list it.
    throw lost(folder.accounts, how, FILE_NAMES.manifest);
  }
  return newManifest(made.map(({ name }) => name));
}

/** The manifest of a new store that consists of these databases. */
export function newManifest(names: readonly string[]): Manifest {
  return {
    format: 1,
    storeId: crypto.randomUUID(),
    files: Object.fromEntries(names.map((name) => [name, {}])),
    losses: [],
  };
}
