import type { Engine } from './access.ts';
import type { Table } from './columns.ts';
import { TABLES, type TableName } from './schema.ts';
import { numbered, type Selection, type SelectionValue, type Statement } from './selection.ts';

/** Rows that are deleted in one statement, which neither holds up other changes nor takes too long. */
const DELETED_AT_ONCE = 1_000;

/** Rows of a window: more than that, since not all are deleted, and each transaction waits for the disk. */
const WINDOW = 5_000;

/**
 * Deletes rows that an index finds, batch by batch, each in a transaction of its own. What is interrupted is
 * continued by deleting again. May raise `StorageUnavailable`.
 * @param condition in SQL that both engines know; `?` stands for a value.
 */
export async function deleteInBatches(
  access: Pick<Engine, 'run'>,
  table: TableName,
  condition: string,
  ...values: SelectionValue[]
): Promise<void> {
  // Twice: on a sharded database the outer one finds the shard.
  const statement = withKey(
    table,
    (key) => `DELETE FROM ${table} WHERE ${condition} AND (${key}) IN
      (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE})`,
  );
  // A batch that is not full was the last, although rows may be added meanwhile.
  while ((await access.run(statement, ...values, ...values)) >= DELETED_AT_ONCE);
}

/**
 * Deletes rows that no index finds: it passes over the table once, window by window, and deletes those of each
 * window in a transaction of its own. Rows that are added meanwhile may stay. May raise `StorageUnavailable`.
 * @param condition in SQL that both engines know; `?` stands for a value.
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

/** The key of the last row of a window; nothing in the last window. */
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
 * A statement with the columns by which each engine finds single rows.
 * @param write given them as a list, and a row of as many values.
 */
function withKey(table: TableName, write: (key: string, row: string) => string): Statement {
  const { primaryKey, sequence }: Table = TABLES[table];
  const written = (columns: readonly string[]) =>
    write(columns.join(', '), `(${columns.map(() => '?').join(', ')})`);
  // In a data folder the number is the primary key.
  return {
    sqlite: written(sequence ? [sequence.column] : primaryKey),
    postgres: numbered(written(primaryKey)),
  };
}
