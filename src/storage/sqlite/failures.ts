import { SQLiteError } from 'bun:sqlite';
import { StorageUnavailable } from '../../core/errors.ts';

/** SQLite's codes for problems of a disk, a file or a lock, with their extended codes. */
const STORAGE_FAILURE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL)(_|$)/;

/** Whether the storage failed rather than the statement, so that a later retry may succeed. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof SQLiteError && STORAGE_FAILURE.test(error.code ?? '');
}

/** The SQLite error that made the storage fail, or `undefined` for another error. */
export function causeOfFailure(error: unknown): SQLiteError | undefined {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  return cause instanceof SQLiteError ? cause : undefined;
}

/** The damage to a file that made SQLite fail, or `undefined` for another error. */
export function damageIn(error: unknown): string | undefined {
  const cause = causeOfFailure(error);
  return /^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(cause?.code ?? '') ? cause?.message : undefined;
}
