import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import type { Selection } from '../selection.ts';

/** Prepares a selection; its rows are those that the schema types. */
export function query<Row>(
  database: Database,
  { sqlite }: Selection<Row>,
): Statement<Row, SQLQueryBindings[]> {
  return database.query<Row, SQLQueryBindings[]>(sqlite);
}
