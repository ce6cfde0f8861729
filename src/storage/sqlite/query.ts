import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import type { Selection } from '../selection.ts';

/** What a selection is on SQLite. */
export type SqliteSelection<Row> = Pick<Selection<Row>, 'sqlite' | 'row'>;

/** Prepares a selection. */
export function query<Row>(
  database: Database,
  { sqlite }: SqliteSelection<Row>,
): Statement<Row, SQLQueryBindings[]> {
  return database.query<Row, SQLQueryBindings[]>(sqlite);
}
