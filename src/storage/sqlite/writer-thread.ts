import { type Database, SQLiteError } from 'bun:sqlite';
import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { lazyImport } from '../../lib/lazy.ts';
import type { NamedChange } from '../access.ts';
import { checkpoint, type LogState, logBytes } from './checkpoint.ts';
import { connect } from './database.ts';
import { damageIn, isStorageFailure } from './failures.ts';
import { openRecords, type Records } from './id-records.ts';
import {
  type CommitRequest,
  isRecorded,
  type Posted,
  pack,
  unpack,
  type Write,
  type WriteResult,
  type WriterReply,
  type WriterRequest,
} from './writer-protocol.ts';
import { WRITES } from './writes.ts';
import { statementWrites } from './writes-statements.ts';

/**
 * The writer thread: the only place that changes the database files of this process. It commits all queued changes in
 * one transaction (group commit), so that many share one fsync.
 */
declare const self: Worker;

const databases = new Map<string, Database>();

/** The records of the databases that this thread has changed, by path. */
const openedRecords = new Map<string, Records>();

/**
 * The code of the changes that both engines share; loaded at the first of them, or earlier on request. If loading fails
 * the thread ends and the next one tries again, because the runtime keeps a failed import.
 */
const loadChanges = lazyImport(() =>
  Promise.all([import('../schema/kysely.ts'), import('../shared-stores.ts')]),
);
type LoadedChanges = Awaited<ReturnType<typeof loadChanges>>;

/** Settles with the latest request; requests are handled one after the other. */
let last: Promise<void> = Promise.resolve();

self.onmessage = ({ data }: MessageEvent<Posted<WriterRequest>>) => {
  const request = unpack(data);
  last = last.then(() => handle(request));
};

async function handle(request: WriterRequest): Promise<void> {
  if (request.kind === 'close') {
    for (const [path, database] of databases) close(database, openedRecords.get(path));
    databases.clear();
    openedRecords.clear();
    reply({ kind: 'closed' });
    return;
  }
  if (request.kind === 'load') {
    await loadChanges();
    reply({ kind: 'loaded' });
    return;
  }
  if (request.kind === 'checkpoint') {
    const { path } = request;
    reply({ kind: 'checkpointed', path, log: lookAtLog(path) });
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

function lookAtLog(path: string): LogState {
  try {
    return checkpoint(databaseAt(path), path);
  } catch (error) {
    return { bytes: logBytes(path), isBehind: true, failure: describe(error) };
  }
}

async function commit(
  request: CommitRequest,
  writes: readonly Write[],
  loaded: LoadedChanges | undefined,
): Promise<WriteResult[]> {
  try {
    const database = databaseAt(request.path);
    const applyChange = loaded ? changesOn(database, loaded) : refuseChange;
    let records: Records | undefined;
    const values = await transaction(database, async () => {
      records = recordsFor(request, writes, database);
      const isReset = writes.some(({ name }) => name === 'resetEnvironment');
      records?.begin(isReset);
      const made: unknown[] = [];
      for (const write of writes) {
        const value = applyWrite(database, write, applyChange);
        made.push(value instanceof Promise ? await value : value);
      }
      records?.beforeCommit(isReset);
      if (writes.some(({ name }) => name === 'probe')) records?.probe();
      return made;
    });
    records?.afterCommit();
    return values.map((value) => ({ ok: true, value }));
  } catch (error) {
    const unavailable = isStorageFailure(error) || error instanceof StorageUnavailable;
    // One failing change must not make the other changes of its batch fail.
    if (writes.length > 1 && !unavailable) {
      const results: WriteResult[] = [];
      for (const write of writes) results.push(...(await commit(request, [write], loaded)));
      return results;
    }
    const damage = damageIn(error);
    if (damage !== undefined) forget(request.path);
    const failure: WriteResult = { ok: false, unavailable, message: describe(error), damage };
    return writes.map(() => failure);
  }
}

type Apply = (database: Database, input: Write['input']) => unknown;

/**
 * Runs a change; changes written for this engine run synchronously.
 * @param applyChange runs the changes that both engines share.
 */
function applyWrite(
  database: Database,
  write: Write,
  applyChange: (change: NamedChange) => Promise<unknown>,
): unknown {
  if (write.name === 'change') return applyChange(write.input);
  // The type of `Write` connects a name with its input, but the look-up by name does not keep this.
  return (WRITES[write.name] as Apply)(database, write.input);
}

function recordsFor(
  { path, recorded }: CommitRequest,
  writes: readonly Write[],
  database: Database,
): Records | undefined {
  if (!recorded || !writes.some((write) => isRecorded(write, recorded))) return undefined;
  const records = openedRecords.get(path) ?? openRecords(database, recorded);
  openedRecords.set(path, records);
  return records;
}

function changesOn(database: Database, [{ sqliteQueries }, { applyChange }]: LoadedChanges) {
  // Statements run synchronously, so a transaction ends before the thread handles anything else.
  const queries = sqliteQueries(async (statement) =>
    statementWrites.runStatement(database, statement),
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
    // SQLite rolls back the transaction on some failures, such as a full disk; another
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

/** Drops the state of a damaged file, which may be repaired in the meantime. */
function forget(path: string): void {
  openedRecords.get(path)?.abandon();
  openedRecords.delete(path);
  databases.get(path)?.close();
  databases.delete(path);
}

function close(database: Database, records: Records | undefined): void {
  try {
    records?.close();
  } catch {
    // The record is then not exact, as after a failure of the machine.
  }
  database.close();
}

function describe(error: unknown): string {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const code = cause instanceof SQLiteError ? `${cause.code}: ` : '';
  return code + messageOf(cause);
}
