import { Database, SQLiteError } from 'bun:sqlite';
import { OperatorError } from '../core/errors.ts';
import { inspect } from './database.ts';
import type { Schema } from './migrations.ts';

/**
 * Copies a database file as it stands at one moment, while others go on writing to it. The copy is
 * checked whole before this returns.
 * @throws OperatorError when the file cannot be read, or the copy cannot be written or is damaged.
 */
export function snapshot(source: string, target: string, schema: Schema): void {
  try {
    copy(source, target);
    inspect(target, schema, true);
  } catch (cause) {
    if (!(cause instanceof SQLiteError)) throw cause;
    throw new OperatorError(`Cannot copy ${source}: ${cause.message}.`, { cause });
  }
}

function copy(source: string, target: string): void {
  const database = new Database(source, { readwrite: true });
  try {
    database.run('PRAGMA busy_timeout = 5000');
    database.query('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}
