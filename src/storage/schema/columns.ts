import type { Int64 } from '../../lib/int64.ts';

/**
 * How a column is stored: `integer` is a whole number that a double represents exactly, `int64` any 64-bit integer,
 * `bytes` a BLOB or BYTEA.
 */
export type ColumnKind = 'text' | 'integer' | 'int64' | 'bytes';

export interface Column<Value> {
  readonly kind: ColumnKind;
  /** Only for typing: the type of the values. */
  readonly value?: Value;
}

/** A column that the database fills if an insert omits it. */
export interface GeneratedColumn<Value> extends Column<Value> {
  readonly generated: true;
}

export function text<Value extends string = string>(): Column<Value> {
  return { kind: 'text' };
}

export function optionalText<Value extends string = string>(): Column<Value | null> {
  return { kind: 'text' };
}

export function generatedText<Value extends string = string>(): GeneratedColumn<Value> {
  return { kind: 'text', generated: true };
}

export function integer(): Column<number> {
  return { kind: 'integer' };
}

export function optionalInteger(): Column<number | null> {
  return { kind: 'integer' };
}

export function generatedInteger(): GeneratedColumn<number> {
  return { kind: 'integer', generated: true };
}

export function int64(): Column<Int64> {
  return { kind: 'int64' };
}

export function bytes(): Column<Uint8Array> {
  return { kind: 'bytes' };
}

export function optionalBytes(): Column<Uint8Array | null> {
  return { kind: 'bytes' };
}

/** Columns of one kind, by their names. */
export function columnsOf<Name extends string, C extends Column<unknown>>(
  column: C,
  ...names: readonly Name[]
): Readonly<Record<Name, C>> {
  // Every name is mapped to the column, but `fromEntries` does not keep the type of the names.
  return Object.fromEntries(names.map((name) => [name, column])) as Record<Name, C>;
}

export interface Table {
  /** The database files with this table. In PostgreSQL, `environment` tables have a column of that name. */
  readonly file: 'accounts' | 'environment' | 'requests' | 'none';
  /**
   * How a sharded PostgreSQL distributes its rows: by this column, as a `reference` table (complete on every
   * node), or only on the `coordinator`. A column that is not among `columns` exists only in PostgreSQL.
   */
  readonly distributedBy: string;
  readonly primaryKey: readonly string[];
  /** In PostgreSQL, the sequence that generates the numbers of a column. */
  readonly sequence?: { readonly name: string; readonly column: string };
  readonly columns: Readonly<Record<string, Column<unknown>>>;
}

/** A table of the accounts file whose rows have an id, complete on every node of a sharded PostgreSQL. */
export const REFERENCE_BY_ID = {
  file: 'accounts',
  distributedBy: 'reference',
  primaryKey: ['id'],
} as const satisfies Partial<Table>;
