import { SQLiteError } from 'bun:sqlite';

/** SQLite's codes for a disk, a file or a lock that is not as it should be, with all their kinds. */
const STORAGE_FAILURE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL)(_|$)/;

/** Whether the storage failed, rather than what was asked of it: the same may work in a moment. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof SQLiteError && STORAGE_FAILURE.test(error.code ?? '');
}

/** Whether SQLite found that a file is damaged. */
export function isDamage(error: unknown): error is SQLiteError {
  return error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(error.code ?? '');
}
