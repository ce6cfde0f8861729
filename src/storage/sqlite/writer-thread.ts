import { type Database, SQLiteError } from 'bun:sqlite';
import { messageOf } from '../../core/errors.ts';
import { connect } from './database.ts';
import { isStorageFailure } from './failures.ts';
import {
  applyWrite,
  type Posted,
  pack,
  unpack,
  type Write,
  type WriteResult,
  type WriterReply,
  type WriterRequest,
} from './writer-protocol.ts';

/**
 * The writer thread: the only place that changes the database files of this process. It commits
 * whatever has queued up in one transaction (group commit), so that many share one fsync.
 */
declare const self: Worker;

const databases = new Map<string, Database>();

self.onmessage = ({ data }: MessageEvent<Posted<WriterRequest>>) => {
  const request = unpack(data);
  if (request.kind === 'close') {
    for (const database of databases.values()) close(database);
    reply({ kind: 'closed' });
    return;
  }
  const { path, writes } = request;
  reply({ kind: 'committed', path, results: commit(path, writes) });
};

function reply(message: WriterReply): void {
  self.postMessage(pack(message));
}

function commit(path: string, writes: readonly Write[]): WriteResult[] {
  try {
    const database = databaseAt(path);
    return transaction(database, () => writes.map((write) => applyWrite(database, write))).map(
      (value) => ({ ok: true, value }),
    );
  } catch (error) {
    const unavailable = isStorageFailure(error);
    // One change that cannot be made must not take the others of its batch down with it.
    if (writes.length > 1 && !unavailable) return writes.flatMap((write) => commit(path, [write]));
    const failure: WriteResult = { ok: false, unavailable, message: describe(error) };
    return writes.map(() => failure);
  }
}

function transaction<T>(database: Database, work: () => T): T {
  database.run('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.run('COMMIT');
    return value;
  } catch (error) {
    // SQLite ends the transaction by itself on some failures, such as a full disk; a second
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

function close(database: Database): void {
  try {
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What stays in the write-ahead log is durable there, and read back at the next start.
  }
  database.close();
}

function describe(error: unknown): string {
  const code = error instanceof SQLiteError ? `${error.code}: ` : '';
  return code + messageOf(error);
}
