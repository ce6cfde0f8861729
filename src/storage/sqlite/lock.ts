import { Database, SQLiteError } from 'bun:sqlite';
import { messageOf, SetupError } from '../../core/errors.ts';
import { adviceAbout, LOCKED } from '../folder/failure-advice.ts';
import { fileFailure, isFileFailure, isThere } from '../folder/file-failures.ts';
import { makeForOwner } from '../folder/owner.ts';
import { damageIn } from './failures.ts';

/** A lock that this process holds until it releases the lock or ends in any way. */
export interface Lock extends Disposable {
  release(): void;
}

/** How long to wait for a shared lock, in ms: another process may be trying to lock exclusively. */
const TRIED_BY_ANOTHER = 500;

/** How long to wait for a lock that others hold only briefly, in ms. */
const PATIENCE = 5_000;

/**
 * Takes an exclusive lock at this path; `undefined` when another process has it.
 * Uses SQLite's file locks, which the operating system releases when the process ends, even by
 * SIGKILL.
 * @param patience how long to wait for another process, in ms.
 * @throws SetupError when the file cannot be locked.
 */
export function takeLock(path: string, patience = 0): Lock | undefined {
  return hold(path, patience, (database) => database.run('BEGIN EXCLUSIVE'));
}

/**
 * Takes a shared lock at this path; `undefined` while another process has it exclusively.
 * @throws SetupError when the file cannot be locked.
 */
export function shareLock(path: string): Lock | undefined {
  return hold(path, TRIED_BY_ANOTHER, (database) => {
    database.run('BEGIN');
    // The transaction acquires its lock at the first read.
    database.query('SELECT 1 FROM sqlite_schema').get();
  });
}

/**
 * Waits for an exclusive lock at this path.
 * @throws SetupError when the file cannot be locked, or others hold the lock for too long.
 */
export function waitForLock(path: string): Lock {
  const lock = hold(path, PATIENCE, (database) => database.run('BEGIN EXCLUSIVE'));
  if (lock) return lock;
  throw new SetupError(
    `Cannot lock ${path}: another process has held it for ${PATIENCE / 1_000} s. ${adviceAbout(path, LOCKED)}`,
  );
}

function hold(
  path: string,
  patience: number,
  lock: (database: Database) => void,
): Lock | undefined {
  let database: Database | undefined;
  try {
    if (!isThere(path)) makeForOwner(path);
    database = new Database(path, { create: true, readwrite: true });
    database.run(`PRAGMA busy_timeout = ${patience}`);
    database.run('PRAGMA journal_mode = MEMORY');
    lock(database);
    const held = database;
    const release = () => held.close();
    return { release, [Symbol.dispose]: release };
  } catch (cause) {
    database?.close();
    if (cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY') return undefined;
    if (isFileFailure(cause)) throw fileFailure('lock', path, cause);
    if (damageIn(cause) === undefined) throw cause;
    throw new SetupError(
      `Cannot lock ${path}: ${messageOf(cause)}. A lock holds no data: move the file away.`,
      { cause },
    );
  }
}
