import { Database, SQLiteError } from 'bun:sqlite';
import { SetupError } from '../core/errors.ts';

/** Something held by this process alone until it is released, or the process ends in any way. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock at this path; `undefined` when another process has it. SQLite is the lock manager
 * here: the operating system drops its file locks with the process, also after SIGKILL.
 * @throws SetupError when the file cannot be locked.
 */
export function takeLock(path: string): Lock | undefined {
  let database: Database | undefined;
  try {
    database = new Database(path, { create: true, readwrite: true });
    database.run('PRAGMA busy_timeout = 0');
    database.run('PRAGMA journal_mode = MEMORY');
    database.run('BEGIN EXCLUSIVE');
    const held = database;
    return { release: () => held.close() };
  } catch (cause) {
    database?.close();
    if (!(cause instanceof SQLiteError)) throw cause;
    if (cause.code === 'SQLITE_BUSY') return undefined;
    throw new SetupError(`Cannot lock ${path}: ${cause.message}. Move it away.`, { cause });
  }
}
