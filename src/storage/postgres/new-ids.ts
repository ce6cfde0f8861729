import type { Environment } from '../../core/environments.ts';
import { ID_SEQUENCES, type NumberedTable } from '../numbered-tables.ts';
import type { Queries } from './queries.ts';

/** Takes this many new ids for rows of a table, ascending. Unused ids are not assigned again. */
export async function newIds(
  queries: Queries,
  environment: Environment,
  table: NumberedTable,
  count: number,
): Promise<number[]> {
  const rows = await queries.all<{ id: number }>(
    `SELECT nextval('${environment}_${ID_SEQUENCES[table]}')::float8 AS id FROM generate_series(1, $1::int)`,
    count,
  );
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}
