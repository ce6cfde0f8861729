import { TABLE_NAMES, TABLES, type TableName } from '../../../src/storage/schema/schema.ts';
import type { Backend } from './backend.ts';

/**
 * Counts the rows whose column has this value, by table of the accounts file; tables without such rows are left out.
 * @param columnOf the column to compare; `undefined` for a table that is not counted.
 */
export async function rowCounts(
  backend: Backend,
  columnOf: (table: TableName, columns: object) => string | undefined,
  value: string,
): Promise<Record<string, number>> {
  const queries = await backend.queries();
  const counts: Record<string, number> = {};
  for (const name of TABLE_NAMES) {
    const { file, columns } = TABLES[name];
    const column = columnOf(name, columns);
    if (file !== 'accounts' || column === undefined) continue;
    const { ref, table } = queries.dynamic;
    const { rows } = await queries
      .selectFrom(table(name).as('rows'))
      .select((select) => select.fn.countAll<number>().as('rows'))
      .where(ref(column), '=', value)
      .executeTakeFirstOrThrow();
    if (rows > 0) counts[name] = rows;
  }
  return counts;
}
