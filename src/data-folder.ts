import { randomBytes } from 'node:crypto';
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
import { join } from 'node:path';
import type { Environment } from './core/environments.ts';
import { SetupError } from './core/errors.ts';

/** What a secret of the folder's own is made of, and the least that one may have. */
const SECRET_BYTES = 32;

/** The folder that holds everything that is kept, by file. */
export interface DataFolder {
  readonly path: string;
  readonly accounts: string;
  readonly secret: string;
  database(environment: Environment): string;
  /** Held by the process that serves the environment. */
  lock(environment: Environment): string;
}

/**
 * The folder at this path, made when it is missing; for this user's eyes only.
 * @throws SetupError when it cannot be made or written to.
 */
export function openDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const probe = join(path, `.probe-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    throw new SetupError(
      `Cannot write to the folder ${path}: ${reason(cause)}. Set PETSTORE_DATA_DIR to one that you may write to.`,
      { cause },
    );
  }
  return {
    path,
    accounts: join(path, 'accounts.db'),
    secret: join(path, 'secret'),
    database: (environment) => join(path, `${environment}.db`),
    lock: (environment) => join(path, `${environment}.lock`),
  };
}

/**
 * The secret that API keys are digested with: the configured one, or the folder's own. That is made
 * on the first start and never again: beside keys that were made with another it is of no use.
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
    throw new SetupError(`Cannot read ${folder.secret}: ${reason(cause)}. ${advice}`, { cause });
  }
  if (secret.length >= SECRET_BYTES) return secret;
  throw new SetupError(
    `${folder.secret} is cut short. Put it back from a backup, or set PETSTORE_SECRET to what it was.`,
  );
}

function makeSecret(folder: DataFolder): void {
  const draft = `${folder.secret}.${process.pid}`;
  try {
    writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString('hex')}\n`, { mode: 0o600 });
    // Keys are on disk when they are given out; what they are digested with must be there before.
    makeDurable(draft);
    // A link is all or nothing, also when two processes start at the same moment.
    linkSync(draft, folder.secret);
    makeDurable(folder.path);
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

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function isCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === code;
}
