import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { ID_SEQUENCES, type NumberedTable } from '../numbered-tables.ts';
import { TABLES as SCHEMA, TABLE_NAMES, type TableName } from '../schema/schema.ts';

/** A value of either database: integers as bigint, bytes as a Buffer. */
export type Value = string | bigint | Buffer | null;

/** A table to migrate, with its names, which are the same in both engines. */
export interface Table {
  readonly name: string;
  /** The file of the data folder with the table. In PostgreSQL both environments share one table. */
  readonly file: 'accounts' | Environment;
  /** Its columns, starting with those of the primary key. */
  readonly columns: readonly string[];
  /** The number of columns of the primary key. */
  readonly keyLength: number;
  /** The index of the column whose bucket PostgreSQL stores in a separate column. */
  readonly bucketedBy?: number | undefined;
  /** Columns stored as JSON strings in PostgreSQL, whose text type does not support U+0000. */
  readonly asJson?: readonly string[];
  /** The sequence that generates the numbers of this column; it continues after the highest assigned number. */
  readonly sequence?: { readonly name: string; readonly column: string } | undefined;
}

/** Tables that are not migrated, because the servers of the new database start with empty caches. */
const LEFT_BEHIND: readonly string[] = ['revision', 'changes', 'pet_changes', 'usage_sources'];

function tableOf(name: TableName, file: Table['file']): Table {
  const definition: (typeof SCHEMA)[TableName] & {
    sequence?: NonNullable<Table['sequence']>;
  } = SCHEMA[name];
  const { columns, primaryKey, sequence } = definition;
  const isKey = (column: string) => primaryKey.some((part) => part === column);
  const others = Object.keys(columns).filter((column) => !isKey(column));
  return {
    name,
    file,
    columns: [...primaryKey, ...others],
    keyLength: primaryKey.length,
    ...(name === 'pets' && { bucketedBy: [...primaryKey, ...others].indexOf('id') }),
    ...(name === 'messages' && { asJson: ['text'] }),
    sequence: isNumbered(name) ? { name: `${file}_${ID_SEQUENCES[name]}`, column: 'id' } : sequence,
  };
}

function isNumbered(name: TableName): name is NumberedTable {
  return name in ID_SEQUENCES;
}

/** The tables to migrate, ordered so that no row refers to one that is not migrated yet. */
export const TABLES: readonly Table[] = (['accounts', ...ENVIRONMENTS] as const).flatMap((file) =>
  TABLE_NAMES.filter((name) => SCHEMA[name].file === (file === 'accounts' ? file : 'environment'))
    .filter((name) => !LEFT_BEHIND.includes(name))
    .map((name) => tableOf(name, file)),
);

/** The name of a table in progress messages and reports. */
export function titleOf({ name, file }: Table): string {
  return file === 'accounts' ? name : `${name} of ${file}`;
}
