import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import { refuseLostSharedMemory, refuseServedFolder } from './folder/served-folder.ts';
import { type Lock, shareLock, takeLock } from './sqlite/lock.ts';

/** Length of a generated secret, and the least that the file must hold, in bytes. */
const SECRET_BYTES = 32;

/** A database of a data folder, by its name without the ending. */
export type DatabaseName = Environment | 'accounts';

/** Names of the files in a data folder, and of the parts of a backup. */
export const FILE_NAMES = {
  accounts: 'accounts.db',
  secret: 'secret',
  manifest: 'store.json',
  /** The request log: no part of the store, and of no backup. */
  requests: 'requests.db',
  database: (environment: Environment) => `${environment}.db`,
  acknowledged: (database: DatabaseName) => `${database}.ids`,
  /** Of a folder that is thrown away: locked by the process that it belongs to. */
  owner: 'owner.lock',
} as const;

/** The data folder: the path of each file in it. */
export interface DataFolder {
  readonly path: string;
  /** Whether it goes with its process, so that nothing in it has to survive a power failure. */
  readonly isThrownAway: boolean;
  readonly accounts: string;
  /** The request log, which may be deleted at any time. */
  readonly requests: string;
  readonly secret: string;
  /** Which databases the folder holds, and of which store; see `folder/manifest.ts`. */
  readonly manifest: string;
  /** Held while the manifest is changed. */
  readonly manifestLock: string;
  /** Exists while a restore changes the folder, and after one that was interrupted. */
  readonly unfinishedRestore: string;
  /** Shared by all processes that open files in the folder; exclusive for a restore. */
  readonly folderLock: string;
  database(environment: Environment): string;
  /** The record of what was acknowledged of a database; see `folder/acknowledged.ts`. */
  acknowledged(database: DatabaseName): string;
  /** Held by the process that serves the environment. */
  lock(environment: Environment): string;
}

/**
 * Opens the folder at this path, or makes it, readable by this user only.
 * @throws SetupError when it cannot be made or written to, or a running service has lost its own there, or
 * the shared memory of a database in it.
 */
export function openDataFolder(path: string): DataFolder {
  if (!existsSync(path)) refuseServedFolder(path);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Not named after the process id: in containers that share a folder it is 1 in each.
    const probe = join(path, `.probe-${crypto.randomUUID()}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    throw new SetupError(
      `Cannot write to the folder ${path}: ${messageOf(cause)}. Set PETSTORE_DATA_DIR to one that you may write to.`,
      { cause },
    );
  }
  const folder = dataFolderAt(path);
  refuseLostSharedMemory(path, [folder.accounts, ...ENVIRONMENTS.map(folder.database)]);
  return folder;
}

/** The paths in the folder at this path, which may not exist. */
export function dataFolderAt(path: string): DataFolder {
  return {
    path,
    isThrownAway: isThrownAway(path),
    accounts: join(path, FILE_NAMES.accounts),
    requests: join(path, FILE_NAMES.requests),
    secret: join(path, FILE_NAMES.secret),
    manifest: join(path, FILE_NAMES.manifest),
    manifestLock: join(path, 'store.lock'),
    unfinishedRestore: join(path, 'restore-unfinished'),
    folderLock: join(path, 'folder.lock'),
    database: (environment) => join(path, FILE_NAMES.database(environment)),
    acknowledged: (database) => join(path, FILE_NAMES.acknowledged(database)),
    lock: (environment) => join(path, `${environment}.lock`),
  };
}

/** How the names of folders begin that are thrown away. */
export const THROWN_AWAY_PREFIX = 'petstore-ephemeral-';

/** Whether the folder at this path belongs to a process, and goes with it. A copy under another name does not. */
export function isThrownAway(path: string): boolean {
  return basename(path).startsWith(THROWN_AWAY_PREFIX) && existsSync(join(path, FILE_NAMES.owner));
}

/**
 * Keeps restores out of the folder until the lock is released; taken before any file is opened.
 * @throws SetupError while a restore runs, or after one that did not finish.
 */
export function keepRestoreOut({ path, folderLock, unfinishedRestore }: DataFolder): Lock {
  const lock = shareLock(folderLock);
  if (!lock) throw new SetupError(`A backup is being restored into ${path}. Wait for its end.`);
  if (!existsSync(unfinishedRestore)) return lock;
  lock.release();
  throw new SetupError(
    `A restore into ${path} was cut off. Run it again: petstore restore FILE --replace`,
  );
}

/**
 * Keeps everybody else out of the folder until the lock is released.
 * @throws SetupError while anybody has a file in it open.
 */
export function keepOthersOut({ path, folderLock }: DataFolder): Lock {
  const lock = takeLock(folderLock);
  if (lock) return lock;
  throw new SetupError(
    `${path} is in use by the service or a command. Stop it, or wait for its end.`,
  );
}

/**
 * The secret that API keys are digested with: the configured one, or that of the folder. The latter is
 * generated at the first start only: keys that were made with another secret would be invalid.
 * @param isFirstStart whether no key was made with any secret yet.
 * @throws SetupError when it cannot be read or made, or is cut short.
 */
export function readSecret(
  folder: DataFolder,
  configured: string | undefined,
  isFirstStart: boolean,
): Buffer {
  if (configured !== undefined) return Buffer.from(configured);
  let secret: Buffer;
  try {
    if (isFirstStart && !existsSync(folder.secret)) makeSecret(folder);
    secret = Buffer.from(readFileSync(folder.secret, 'utf8').trim());
  } catch (cause) {
    const advice = 'Put it back from a backup, or set PETSTORE_SECRET to what it was.';
    throw new SetupError(`Cannot read ${folder.secret}: ${messageOf(cause)}. ${advice}`, { cause });
  }
  if (secret.length >= SECRET_BYTES) return secret;
  throw new SetupError(
    `${folder.secret} is cut short. Put it back from a backup, or set PETSTORE_SECRET to what it was.`,
  );
}

function makeSecret(folder: DataFolder): void {
  const draft = `${folder.secret}.${crypto.randomUUID()}`;
  try {
    writeFileSync(draft, `${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex()}\n`, {
      mode: 0o600,
    });
    // A key is durable when it is issued, so the secret must be durable before.
    makeDurableIn(folder, draft);
    // Creating a link is atomic, also when two processes start at the same moment.
    linkSync(draft, folder.secret);
    makeDurableIn(folder, folder.path);
  } catch (cause) {
    if (!isCode(cause, 'EEXIST')) throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Returns once a file's content, or a folder's list of names, is on disk. */
export function makeDurable(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** As `makeDurable`, for a path in a data folder. What is in one that is thrown away need not be durable. */
export function makeDurableIn(
  { isThrownAway }: Pick<DataFolder, 'isThrownAway'>,
  path: string,
): void {
  if (!isThrownAway) makeDurable(path);
}

function isCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
