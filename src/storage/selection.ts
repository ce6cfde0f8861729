import type { Selectable } from 'kysely';
import type { ColumnKind } from './columns.ts';
import { type Database, TABLES, type TableName } from './schema.ts';

/** A statement written by hand, for each engine. */
export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
}

/** One whose rows the schema types; for the start and the request path. */
export interface Selection<Row> extends Statement {
  /** Only a type. */
  readonly row?: Row;
}

/** What the statements of a selection may be given. */
export type SelectionValue = string | number | bigint | Buffer;

type ColumnName<Name extends TableName> = keyof Selectable<Database[Name]> & string;

/**
 * Selects columns of one table. Integers are read as doubles, which takes a fraction of the time of a
 * bigint.
 * @param rest what follows the table's name, in SQL that both engines know; `?` stands for a value.
 */
export function select<Name extends TableName, C extends ColumnName<Name>>(
  table: Name,
  columns: readonly C[],
  rest: string,
): Selection<Pick<Selectable<Database[Name]>, C>> {
  const kinds: Readonly<Record<string, { readonly kind: ColumnKind }>> = TABLES[table].columns;
  const list = (asDouble: (column: string) => string) =>
    columns
      .map((column) =>
        kinds[column]?.kind === 'integer' ? `${asDouble(column)} AS ${column}` : column,
      )
      .join(', ');
  return {
    sqlite: `SELECT ${list((column) => `CAST(${column} AS REAL)`)} FROM ${table} ${rest}`,
    postgres: numbered(`SELECT ${list((column) => `${column}::float8`)} FROM ${table} ${rest}`),
  };
}

/** The same statement with `$1`, `$2` and so on for each `?`. */
export function numbered(sql: string): string {
  let parameters = 0;
  return sql.replaceAll('?', () => {
    parameters += 1;
    return `$${parameters}`;
  });
}
