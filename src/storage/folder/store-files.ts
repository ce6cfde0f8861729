import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { connect, type Expectations, inspectDatabase } from '../sqlite/database.ts';
import { causeOfFailure } from '../sqlite/failures.ts';
import { setIdentity } from '../sqlite/identity.ts';
import { selectHighestId } from '../sqlite/numbers.ts';
import { unusable } from '../sqlite/unusable.ts';
import { DATABASES } from './databases.ts';
import { isFileFailure, isThere } from './file-failures.ts';
import { checkChanges } from './losses.ts';
import {
  type ListedFile,
  type Manifest,
  readManifest,
  requireManifest,
  updateManifest,
  writeManifest,
} from './manifest.ts';
import { beginIds, checkIds, withFile } from './pet-ids.ts';
import { refuseServedFolder } from './served-folder.ts';

type FileLoss = 'missing' | 'empty';

/**
 * Opens or creates a file, and checks it. The service opens files for its two threads, the migration of a store a plain
 * connection.
 */
type OpenFile<File> = (path: string, expected: Expectations) => File;

/**
 * Opens the databases of a data folder according to its manifest: a listed database must exist and belong to the
 * store; any other is created on first use and then listed.
 */
export class StoreFiles {
  readonly #folder: DataFolder;
  readonly storeId: string;

  /**
   * Reads the manifest. Creates a new store in a folder without data, and a manifest for one of an earlier release.
   * @throws SetupError when the manifest or the accounts are missing, or the manifest cannot be used.
   */
  constructor(folder: DataFolder) {
    this.#folder = folder;
    const { storeId } =
      readManifest(folder) ?? updateManifest(folder, (found) => found ?? begin(folder));
    this.storeId = storeId;
  }

  /** Opens the accounts and compares them with the acknowledged changes. */
  openAccounts<File>(open: OpenFile<File>, lastChange: (file: File) => number, clock: Clock): File {
    const path = this.#folder.accounts;
    const onEmpty = () => {
      throw lost(path, 'empty');
    };
    const file = this.#open(FILE_NAMES.accounts, open, () => ({}), onEmpty);
    namingFile(path, () => checkChanges(this.#folder, () => lastChange(file), clock));
    return file;
  }

  /** Opens the database of an environment and compares it with the acknowledged ids. */
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
   * Opens one database and lists it in the manifest.
   * @param list returns the manifest's entry for a file that is not listed yet.
   * @param onEmpty called when the file is listed but has no tables.
   * @throws SetupError when the file is listed but missing or has 0 bytes; and any error that `open` throws.
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
    // A file is listed after its tables are created, so no other process is creating it now.
    const expected = { storeId, thorough, hasIdentity, ...(listed && { onEmpty }) };
    const file = open(join(this.#folder.path, name), expected);
    if (hasIdentity && !thorough) return file;
    const add = (manifest: Manifest) => {
      // Another process may have listed it first.
      const { damage: found, ...now } = manifest.files[name] ?? list(file);
      const left = found === undefined || thorough ? {} : { damage: found };
      return withFile(manifest, name, { ...now, ...left, hasIdentity: true });
    };
    // Not durable, so that the start does not wait for the disk again: assigning the first id makes it durable.
    updateManifest(this.#folder, (found) => add(requireManifest(this.#folder, found)), false);
    return file;
  }

  #read(): Manifest {
    const manifest = readManifest(this.#folder);
    if (manifest?.storeId === this.storeId) return manifest;
    throw new SetupError(`${this.#folder.manifest} was removed or replaced. Start again.`);
  }
}

/** @throws SetupError when a database that the manifest lists is missing or has no tables. */
export function requireListedFiles(folder: DataFolder): void {
  for (const [name, how] of findLostFiles(folder)) throw lost(join(folder.path, name), how);
}

/** The databases that the manifest lists, but that are missing or have no tables. */
export function findLostFiles(folder: DataFolder): ReadonlyMap<string, FileLoss> {
  const found = new Map<string, FileLoss>();
  for (const name of Object.keys(readManifest(folder)?.files ?? {})) {
    const path = join(folder.path, name);
    if (!isThere(path)) found.set(name, 'missing');
    else if (!inspectDatabase(path).isMade) found.set(name, 'empty');
  }
  return found;
}

/**
 * @returns the manifest's entry for the database, if there is one.
 * @throws SetupError when the database is listed but missing or has 0 bytes.
 */
function requireListedFile(
  { path }: DataFolder,
  manifest: Manifest | undefined,
  name: string,
): ListedFile | undefined {
  const listed = manifest?.files[name];
  if (!listed) return undefined;
  const file = join(path, name);
  if (!isThere(file)) throw lost(file, 'missing');
  if (statSync(file).size === 0) throw lost(file, 'empty');
  return listed;
}

/** @throws SetupError, which names the file, when it cannot be read. */
function namingFile(path: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    const cause = causeOfFailure(error);
    if (cause || isFileFailure(error)) throw unusable(path, cause ?? error);
    throw error;
  }
}

function lost(path: string, how: FileLoss, replaceable = basename(path)): SetupError {
  return new SetupError(
    `${path} is ${how}. Restore a backup (petstore restore FILE --replace), or recreate it without what it held: petstore store recreate ${replaceable}`,
  );
}

/** @throws SetupError when a folder without databases had some before, or a running service serves it. */
function refuseRemains(folder: DataFolder): void {
  const records = [...ENVIRONMENTS, 'accounts' as const].map((name) => folder.acknowledged(name));
  const record = records.find((path) => isThere(path));
  if (record !== undefined) {
    throw new SetupError(
      `${folder.path} has lost its databases: ${basename(record)} is left. Restore a backup (petstore restore FILE --replace), or empty the folder to begin another store.`,
    );
  }
  refuseServedFolder(folder.path);
}

/** The manifest for a folder without one: for a new store, or for a store of an earlier release. */
function begin(folder: DataFolder): Manifest {
  const made = DATABASES.map(([name]) => ({
    name,
    ...inspectDatabase(join(folder.path, name)),
  })).filter(({ isMade }) => isMade);
  const member = made.find(({ storeId }) => storeId !== undefined);
  if (member) {
    throw new SetupError(
      `${folder.manifest} is missing, and ${member.name} belongs to a store that had one. Restore a backup (petstore restore FILE --replace), or recreate it from the databases: petstore store recreate ${FILE_NAMES.manifest}`,
    );
  }
  if (made.length === 0) refuseRemains(folder);
  if (made.length > 0 && !made.some(({ name }) => name === FILE_NAMES.accounts)) {
    const how = isThere(folder.accounts) ? 'empty' : 'missing';
    // The new manifest does not list the accounts.
    throw lost(folder.accounts, how, FILE_NAMES.manifest);
  }
  return newManifest(made.map(({ name }) => name));
}

/**
 * Makes the databases in a folder that is not in use a new store, with a manifest.
 * @param names file names of the databases.
 * @param idsAfter returns the id after which the ids of an environment continue, given the highest id in its
 * database.
 */
export function makeStore(
  folder: DataFolder,
  names: readonly string[],
  idsAfter: (environment: Environment, highest: number) => number,
): void {
  let manifest: Manifest = newManifest(names);
  for (const name of names) {
    using database = connect(join(folder.path, name));
    setIdentity(database, { id: manifest.storeId, file: name });
    manifest = withFile(manifest, name, { hasIdentity: true });
    const environment = ENVIRONMENTS.find((each) => FILE_NAMES.database(each) === name);
    if (!environment) continue;
    const highest = selectHighestId(database);
    const ids = beginIds(folder, environment, highest, idsAfter(environment, highest));
    manifest = withFile(manifest, name, { hasIdentity: true, ...ids });
  }
  writeManifest(folder, manifest);
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
