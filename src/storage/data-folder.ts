import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import { linkTarget } from './folder/failure-advice.ts';
import { explainFailure, isThere } from './folder/file-failures.ts';
import { shareOwner } from './folder/owner.ts';
import { refuseLostSharedMemory, refuseServedFolder } from './folder/served-folder.ts';
import { type Lock, shareLock, takeLock } from './sqlite/lock.ts';

/** A database of a data folder: its file name without the extension. */
export type DatabaseName = Environment | 'accounts';

/** Names of the files in a data folder, and of the parts of a backup. */
export const FILE_NAMES = {
  accounts: 'accounts.db',
  secret: 'secret',
  /** Earlier secrets, one on each line. */
  previousSecrets: 'secret.previous',
  manifest: 'store.json',
  /** The request log, which is part of neither the store nor its backups. */
  requests: 'requests.db',
  database: (environment: Environment) => `${environment}.db`,
  acknowledged: (database: DatabaseName) => `${database}.ids`,
  /** In a throwaway folder: locked by the process that owns the folder. */
  owner: 'owner.lock',
} as const;

/** The data folder, as `dataFolderAt` describes it. */
export type DataFolder = Readonly<ReturnType<typeof dataFolderAt>>;

/**
 * Opens the folder at this path, or creates it, readable only by this user.
 * @throws SetupError when it cannot be created or written to, or when a running service has lost its folder at this
 * path or the shared memory of a database in it.
 */
export function openDataFolder(path: string): DataFolder {
  if (!existsSync(path)) refuseServedFolder(path);
  try {
    // Throws for a link that leads nowhere, which the next call reports as something in the way.
    if (linkTarget(path) !== undefined) statSync(path);
    makeFolder(path);
    // Not named after the process id, which is 1 in each of several containers that share a folder.
    const probe = join(path, `.probe-${crypto.randomUUID()}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    throw new SetupError(
      `Cannot write to the folder ${path}: ${explainFailure(path, cause)} Or set PETSTORE_DATA_DIR to another folder.`,
      { cause },
    );
  }
  const folder = dataFolderAt(path);
  refuseLostSharedMemory(path, [folder.accounts, ...ENVIRONMENTS.map(folder.database)]);
  return folder;
}

/** Makes a folder, and those that it is in, with the owner of the folder that the first is in. */
function makeFolder(path: string): void {
  const first = mkdirSync(resolve(path), { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); made.length >= first.length; made = dirname(made)) {
    shareOwner(made, dirname(first));
  }
}

/** The data folder at this path: the path of each file in it; the folder need not exist. */
export function dataFolderAt(path: string) {
  return {
    path,
    /** Whether it is deleted with its process, so that nothing in it has to survive a power failure. */
    isThrowaway: isThrowaway(path),
    accounts: join(path, FILE_NAMES.accounts),
    /** The request log, which may be deleted at any time. */
    requests: join(path, FILE_NAMES.requests),
    secret: join(path, FILE_NAMES.secret),
    previousSecrets: join(path, FILE_NAMES.previousSecrets),
    /** The id of the store and the databases that the folder must contain; see `folder/manifest.ts`. */
    manifest: join(path, FILE_NAMES.manifest),
    /** Held while the manifest is changed. */
    manifestLock: join(path, 'store.lock'),
    /** Exists while a restore changes the folder, and after an interrupted restore. */
    unfinishedRestore: join(path, 'restore-unfinished'),
    /** Shared by all processes that open files in the folder; exclusive for a restore. */
    folderLock: join(path, 'folder.lock'),
    database: (environment: Environment) => join(path, FILE_NAMES.database(environment)),
    /** The highest acknowledged number of a database; see `folder/acknowledged.ts`. */
    acknowledged: (database: DatabaseName) => join(path, FILE_NAMES.acknowledged(database)),
    /** Held by the process that serves the environment. */
    lock: (environment: Environment) => join(path, `${environment}.lock`),
  };
}

/** The prefix of the names of throwaway folders. */
export const THROWAWAY_PREFIX = 'petstore-ephemeral-';

/** Whether the folder at this path is deleted with its process. A copy under another name is not. */
export function isThrowaway(path: string): boolean {
  return basename(path).startsWith(THROWAWAY_PREFIX) && existsSync(join(path, FILE_NAMES.owner));
}

/**
 * Prevents restores of the folder until the lock is released; acquired before any file is opened.
 * @throws SetupError while a restore is running, or after an interrupted restore.
 */
export function lockShared({ path, folderLock, unfinishedRestore }: DataFolder): Lock {
  const lock = shareLock(folderLock);
  if (!lock) {
    throw new SetupError(
      `A backup is being restored into ${path}. Wait for its end. If there is none, another program holds a lock on ${folderLock}: end that program (fuser or lsof on the file names it).`,
    );
  }
  try {
    if (!isThere(unfinishedRestore)) return lock;
  } catch (cause) {
    lock.release();
    throw cause;
  }
  lock.release();
  throw new SetupError(
    `A restore into ${path} was cut off. Run it again: petstore restore FILE --replace`,
  );
}

/**
 * Locks the folder exclusively until the lock is released.
 * @throws SetupError while another process has a file in it open.
 */
export function lockExclusive({ path, folderLock }: DataFolder): Lock {
  const lock = takeLock(folderLock);
  if (lock) return lock;
  throw new SetupError(
    `${path} is in use by the service or a command. Stop it, or wait for its end.`,
  );
}

/**
 * Locks the folder for a command that changes its files.
 * @throws SetupError while another process has a file in it open, or after an interrupted restore.
 */
export function lockAlone(folder: DataFolder): Lock {
  lockShared(folder).release();
  return lockExclusive(folder);
}

/** Flushes the content of a file, or the entries of a folder, to disk. */
export function makeDurable(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Like `makeDurable`, for a path in a data folder; does nothing in a throwaway folder. */
export function makeDurableIn({ isThrowaway }: DataFolder, path: string): void {
  if (!isThrowaway) makeDurable(path);
}
