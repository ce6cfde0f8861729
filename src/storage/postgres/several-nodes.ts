import type { Statements } from './database.ts';
import { isTaken } from './failures.ts';
import type { Value } from './queries.ts';

/**
 * Inserts selected rows into a sharded database unless one of them exists. Without `ON CONFLICT` and `RETURNING`,
 * Citus copies the rows directly into their shards; with either it first writes a file for each shard, over a separate
 * connection, which takes 20 times as much CPU time. In a transaction, so that it is known that nothing was inserted
 * when a node fails.
 * @returns `false` if a row existed, so that none was inserted.
 */
export async function insertNew(
  statements: Statements,
  statement: string,
  ...values: Value[]
): Promise<boolean> {
  try {
    await statements.transaction((queries) => queries.run(statement, ...values));
    return true;
  } catch (error) {
    if (!isTaken(error)) throw error;
    return false;
  }
}

/**
 * Rows as literals for an upsert into a sharded database. It takes a tenth of the CPU time of an upsert from a select,
 * for which Citus writes files (see `insertNew`). They are not parameters: connections would keep a prepared statement
 * for every text.
 */
export function literalValues(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return `VALUES ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`;
}

function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const escaped = value.replaceAll('\0', '\ufffd').replaceAll('\\', '\\\\').replaceAll("'", "''");
  // With the E, the meaning of a backslash does not depend on the settings of the server.
  return `E'${escaped}'`;
}
