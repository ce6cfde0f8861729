import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SetupError } from '../../core/errors.ts';
import { FILE_NAMES, isThrowaway } from '../data-folder.ts';
import { isFileFailure, isThere } from '../folder/file-failures.ts';
import { makeForOwner } from '../folder/owner.ts';
import type { Selection } from '../schema/selection.ts';
import {
  type ExpectedIdentity,
  findIdentity,
  type Identity,
  refuseForeignIdentity,
  setIdentity,
} from './identity.ts';
import type { Schema } from './migrations.ts';
import { damageAdvice, describeDamage, refuseReadOnly, unusable } from './unusable.ts';

/** Files up to this size, in bytes, are checked completely at every start, which takes at most a few ms. */
export const FULL_CHECK_BYTES = 1024 * 1024;

/** How long to wait for another process's transaction, in ms. */
export const BUSY_TIMEOUT = 5_000;

/** SQLite checkpoints a write-ahead log of more pages, at each commit. */
export const CHECKPOINT_AFTER_PAGES = 1_000;

/** A write-ahead log that was longer is truncated to this length when it begins anew, in bytes. */
export const LOG_LIMIT = 16 * 1024 * 1024;

/** https://sqlite.org/rescode.html#ioerr */
const SQLITE_IOERR = 10;

/** Pause between two attempts when SQLite does not wait, in ms. */
const RETRY_EVERY = 5;

/**
 * Opens or creates one database file, and migrates it to the current schema.
 * @param expected the store that it must belong to, or is added to, and whether it is checked completely regardless of
 * its size.
 * @throws SetupError when the file is not ours, is damaged or read-only, or belongs to a newer release or to another
 * store. The file is then not changed.
 */
export function openDatabase(path: string, schema: Schema, expected: Expectations = {}): Database {
  const isNew = !isThere(path) || statSync(path).size === 0;
  let database: Database | undefined;
  try {
    // Do not change the file before it is known to be ours, not even by switching to WAL.
    if (!isNew) inspect(path, schema, expected);
    refuseReadOnly(path);
    if (isNew) makeForOwner(path);
    // A disposable file is opened in the main thread, which must not wait for the disk.
    const needsNoSync = schema.isDisposable || isThrowaway(dirname(path));
    database = open(path, { create: true, synchronous: needsNoSync ? 'OFF' : 'FULL' });
    const { storeId } = expected;
    const identity = storeId === undefined ? undefined : { id: storeId, file: basename(path) };
    migrate(database, path, schema, identity);
    identify(database, identity);
    return database;
  } catch (cause) {
    database?.close();
    if (!(cause instanceof SQLiteError || isFileFailure(cause))) throw cause;
    throw unusable(path, cause);
  }
}

/**
 * Opens another connection to a file that `openDatabase` has prepared. Integers are bigints. A commit is on disk when
 * it returns, unless the file is the request log or its folder is that of a throwaway service.
 */
export function connect(path: string): Database {
  return open(path, { create: false, synchronous: syncOf(path) });
}

function syncOf(path: string): Opening['synchronous'] {
  if (isThrowaway(dirname(path))) return 'OFF';
  return basename(path) === FILE_NAMES.requests ? 'NORMAL' : 'FULL';
}

interface Opening {
  readonly create: boolean;
  /** https://sqlite.org/pragma.html#pragma_synchronous */
  readonly synchronous: 'OFF' | 'NORMAL' | 'FULL';
}

function open(path: string, { create, synchronous }: Opening): Database {
  const database = new Database(path, {
    create,
    readwrite: true,
    strict: true,
    safeIntegers: true,
  });
  try {
    // First, because the others read the file, which another process may be creating.
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    database.run(`PRAGMA synchronous = ${synchronous}`);
    switchToLog(database);
    database.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_AFTER_PAGES}`);
    database.run(`PRAGMA journal_size_limit = ${LOG_LIMIT}`);
    database.run('PRAGMA foreign_keys = ON');
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** Retries, because SQLite does not wait here when two processes create the same file. */
function switchToLog(database: Database): void {
  for (let waited = 0; ; waited += RETRY_EVERY) {
    try {
      database.run('PRAGMA journal_mode = WAL');
      return;
    } catch (cause) {
      const isBusy = cause instanceof SQLiteError && cause.code?.startsWith('SQLITE_BUSY');
      if (!isBusy || waited >= BUSY_TIMEOUT) throw cause;
      Bun.sleepSync(RETRY_EVERY);
    }
  }
}

/**
 * Checks that a file is ours, not newer than this release, and undamaged as far as a quick check shows; small files are
 * checked completely. Does not change the file or the files next to it.
 * @throws SetupError or SQLiteError
 */
export function inspect(path: string, schema: Schema, expected: Expectations): void {
  try {
    inspectOnce(path, schema, expected);
  } catch (cause) {
    if (!(cause instanceof SQLiteError && cause.code === 'SQLITE_CANTOPEN')) throw cause;
    // The last process using the file has just removed its write-ahead log.
    inspectOnce(path, schema, expected);
  }
}

/** Checks in addition to the kind of the file. */
export interface Expectations extends ExpectedIdentity {
  /** Whether to check files of any size completely. */
  readonly thorough?: boolean;
  /** Called when the file exists but has no tables; may throw. */
  readonly onEmpty?: () => void;
}

function inspectOnce(path: string, schema: Schema, expected: Expectations): void {
  const database = openForInspection(path);
  try {
    // A snapshot of the file, because another process may be creating or changing it.
    database.run('BEGIN');
    const applicationId = pragma(database, 'application_id');
    if (applicationId !== schema.applicationId) {
      if (isUnfinished(database)) {
        expected.onEmpty?.();
        return;
      }
      throw new SetupError(
        `${path} is not a file of this service for this purpose. ${damageAdvice(path)}`,
      );
    }
    refuseNewer(database, path, schema);
    refuseForeignIdentity(database, path, expected);
    const size = statSync(path).size;
    if (
      pragma(database, 'page_count') * pragma(database, 'page_size') > size &&
      !existsSync(`${path}-wal`)
    ) {
      throw new SetupError(`${path} is cut short. ${damageAdvice(path)}`);
    }
    if (expected.thorough || size <= FULL_CHECK_BYTES) checkWhole(database, path);
  } finally {
    database.close();
  }
}

/**
 * Opens a connection that only reads. Opened read-only, SQLite would leave an empty write-ahead log behind; opened for
 * writing, it would checkpoint an existing one on closing.
 */
export function openForInspection(path: string): Database {
  const mode = existsSync(`${path}-wal`) ? { readonly: true } : { readwrite: true };
  const database = new Database(path, { ...mode, strict: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  database.run('PRAGMA query_only = ON');
  return database;
}

/** Whether there is a complete database at this path, and the store that it belongs to. */
export function inspectDatabase(path: string): {
  readonly isMade: boolean;
  readonly storeId?: string | undefined;
} {
  if (!isThere(path)) return { isMade: false };
  const file = statSync(path);
  // If this is not a file, opening it later reports the problem.
  if (!file.isFile() || file.size === 0) return { isMade: false };
  let database: Database | undefined;
  try {
    database = openForInspection(path);
    return { isMade: !isUnfinished(database), storeId: findIdentity(database)?.id };
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause;
    // Opening it later reports the problem.
    return { isMade: true };
  } finally {
    database?.close();
  }
}

/** Whether another process is creating the file, or ended before it was done. */
function isUnfinished(database: Database): boolean {
  return (
    pragma(database, 'application_id') === 0 &&
    pragma(database, 'user_version') === 0 &&
    database.query('SELECT 1 FROM sqlite_schema').get() === null
  );
}

function checkWhole(database: Database, path: string): void {
  const finding = quickCheck(database, '1');
  if (finding !== undefined) throw new SetupError(describeDamage(path, finding));
}

/**
 * @param what the maximum number of findings, or the name of a table in quotes.
 * @throws Error with the code EIO when a page cannot be read, which SQLite reports like damage.
 */
export function quickCheck(database: Database, what: string): string | undefined {
  const [first] = database.query(`PRAGMA quick_check(${what})`).values().flat();
  if (first === 'ok') return undefined;
  // SQLite starts its findings with a heading on a separate line.
  const finding = String(first).replace(/^\*\*\*.*\n/, '');
  const code = Number(/error code=(\d+)/.exec(finding)?.[1] ?? 0) & 0xff;
  if (code !== SQLITE_IOERR) return finding;
  throw Object.assign(new Error(finding), { code: 'EIO' });
}

function refuseNewer(database: Database, path: string, { migrations }: Schema): void {
  const version = pragma(database, 'user_version');
  if (version > migrations.length) {
    throw new SetupError(
      `${path} was written by a newer release (schema ${version}, this one knows ${migrations.length}). ` +
        'Start that release, or restore an older backup.',
    );
  }
}

function migrate(
  database: Database,
  path: string,
  schema: Schema,
  identity: Identity | undefined,
): void {
  if (pragma(database, 'user_version') === schema.migrations.length) return;
  const upgrade = database.transaction(() => {
    // Another process may have run some of the steps while this one waited for the lock.
    refuseNewer(database, path, schema);
    const done = pragma(database, 'user_version');
    for (const step of schema.migrations.slice(done)) database.run(step);
    database.run(`PRAGMA user_version = ${schema.migrations.length}`);
    database.run(`PRAGMA application_id = ${schema.applicationId}`);
    // In the same transaction, which saves a sync for each new file.
    identify(database, identity);
  });
  upgrade.immediate();
}

function identify(database: Database, identity: Identity | undefined): void {
  if (identity && !findIdentity(database)) setIdentity(database, identity);
}

function pragma(database: Database, name: string): number {
  return Number(database.query(`PRAGMA ${name}`).values()[0]?.[0]);
}

/** The SQLite variant of a selection. */
export type SqliteSelection<Row> = Pick<Selection<Row>, 'sqlite' | 'row'>;

/** Prepares a selection. */
export function query<Row>(
  database: Database,
  { sqlite }: SqliteSelection<Row>,
): Statement<Row, SQLQueryBindings[]> {
  return database.query<Row, SQLQueryBindings[]>(sqlite);
}
