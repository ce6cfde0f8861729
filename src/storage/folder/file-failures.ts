import { SQLiteError } from 'bun:sqlite';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import {
  errorCodeOf,
  messageOf,
  OperatorError,
  SetupError,
  StorageUnavailable,
} from '../../core/errors.ts';
import { damageIn, isStorageFailure } from '../sqlite/failures.ts';
import { adviceAbout, LINKED, LOCKED, linkTarget } from './failure-advice.ts';
import { findSystemCode } from './find-system-code.ts';

/** Codes of SQLite that name the cause; the others do not. */
const NAMED: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_FULL/, 'ENOSPC'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, LOCKED],
  [/^SQLITE_(IOERR_)?NOMEM/, 'ENOMEM'],
  [/^SQLITE_IOERR_((RD|UN|SHM)?LOCK|CHECKRESERVEDLOCK)$/, 'ENOLCK'],
];

/** Codes that neither the system nor SQLite knows. */
const OWN_CODES: readonly string[] = [LINKED, LOCKED];

/** The writer thread sends errors as text, which begins with the code. */
const CODE = /^(?:SQLITE_\w+|E[A-Z0-9]+)(?=: )/;

/**
 * The code of the system or of SQLite, if a file, folder or disk could not be used; `undefined` for any other error,
 * also for damage to a database.
 */
function failureCode(error: unknown): string | undefined {
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  if (cause instanceof OperatorError || damageIn(cause) !== undefined) return undefined;
  if (cause instanceof SQLiteError) return isStorageFailure(cause) ? cause.code : undefined;
  const code = errorCodeOf(cause) ?? CODE.exec(messageOf(cause))?.[0];
  return typeof code === 'string' && /^(SQLITE_|E[A-Z0-9]+$)/.test(code) ? code : undefined;
}

/** Whether a file, folder or disk could not be used, which says nothing about the data. */
export function isFileFailure(error: unknown): boolean {
  return failureCode(error) !== undefined;
}

/** The problem of a file failure with its cause and what to do, as sentences; otherwise the message. */
export function explainFailure(path: string, error: unknown): string {
  const code = failureCode(error);
  const cause = error instanceof StorageUnavailable ? error.cause : error;
  const message = messageOf(cause).replace(/\.$/, '');
  if (code === undefined) return `${message}.`;
  if (!code.startsWith('SQLITE_')) {
    const subject = cause instanceof Error && 'path' in cause ? String(cause.path) : path;
    return `${message}. ${adviceAbout(subject, code)}`;
  }
  const known = NAMED.find(([pattern]) => pattern.test(code))?.[1];
  const found = known === undefined ? findSystemCode(path) : { path, code: known };
  const codes = [code, found.code].filter(
    (each) => !OWN_CODES.includes(each) && !message.includes(each),
  );
  const shown = codes.length === 0 ? '' : ` (${codes.join(', ')})`;
  return `${message}${shown}. ${adviceAbout(found.path, found.code)}`;
}

/**
 * The error about a file or folder that cannot be used, with the cause and what to do.
 * @param what such as `open`.
 */
export function fileFailure(what: string, path: string, error: unknown): SetupError {
  return new SetupError(`Cannot ${what} ${path}: ${explainFailure(path, error)}`, { cause: error });
}

/**
 * Turns the failure of a file, folder or disk into an error for operators; returns any other error unchanged.
 * @param folder a data folder, with one of its files.
 */
export function asSetupError(
  folder: { readonly path: string; readonly accounts: string },
  error: unknown,
): unknown {
  if (!isFileFailure(error)) return error;
  const explained = explainFailure(folder.accounts, error);
  return new SetupError(`Cannot use the data folder ${folder.path}: ${explained}`, {
    cause: error,
  });
}

/**
 * Whether something is at the path.
 * @throws SetupError when that cannot be found out, for example because a folder is closed to this user, and when it is
 * a symbolic link that leads nowhere: what it leads to may only be unmounted.
 */
export function isThere(path: string): boolean {
  try {
    lstatSync(path);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return false;
    throw fileFailure('open', path, error);
  }
  try {
    statSync(path);
    return true;
  } catch (error) {
    throw fileFailure('open', path, error);
  }
}

/**
 * The text of the file at this path; `undefined` when there is none.
 * @throws SetupError when it cannot be read, and when it is a symbolic link that leads nowhere.
 */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (errorCodeOf(cause) === 'ENOENT' && linkTarget(path) === undefined) return undefined;
    throw fileFailure('read', path, cause);
  }
}
