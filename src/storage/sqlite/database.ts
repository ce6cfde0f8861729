import { Database, SQLiteError, type SQLQueryBindings, type Statement } from 'bun:sqlite';
import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SetupError } from '../../core/errors.ts';
import type { Selection } from '../selection.ts';
import { isDamage } from './failures.ts';
import { findIdentity, type Identity, setIdentity } from './identity.ts';
import type { Schema } from './migrations.ts';

/** Files up to this size are checked whole at every start; it takes a few ms at the most. */
export const FULL_CHECK_BYTES = 1024 * 1024;

/** How long to wait for another process's transaction, in ms. */
const BUSY_TIMEOUT = 5_000;

/** How long to wait between two tries where SQLite does not wait, in ms. */
const RETRY_EVERY = 5;

/**
 * Opens one database file, or makes it, and brings it to the current schema.
 * @param expected the store that it must belong to, or belongs to from now on, and whether it is checked
 * whole whatever its size.
 * @throws SetupError when the file is not ours, is damaged, or belongs to a newer release or to another
 * store. It is left as it was found.
 */
export function openDatabase(path: string, schema: Schema, expected: Expectations = {}): Database {
  const isNew = !existsSync(path) || statSync(path).size === 0;
  let database: Database | undefined;
  try {
    // No change to the file before it is known to be ours: not even the switch to WAL.
    if (!isNew) inspect(path, schema, expected);
    database = open(path, { create: true });
    const { storeId } = expected;
    const identity = storeId === undefined ? undefined : { id: storeId, file: basename(path) };
    migrate(database, path, schema, identity);
    identify(database, identity);
    return database;
  } catch (cause) {
    database?.close();
    if (!(cause instanceof SQLiteError)) throw cause;
    throw new SetupError(`Cannot open ${path}: ${cause.message}. ${ADVICE}`, { cause });
  }
}

const ADVICE = 'Restore a backup (petstore restore FILE), or move the file away.';

/**
 * Another connection to a file that `openDatabase` has prepared. Integers are bigints; a commit is
 * on disk when it returns.
 */
export function connect(path: string): Database {
  return open(path, { create: false });
}

function open(path: string, { create }: { create: boolean }): Database {
  const database = new Database(path, {
    create,
    readwrite: true,
    strict: true,
    safeIntegers: true,
  });
  try {
    switchToLog(database);
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    database.run('PRAGMA synchronous = FULL');
    database.run('PRAGMA foreign_keys = ON');
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

/** Two processes that make one file meet here, and SQLite lets neither of them wait. */
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
 * Checks that a file is ours, not newer than this release, and undamaged as far as a quick
 * check shows; small files are checked whole. Leaves the file, and what lies beside it, as it was.
 * @throws SetupError or SQLiteError
 */
export function inspect(path: string, schema: Schema, expected: Expectations = {}): void {
  try {
    look(path, schema, expected);
  } catch (cause) {
    if (!(cause instanceof SQLiteError && cause.code === 'SQLITE_CANTOPEN')) throw cause;
    // The last process that used the file folded its write-ahead log in just when this one looked.
    look(path, schema, expected);
  }
}

/** What is checked beside the kind of the file. */
export interface Expectations {
  /** Checks files of any size whole. */
  readonly thorough?: boolean;
  /** The store that the file must belong to, unless it belongs to none. */
  readonly storeId?: string | undefined;
}

function look(path: string, schema: Schema, { thorough, storeId }: Expectations): void {
  const database = openToLook(path);
  try {
    // One moment of the file: another process may be making it, or changing it, just now.
    database.run('BEGIN');
    const applicationId = pragma(database, 'application_id');
    if (applicationId !== schema.applicationId) {
      if (isUnfinished(database)) return;
      throw new SetupError(`${path} is not a file of this service for this purpose. ${ADVICE}`);
    }
    refuseNewer(database, path, schema);
    if (storeId !== undefined) refuseForeign(database, path, storeId);
    const size = statSync(path).size;
    if (
      pragma(database, 'page_count') * pragma(database, 'page_size') > size &&
      !existsSync(`${path}-wal`)
    ) {
      throw new SetupError(`${path} is cut short. ${ADVICE}`);
    }
    if (thorough || size <= FULL_CHECK_BYTES) checkWhole(database, path);
  } finally {
    database.close();
  }
}

/**
 * A connection that only reads. Opened for reading only, SQLite would leave an empty write-ahead log
 * behind; opened for writing, it would fold one that is there into the file when it closes.
 */
function openToLook(path: string): Database {
  const mode = existsSync(`${path}-wal`) ? { readonly: true } : { readwrite: true };
  const database = new Database(path, { ...mode, strict: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  database.run('PRAGMA query_only = ON');
  return database;
}

function refuseForeign(database: Database, path: string, storeId: string): void {
  const { id = storeId, file = basename(path) } = findIdentity(database) ?? {};
  if (id === storeId && file === basename(path)) return;
  const what = id === storeId ? `is the ${file} of this store` : 'belongs to another store';
  throw new SetupError(
    `${path} ${what}. Put the right file back, or restore a backup (petstore restore FILE --replace).`,
  );
}

/** Whether there is a finished database at this path, and the store that it belongs to. */
export function examineDatabase(path: string): {
  readonly isMade: boolean;
  readonly storeId?: string | undefined;
} {
  const file = statSync(path, { throwIfNoEntry: false });
  // Opening what is no file will say what is wrong with it.
  if (!file?.isFile() || file.size === 0) return { isMade: false };
  let database: Database | undefined;
  try {
    database = openToLook(path);
    return { isMade: !isUnfinished(database), storeId: findIdentity(database)?.id };
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause;
    // Opening it will say what is wrong with it.
    return { isMade: true };
  } finally {
    database?.close();
  }
}

/** Whether another process is making the file at this moment, or died before it was done. */
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

/** @param what a number of findings, or the name of a table in quotes. */
function quickCheck(database: Database, what: string): string | undefined {
  const [first] = database.query(`PRAGMA quick_check(${what})`).values().flat();
  // SQLite begins its findings with a heading on a line of its own.
  return first === 'ok' ? undefined : String(first).replace(/^\*\*\*.*\n/, '');
}

/** What operators read of a damaged file. */
export function describeDamage(path: string, finding: string): string {
  return `${path} is damaged: ${finding}. ${ADVICE}`;
}

/**
 * Reads every table and index of a file, which others may be using.
 * @returns the first damage that it finds.
 * @throws SQLiteError when the file cannot be opened.
 */
export function findDamage(path: string): string | undefined {
  const database = openToLook(path);
  try {
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all();
    // Each in a transaction of its own: the write-ahead log cannot begin anew during one.
    for (const { name } of tables) {
      const finding = quickCheck(database, `"${name}"`);
      if (finding !== undefined) return finding;
    }
    return undefined;
  } catch (cause) {
    if (isDamage(cause)) return cause.message;
    throw cause;
  } finally {
    database.close();
  }
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
    // Another process may have done some of it while this one waited for the lock.
    refuseNewer(database, path, schema);
    const done = pragma(database, 'user_version');
    for (const step of schema.migrations.slice(done)) database.run(step);
    database.run(`PRAGMA user_version = ${schema.migrations.length}`);
    database.run(`PRAGMA application_id = ${schema.applicationId}`);
    // In the same transaction: one sync less for each new file.
    identify(database, identity);
  });
  upgrade.immediate();
}

function identify(database: Database, identity: Identity | undefined): void {
  if (identity && !findIdentity(database)) setIdentity(database, identity);
}

/** The highest id that an environment's database holds, or 0. */
export function highestId(database: Database): number {
  return Number(database.query('SELECT max(id) FROM pets').values()[0]?.[0] ?? 0);
}

function pragma(database: Database, name: string): number {
  return Number(database.query(`PRAGMA ${name}`).values()[0]?.[0]);
}

/** What a selection is on SQLite. */
export type SqliteSelection<Row> = Pick<Selection<Row>, 'sqlite' | 'row'>;

/** Prepares a selection. */
export function query<Row>(
  database: Database,
  { sqlite }: SqliteSelection<Row>,
): Statement<Row, SQLQueryBindings[]> {
  return database.query<Row, SQLQueryBindings[]>(sqlite);
}
