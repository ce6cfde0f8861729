import type { Access } from './access.ts';
import { TABLES, type TableName } from './schema.ts';
import type { SelectionValue } from './selection.ts';

/** Rows that are deleted in one statement, which neither holds up other changes nor takes too long. */
const DELETED_AT_ONCE = 1_000;

/**
 * Deletes rows batch by batch, each in a transaction of its own. What is interrupted is continued by
 * deleting again. May raise `StorageUnavailable`.
 * @param condition in SQL that both engines know; `?` stands for a value.
 */
export async function deleteInBatches(
  access: Pick<Access<unknown>, 'run'>,
  table: TableName,
  condition: string,
  ...values: SelectionValue[]
): Promise<void> {
  const key = TABLES[table].primaryKey.join(', ');
  // Twice: on a sharded database the outer one finds the shard.
  const statement = `DELETE FROM ${table} WHERE ${condition} AND (${key}) IN
    (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${DELETED_AT_ONCE})`;
  // A batch that is not full was the last, although rows may be added meanwhile.
  while ((await access.run(statement, ...values, ...values)) >= DELETED_AT_ONCE);
}
