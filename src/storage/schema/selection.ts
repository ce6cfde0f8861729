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

/** The type of the rows of a statement. */
export type RowOf<Of extends { readonly row?: unknown }> = NonNullable<Of['row']>;

/** A value for a parameter of a selection. */
export type SelectionValue = string | number | bigint | Buffer;

type ColumnName<Name extends TableName> = keyof Selectable<Database[Name]> & string;

/**
 * Selects columns of one table. Integers are read as doubles, which is several times faster than as bigints.
 * In PostgreSQL, the rows of tables that each environment has are selected by it; see `forPostgres`.
 * @param rest the SQL after the table's name, which both engines must understand; `?` stands for a value.
 */
export function select<Name extends TableName, C extends ColumnName<Name>>(
  table: Name,
  columns: readonly C[],
  rest: string,
): Selection<Pick<Selectable<Database[Name]>, C>> {
  const list = columnList({ table, columns });
  const from = `FROM ${table} ${orderedByColumns(table, rest)}`;
  return {
    sqlite: `SELECT ${list.sqlite} ${from}`,
    postgres: forPostgres(table, `SELECT ${list.postgres} ${from}`),
  };
}

/**
 * The same SQL, which sorts by the columns of the table. By their names alone it would sort by the selected values of
 * integers, which no index has in this order.
 */
function orderedByColumns(table: TableName, sql: string): string {
  return sql.replace(/\bORDER BY (.*?)(?= LIMIT\b|$)/, (_, list: string) => {
    const columns = list
      .split(', ')
      .map((name) => (name.includes('.') ? name : `${table}.${name}`));
    return `ORDER BY ${columns.join(', ')}`;
  });
}

/** Columns of a table, whose names in the rows begin with a prefix. */
interface SelectedColumns {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly prefix?: string;
}

/** Like `select`, of several tables. @param from the SQL after `FROM`. */
export function selectJoined<Row>(parts: readonly SelectedColumns[], from: string): Selection<Row> {
  const lists = parts.map((part) =>
    columnList({ ...part, columns: part.columns.map((column) => `${part.table}.${column}`) }),
  );
  const joined = (engine: 'sqlite' | 'postgres') =>
    `SELECT ${lists.map((list) => list[engine]).join(', ')} FROM ${from}`;
  return { sqlite: joined('sqlite'), postgres: numbered(joined('postgres')) };
}

/** The columns, of which each may begin with the name of the table. */
export function columnList({ table, columns, prefix = '' }: SelectedColumns): Statement {
  const kinds: Readonly<Record<string, { readonly kind: ColumnKind }>> = TABLES[table].columns;
  const list = (asDouble: (column: string) => string) =>
    columns
      .map((column) => {
        const name = column.slice(column.indexOf('.') + 1);
        const value = kinds[name]?.kind === 'integer' ? asDouble(column) : column;
        return value === name && prefix === '' ? name : `${value} AS ${prefix}${name}`;
      })
      .join(', ');
  return {
    sqlite: list((column) => `CAST(${column} AS REAL)`),
    postgres: list((column) => `${column}::float8`),
  };
}

/** A change of one table. @param sql in SQL that both engines understand; `?` stands for a value. */
export function statementOn(table: TableName, sql: string): Statement {
  return { sqlite: sql, postgres: forPostgres(table, sql) };
}

/**
 * A statement for PostgreSQL. If each environment has the table, the environment becomes the first condition of its first
 * `WHERE`, with a parameter before those of the other conditions.
 */
export function forPostgres(table: TableName, sql: string): string {
  const ofEnvironment =
    TABLES[table].file === 'environment' ? sql.replace('WHERE', 'WHERE environment = ? AND') : sql;
  return numbered(ofEnvironment);
}

/**
 * A statement on tables that each environment has, written for PostgreSQL: `$1` is the environment and, in statements on
 * pets, `$2` the bucket, in the first conditions or columns. A file has neither, nor locks on rows.
 */
export function inEnvironment<Row = never>(postgres: string): Selection<Row> {
  const isBucketed = postgres.includes('bucket');
  const sqlite = postgres
    .replaceAll(/\benvironment = \$1( AND bucket = \$2)?( AND |$)/g, (_found, _bucket, rest) =>
      rest === '' ? 'TRUE' : '',
    )
    .replaceAll(/\(environment, (bucket, )?/g, '(')
    .replaceAll(isBucketed ? '($1, $2, ' : '($1, ', '(')
    .replace(/ FOR UPDATE$/, '')
    .replaceAll(/\$(\d+)/g, '?$1');
  return { sqlite, postgres };
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
