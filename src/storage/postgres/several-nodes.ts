import type { TableName } from '../schema/schema.ts';
import type { PostgresDatabase, Value } from './database.ts';
import { isTaken } from './failures.ts';

/**
 * Inserts selected rows into a sharded database unless one of them exists. Without `ON CONFLICT` and `RETURNING`,
 * Citus copies the rows directly into their shards; with either it first writes a file for each shard, over a separate
 * connection, which takes 20 times as much CPU time.
 * @returns `false` if a row existed, so that none was inserted.
 */
export async function insertNew(
  database: PostgresDatabase,
  statement: string,
  ...values: Value[]
): Promise<boolean> {
  try {
    await database.run(statement, ...values);
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
export function valuesOf(rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  return `VALUES ${rows.map((row) => `(${row.map(literal).join(', ')})`).join(', ')}`;
}

function literal(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const escaped = value.replaceAll('\0', '\ufffd').replaceAll('\\', '\\\\').replaceAll("'", "''");
  // With the E, the meaning of a backslash does not depend on the settings of the server.
  return `E'${escaped}'`;
}

/**
 * Runs a statement about rows of several owners.
 * @param owners for each item of a batch, its value in the column by which the table is distributed.
 * @throws NodeLost if a node of the sharded database that has one of the rows is lost.
 */
export async function onSeveralNodes<T>(
  { nodes }: PostgresDatabase,
  table: TableName,
  owners: readonly string[],
  run: () => Promise<T>,
): Promise<T> {
  await nodes?.requireReachable(table, owners);
  try {
    return await run();
  } catch (error) {
    throw nodes ? await nodes.failureOf(error, table, owners) : error;
  }
}
