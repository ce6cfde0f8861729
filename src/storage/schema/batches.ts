import type { Engine } from '../access.ts';
import type { Table } from './columns.ts';
import { TABLES, type TableName } from './schema.ts';
import { numbered, type Selection, type SelectionValue, type Statement } from './selection.ts';

/** Rows deleted in one statement: few enough not to delay other changes or to exceed the statement timeout. */
const DELETED_AT_ONCE = 1_000;

/** Rows per window: larger, because not all are deleted and each transaction waits for the disk. */
const WINDOW = 5_000;

/**
 * Deletes rows that an index can find, in batches, each in its own transaction. An interrupted deletion is continued
 * by calling this again. May raise `StorageUnavailable`.
 * @param condition in SQL that both engines understand; `?` stands for a value.
 */
export async function deleteInBatches(
  access: Pick<Engine, 'run'>,
  table: TableName,
  condition: string,
  ...values: SelectionValue[]
): Promise<void> {
  // The condition is repeated, because a sharded database finds the shard by the outer one.
  const statement = withKey(
    table,
    (key) => `DELETE FROM ${table} WHERE ${condition} AND (${key}) IN
      (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE})`,
  );
  // An incomplete batch is the last one, even if rows are added in the meantime.
  while ((await access.run(statement, ...values, ...values)) >= DELETED_AT_ONCE);
}

/**
 * Deletes rows that no index can find: scans the table once, window by window, and deletes the rows of each window in
 * its own transaction. Rows that are added in the meantime may remain. May raise `StorageUnavailable`.
 * @param condition in SQL that both engines understand; `?` stands for a value.
 */
export async function deleteInWindows(
  access: Pick<Engine, 'rows' | 'run'>,
  table: TableName,
  condition: string,
  ...values: SelectionValue[]
): Promise<void> {
  for (let after: readonly SelectionValue[] = []; ; ) {
    const isFirst = after.length === 0;
    const [last] = await access.rows(lastOfWindow(table, isFirst), ...after);
    const end = last ? Object.values(last) : [];
    const deletion = withKey(table, (key, row) => {
      const bounds = [
        ...(isFirst ? [] : [`(${key}) > ${row}`]),
        ...(last ? [`(${key}) <= ${row}`] : []),
      ];
      return `DELETE FROM ${table} WHERE ${[condition, ...bounds].join(' AND ')}`;
    });
    await access.run(deletion, ...values, ...after, ...end);
    if (!last) return;
    after = end;
  }
}

/** Selects the key of the last row of a window; no row in the last window. */
function lastOfWindow(
  table: TableName,
  isFirst: boolean,
): Selection<Readonly<Record<string, SelectionValue>>> {
  return withKey(
    table,
    (key, row) => `SELECT ${key} FROM ${table} ${isFirst ? '' : `WHERE (${key}) > ${row}`}
      ORDER BY ${key} LIMIT 1 OFFSET ${WINDOW - 1}`,
  );
}

/**
 * A statement with the columns by which each engine identifies a row.
 * @param write receives the list of columns, and a row with a placeholder for each.
 */
function withKey(table: TableName, write: (key: string, row: string) => string): Statement {
  const { primaryKey, sequence }: Table = TABLES[table];
  const written = (columns: readonly string[]) =>
    write(columns.join(', '), `(${columns.map(() => '?').join(', ')})`);
  // On SQLite the sequence number is the primary key.
  return {
    sqlite: written(sequence ? [sequence.column] : primaryKey),
    postgres: numbered(written(primaryKey)),
  };
}
