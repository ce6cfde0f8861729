import { Database, SQLiteError } from 'bun:sqlite';
import { OperatorError } from '../../core/errors.ts';
import { explainFailure, isFileFailure } from '../folder/file-failures.ts';
import { connect, inspect } from './database.ts';
import type { Schema } from './migrations.ts';

/**
 * Copies a consistent state of a database file while other processes write to it. The complete copy is checked before
 * this returns.
 * @throws OperatorError when the file cannot be read, or the copy cannot be written or is damaged.
 */
export function snapshot(source: string, target: string, schema: Schema): void {
  try {
    copy(source, target);
    inspect(target, schema, { thorough: true });
  } catch (cause) {
    if (!(cause instanceof SQLiteError || isFileFailure(cause))) throw cause;
    throw new OperatorError(`Cannot copy ${source}: ${explainFailure(source, cause)}`, { cause });
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

/**
 * Deletes all sessions and password reset links in an accounts file that is not in use: sessions that ended after the
 * backup was made must not be restored with it.
 */
export function endSessions(path: string): void {
  const database = connect(path);
  try {
    const tables = database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE name IN ('sessions', 'verifications')",
      )
      .all();
    for (const { name } of tables) database.run(`DELETE FROM ${name}`);
  } finally {
    database.close();
  }
}

/** The contents of a checked database file. */
export interface Contents {
  /** The number of its schema steps. */
  readonly schema: number;
  /** The number of rows, by table. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Checks every page, index and reference of a file that is not in use, and counts its rows.
 * @throws OperatorError with the first problem.
 */
export function examine(path: string): Contents {
  const database = connect(path);
  try {
    const [found] = database.query('PRAGMA integrity_check(1)').values().flat();
    if (found !== 'ok') throw new OperatorError(String(found));
    const [dangling] = database.query('PRAGMA foreign_key_check').values();
    if (dangling) throw new OperatorError(`a row of ${dangling[0]} refers to none`);
    const tables = database
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all();
    const count = (sql: string) => Number(database.query(sql).values()[0]?.[0]);
    return {
      schema: count('PRAGMA user_version'),
      rows: Object.fromEntries(
        tables.map(({ name }) => [name, count(`SELECT count(*) FROM "${name}"`)]),
      ),
    };
  } finally {
    database.close();
  }
}
