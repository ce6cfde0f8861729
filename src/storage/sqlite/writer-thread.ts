import { type Database, SQLiteError } from 'bun:sqlite';
import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { lazy } from '../../lib/lazy.ts';
import type { NamedChange } from '../changes.ts';
import { connect } from './database.ts';
import { isStorageFailure } from './failures.ts';
import { IdRecords } from './id-records.ts';
import {
  applyWrite,
  type CommitRequest,
  createsPets,
  type Posted,
  pack,
  unpack,
  type Write,
  type WriteResult,
  type WriterReply,
  type WriterRequest,
} from './writer-protocol.ts';
import { activityWrites } from './writes-activity.ts';

/**
 * The writer thread: the only place that changes the database files of this process. It commits
 * whatever has queued up in one transaction (group commit), so that many share one fsync.
 */
declare const self: Worker;

const databases = new Map<string, Database>();

/** Of the environments in which this thread has created pets, by the path of the database. */
const idRecords = new Map<string, IdRecords>();

/**
 * What makes the changes that are written once for both engines; loaded with the first of them, or earlier on
 * request. Where that
 * fails the thread ends, and the next one loads it anew: the runtime remembers a failed import.
 */
const loadChanges = lazy(() => Promise.all([import('../kysely.ts'), import('../changes.ts')]));
type LoadedChanges = Awaited<ReturnType<typeof loadChanges>>;

/** Settles with the latest request: they are handled one after the other. */
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Posted<WriterRequest>>) => {
  const request = unpack(data);
  last = last.then(() => carryOut(request));
};

async function carryOut(request: WriterRequest): Promise<void> {
  if (request.kind === 'close') {
    for (const [path, database] of databases) close(database, idRecords.get(path));
    reply({ kind: 'closed' });
    return;
  }
  if (request.kind === 'load') {
    await loadChanges();
    return;
  }
  const { path, writes } = request;
  const needsChanges = writes.some(({ name }) => name === 'change');
  const loaded = needsChanges ? await loadChanges() : undefined;
  reply({ kind: 'committed', path, results: await commit(request, writes, loaded) });
}

function reply(message: WriterReply): void {
  self.postMessage(pack(message));
}

async function commit(
  request: CommitRequest,
  writes: readonly Write[],
  loaded: LoadedChanges | undefined,
): Promise<WriteResult[]> {
  try {
    const database = databaseAt(request.path);
    const applyChange = loaded ? changesOn(database, loaded) : refuseChange;
    let records: IdRecords | undefined;
    const values = await transaction(database, async () => {
      records = writes.some(createsPets) ? idRecordsOf(request, database) : undefined;
      const made: unknown[] = [];
      for (const write of writes) {
        const value = applyWrite(database, write, applyChange);
        made.push(value instanceof Promise ? await value : value);
      }
      records?.reserve();
      return made;
    });
    records?.record();
    return values.map((value) => ({ ok: true, value }));
  } catch (error) {
    const unavailable = isStorageFailure(error) || error instanceof StorageUnavailable;
    // One change that cannot be made must not take the others of its batch down with it.
    if (writes.length > 1 && !unavailable) {
      const results: WriteResult[] = [];
      for (const write of writes) results.push(...(await commit(request, [write], loaded)));
      return results;
    }
    const failure: WriteResult = { ok: false, unavailable, message: describe(error) };
    return writes.map(() => failure);
  }
}

function idRecordsOf({ path, ids }: CommitRequest, database: Database): IdRecords | undefined {
  if (!ids) return undefined;
  const records = idRecords.get(path) ?? new IdRecords(database, ids);
  idRecords.set(path, records);
  return records;
}

function changesOn(database: Database, [{ sqliteQueries }, { applyChange }]: LoadedChanges) {
  // Statements are run at once: a transaction ends before the thread turns to anything else.
  const queries = sqliteQueries(async (statement) =>
    activityWrites.runStatement(database, statement),
  );
  return (change: NamedChange) => applyChange(queries, change);
}

async function refuseChange(): Promise<never> {
  throw new Error('The changes of this transaction were not loaded.');
}

async function transaction<T>(database: Database, work: () => Promise<T>): Promise<T> {
  database.run('BEGIN IMMEDIATE');
  try {
    const value = await work();
    database.run('COMMIT');
    return value;
  } catch (error) {
    // SQLite ends the transaction on some failures, such as a full disk; a second
    // ROLLBACK would throw and hide the cause.
    if (database.inTransaction) database.run('ROLLBACK');
    throw error;
  }
}

function databaseAt(path: string): Database {
  const database = databases.get(path) ?? connect(path);
  databases.set(path, database);
  return database;
}

function close(database: Database, records: IdRecords | undefined): void {
  try {
    records?.close();
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What stays in the write-ahead log is durable there, and read back at the next start.
  }
  database.close();
}

function describe(error: unknown): string {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const code = cause instanceof SQLiteError ? `${cause.code}: ` : '';
  return code + messageOf(cause);
}
