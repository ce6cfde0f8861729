import { SQLiteError } from 'bun:sqlite';
import { StorageUnavailable } from '../../core/errors.ts';

/** SQLite's codes for a disk, a file or a lock that is not as it should be, with all their kinds. */
const STORAGE_FAILURE =
  /^SQLITE_(FULL|IOERR|BUSY|LOCKED|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL)(_|$)/;

/** Whether the storage failed, rather than what was asked of it: the same may work in a moment. */
export function isStorageFailure(error: unknown): boolean {
  return error instanceof SQLiteError && STORAGE_FAILURE.test(error.code ?? '');
}

/** SQLite's error because of which the storage failed, or `undefined` when something else did. */
export function causeOfFailure(error: unknown): SQLiteError | undefined {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  return cause instanceof SQLiteError ? cause : undefined;
}

/** The damage of a file because of which SQLite failed, or `undefined` when something else did. */
export function damageIn(error: unknown): string | undefined {
  const cause = causeOfFailure(error);
  return /^SQLITE_(CORRUPT|NOTADB)(_|$)/.test(cause?.code ?? '') ? cause?.message : undefined;
}
