import type { Insertable } from 'kysely';
import { ROWS_PER_STATEMENT } from '../../lib/chunks.ts';
import type { Table } from './columns.ts';
import { type Database, TABLES, type TableName } from './schema.ts';
import { forPostgres, numbered, type Statement } from './selection.ts';

/**
 * A handwritten change for many rows. SQLite runs it once for each row, with the columns as parameters, in one
 * transaction; PostgreSQL runs it once, with all rows as the last parameter (`jsonOf`).
 */
export interface RowsStatement<Row> extends Statement {
  /** What it writes, in the plural, for `WriteKinds`. */
  readonly kind: string;
  readonly columns: ReadonlyArray<keyof Row & string>;
  /** Changes `ROWS_PER_STATEMENT` rows, which takes SQLite less time than as many statements. */
  readonly sqliteForMany?: string | undefined;
  /** Changes a row that exists, with the same parameters. SQLite runs it first, and `sqlite` if there is no such row. */
  readonly sqliteUpdate?: string | undefined;
  /** Only for typing. */
  readonly row?: Row;
}

/** A statement that inserts rows. */
export interface Insertion<Row> extends RowsStatement<Row> {
  /** Its parts, from which other forms for a sharded PostgreSQL are made. */
  readonly parts: {
    readonly into: string;
    /** Selects the rows from the parameters. */
    readonly given: string;
    readonly conflict: string;
    readonly isUpsert: boolean;
    /** Whether rows of accounts that do not exist are dropped. */
    readonly isOfAccounts: boolean;
  };
}

/** What happens to an existing row with the same primary key. Without either, it stays as it is. */
interface Conflict<C extends string> {
  /** These columns get the new values. */
  readonly replace?: readonly C[];
  /** The new values, 0 if absent, are added to those of these columns. */
  readonly add?: readonly C[];
}

type ColumnName<Name extends TableName> = keyof Insertable<Database[Name]> & string;
/** What is absent is NULL, or 0 if it is added to a count. */
type GivenRow<Name extends TableName, C extends ColumnName<Name>> = {
  readonly [Each in C]?: Insertable<Database[Name]>[Each] | undefined;
};

/**
 * Inserts rows into a table, in the given order. Rows with an `account_id` are dropped if the account was deleted in
 * the meantime. In PostgreSQL, rows of tables that each environment has get its name.
 */
export function insertion<Name extends TableName, C extends ColumnName<Name>>(
  kind: string,
  table: Name,
  columns: readonly C[],
  { replace = [], add = [] }: Conflict<C> = {},
): Insertion<GivenRow<Name, C>> {
  const { file, primaryKey }: Table = TABLES[table];
  const environment = file === 'environment' ? ['environment'] : [];
  const names: readonly string[] = columns;
  const accountAt = names.indexOf('account_id') + 1;
  const isOfAccounts = accountAt > 0;
  const added: ReadonlySet<string> = new Set(add);
  const values = (write: (column: string, index: number) => string) =>
    columns.map((column, index) => {
      const value = write(column, index);
      return added.has(column) ? `coalesce(${value}, 0)` : value;
    });
  const onConflict = (key: readonly string[]) => {
    const changes = [
      ...replace.map((column) => `${column} = excluded.${column}`),
      ...add.map((column) => `${column} = ${table}.${column} + excluded.${column}`),
    ];
    if (changes.length === 0) return 'ON CONFLICT DO NOTHING';
    return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes.join(', ')}`;
  };
  const parameters = values((_, index) => `?${index + 1}`).join(', ');
  // The request log of a data folder is a file without accounts.
  const readsAccount = isOfAccounts && file === 'accounts';
  const one = readsAccount
    ? `SELECT ${parameters} FROM accounts WHERE id = ?${accountAt}`
    : `VALUES (${parameters})`;
  const oneOfMany = `(${values(() => '?').join(', ')})`;
  const write = (rows: string) =>
    `INSERT INTO ${table} (${columns.join(', ')}) ${rows} ${onConflict(primaryKey)}`;
  const into = `INSERT INTO ${table} (${[...environment, ...columns].join(', ')})`;
  const selected = [...environment.map(() => '?'), ...values((column) => `given.${column}`)];
  const given = numbered(`SELECT ${selected.join(', ')} FROM ${givenRows(table, columns)}
    ${isOfAccounts ? 'JOIN accounts ON accounts.id = given.account_id' : ''} ORDER BY given.place`);
  const conflict = onConflict([...environment, ...primaryKey]);
  return {
    kind,
    columns,
    sqlite: write(one),
    ...(!readsAccount && {
      sqliteForMany: write(`VALUES ${Array(ROWS_PER_STATEMENT).fill(oneOfMany).join(', ')}`),
    }),
    ...(add.length > 0 && { sqliteUpdate: additionTo(table, columns, add) }),
    postgres: `${into} ${given} ${conflict}`,
    parts: {
      into,
      given,
      conflict,
      isUpsert: replace.length + add.length > 0,
      isOfAccounts,
    },
  };
}

/** SQLite's statement that adds to the counts of an existing row. */
function additionTo(
  table: TableName,
  columns: readonly string[],
  counts: readonly string[],
): string {
  const { primaryKey }: Table = TABLES[table];
  const parameter = (column: string) => `?${columns.indexOf(column) + 1}`;
  const additions = counts.map(
    (column) => `${column} = ${column} + coalesce(${parameter(column)}, 0)`,
  );
  const key = primaryKey.map((column) => `${column} = ${parameter(column)}`);
  return `UPDATE ${table} SET ${additions.join(', ')} WHERE ${key.join(' AND ')}`;
}

/**
 * Changes the rows of a table by given rows.
 * @param write receives a table of given rows, named `given`, with these columns.
 */
export function changeByRows<Name extends TableName, C extends ColumnName<Name>>(
  kind: string,
  table: Name,
  columns: readonly C[],
  write: (given: string) => string,
): RowsStatement<GivenRow<Name, C>> {
  const one = columns.map((column) => `? AS ${column}`).join(', ');
  return {
    kind,
    columns,
    sqlite: write(`(SELECT ${one}) AS given`),
    postgres: forPostgres(table, write(givenRows(table, columns))),
  };
}

/** Rows in one JSON parameter of PostgreSQL, because an array for each column takes longer to send. */
export function givenRows(table: TableName, columns: readonly string[], parameter = '?'): string {
  const kinds: Table['columns'] = TABLES[table].columns;
  const definitions = columns.map((name) => {
    const isText = kinds[name]?.kind === 'text';
    return `${name} ${isText ? 'text' : 'bigint'}`;
  });
  return `ROWS FROM (json_to_recordset(${parameter}::text::json) AS (${definitions.join(', ')}))
    WITH ORDINALITY AS given (${columns.join(', ')}, place)`;
}

/** The rows as the parameter of PostgreSQL, whose text type does not support U+0000. */
export function jsonOf(rows: readonly unknown[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\u0000')) return json;
  // An escaped backslash is matched first, so that the text \u0000 itself is not replaced.
  return json.replaceAll(/\\\\|\\u0000/g, (found) => (found === '\\\\' ? found : '\\ufffd'));
}

/** The values of all rows in one array, those of each row in the order of the columns. */
export function valuesOf<Row>(
  { columns }: RowsStatement<Row>,
  rows: readonly Row[],
): Array<string | number | null> {
  const values: Array<string | number | null> = [];
  for (const row of rows) {
    for (const column of columns) {
      const value: unknown = row[column];
      values.push(typeof value === 'string' || typeof value === 'number' ? value : null);
    }
  }
  return values;
}

const MARK = `INSERT INTO usage_sources AS noted (id, batch, hour) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, hour = excluded.hour
  WHERE noted.batch < excluded.batch`;

/**
 * Records a batch as the latest of its source; changes no row if it was added before, by a commit whose reply was lost.
 * The values are the source, the number and the hour of a `NumberedBatch`.
 */
export const MARK_BATCH: Statement = { sqlite: MARK, postgres: numbered(MARK) };
