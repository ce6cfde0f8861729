import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely';
import type { ColumnKind } from './columns.ts';
import { type Database, TABLES, type TableName } from './schema.ts';

/** A handwritten statement, for each engine. */
export interface Statement {
  readonly sqlite: string;
  readonly postgres: string;
}

/** A handwritten query whose rows are typed by the schema; for the start and the request path. */
export interface Selection<Row> extends Statement {
  /** Only for typing. */
  readonly row?: Row;
}

/** A value for a parameter of a selection. */
export type SelectionValue = string | number | bigint | Buffer;

type ColumnName<Name extends TableName> = keyof Selectable<Database[Name]> & string;

/**
 * Selects columns of one table. Integers are read as doubles, which is several times faster than as bigints.
 * @param rest the SQL after the table's name, which both engines must understand; `?` stands for a value.
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

/** Replaces each `?` in the statement by `$1`, `$2` and so on. */
export function numbered(sql: string): string {
  let parameters = 0;
  return sql.replaceAll('?', () => {
    parameters += 1;
    return `$${parameters}`;
  });
}

/**
 * The condition that a column contains this text, which must not be empty; the case of ASCII letters is ignored.
 * Removing the text changes a value only if it contains the text. LIKE has wildcards, and on SQLite its patterns end at
 * U+0000.
 */
export function containsText<Table extends TableName>(
  { eb, fn, val }: ExpressionBuilder<Database, Table>,
  column: Expression<string>,
  text: string,
): Expression<SqlBool> {
  const value = fn<string>('lower', [column]);
  const rest = fn<string>('replace', [value, fn('lower', [val(text)]), val('')]);
  return eb(rest, '<>', value);
}
