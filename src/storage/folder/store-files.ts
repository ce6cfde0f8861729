import { existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { SetupError } from '../../core/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type DataFolder, FILE_NAMES } from '../data-folder.ts';
import { type Expectations, examineDatabase } from '../sqlite/database.ts';
import { DATABASES } from './databases.ts';
import {
  type ListedFile,
  type Manifest,
  readManifest,
  requireManifest,
  updateManifest,
} from './manifest.ts';
import { beginIds, checkIds, withFile } from './pet-ids.ts';
import { refuseServedFolder } from './served-folder.ts';

/** Opens or makes a file, and checks it. */
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

  /**
   * Opens one database and lists it.
   * @param open opens or makes the file, and checks that it belongs to the store.
   * @param list gives what the manifest says of a file that it does not list yet.
   * @throws SetupError when the file is listed, and missing or empty; and whatever `open` throws.
   */
  open<File>(
    name: string,
    open: OpenFile<File>,
    list: (file: File) => ListedFile = () => ({}),
  ): File {
    const listed = requireListedFile(this.#folder, this.#read(), name);
    const { storeId } = this;
    const thorough = listed?.damage !== undefined;
    const file = open(join(this.#folder.path, name), { storeId, thorough });
    if (thorough) updateManifest(this.#folder, (found) => withoutDamage(this.#folder, found, name));
    if (listed) return file;
    // Another process may have been faster.
    const add = (manifest: Manifest) =>
      manifest.files[name] ? manifest : withFile(manifest, name, list(file));
    // A start does not wait for the disk once more: whoever gives the first id does.
    updateManifest(this.#folder, (found) => add(requireManifest(this.#folder, found)), false);
    return file;
  }

  /** Opens the database of an environment, and compares it with what was acknowledged. */
  openEnvironment<File>(
    environment: Environment,
    open: OpenFile<File>,
    highestId: (file: File) => number,
    clock: Clock,
  ): File {
    const file = this.open(FILE_NAMES.database(environment), open, (made) =>
      beginIds(this.#folder, environment, highestId(made)),
    );
    checkIds(this.#folder, environment, () => highestId(file), clock);
    return file;
  }

  #read(): Manifest {
    const manifest = readManifest(this.#folder);
    if (manifest?.storeId === this.storeId) return manifest;
    throw new SetupError(`${this.#folder.manifest} was removed or replaced. Start again.`);
  }
}

/** @throws SetupError when a database that the manifest lists is missing or empty. */
export function requireListedFiles(folder: DataFolder): void {
  const manifest = readManifest(folder);
  for (const name of Object.keys(manifest?.files ?? {})) requireListedFile(folder, manifest, name);
}

/**
 * @returns what the manifest says of the database, if it lists it.
 * @throws SetupError when it does, and the file is missing, or empty: of 0 bytes, or without
 * any table where nothing else would show that.
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
  const found = statSync(file);
  if (found.size === 0) throw lost(file, 'empty');
  // Where ids are reserved, the record of those that were given shows what is lost. A file is listed
  // after its tables are made, so nobody is making it at this moment.
  const isSilent = listed.reservedUpTo === undefined;
  if (isSilent && found.isFile() && !examineDatabase(file).isMade) throw lost(file, 'empty');
  return listed;
}

/** The manifest after a database that was damaged was found to be in order. */
function withoutDamage(folder: DataFolder, found: Manifest | undefined, name: string): Manifest {
  const manifest = requireManifest(folder, found);
  const { damage: _, ...listed } = manifest.files[name] ?? {};
  return withFile(manifest, name, listed);
}

function lost(path: string, how: 'missing' | 'empty', replaceable = basename(path)): SetupError {
  return new SetupError(
    `${path} is ${how}. Restore a backup (petstore restore FILE --replace), or begin it anew without what it held: petstore store begin-anew ${replaceable}`,
  );
}

/** @throws SetupError when a folder without databases had some, or a running service serves it. */
function refuseRemains(folder: DataFolder): void {
  const record = ENVIRONMENTS.map((name) => folder.givenIds(name)).find((path) => existsSync(path));
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
