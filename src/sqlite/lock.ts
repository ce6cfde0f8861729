import { Database, SQLiteError } from 'bun:sqlite';

/** Something held by this process alone until it is released, or the process ends in any way. */
export interface Lock {
  release(): void;
}

/**
 * Takes the lock at this path; `undefined` when another process has it. SQLite is the lock manager
 * here: the operating system drops its file locks with the process, also after SIGKILL.
 */
export function takeLock(path: string): Lock | undefined {
  const database = new Database(path, { create: true, readwrite: true });
  try {
    database.run('PRAGMA busy_timeout = 0');
    database.run('PRAGMA journal_mode = MEMORY');
    database.run('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (cause) {
    database.close();
    if (cause instanceof SQLiteError && cause.code === 'SQLITE_BUSY') return undefined;
    throw cause;
  }
}
