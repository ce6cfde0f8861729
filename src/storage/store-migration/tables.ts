import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { TABLES as SCHEMA, type TableName } from '../schema.ts';

/** A value as both databases have it: whole numbers as bigint, bytes as a Buffer. */
export type Value = string | bigint | Buffer | null;

/** A table that is carried over, under the names that it has in both engines. */
export interface Table {
  readonly name: string;
  /** Which file of the data folder has it. In PostgreSQL both environments lie in one table. */
  readonly file: 'accounts' | Environment;
  /** Its columns; those of the primary key come first. */
  readonly columns: readonly string[];
  /** How many of the columns are the primary key. */
  readonly keyLength: number;
  /** The place of the column whose bucket PostgreSQL has in a column of its own. */
  readonly bucketedBy?: number | undefined;
  /** Columns whose text is stored as a JSON string in PostgreSQL, whose own text has no U+0000. */
  readonly asJson?: readonly string[];
  /** Gives the numbers of this column; it continues after the highest that was given. */
  readonly sequence?: { readonly name: string; readonly column: string } | undefined;
}

/** Of no use to another database: its servers begin with empty caches. */
const LEFT_BEHIND: readonly string[] = ['revision', 'changes'];

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
    sequence: name === 'pets' ? { name: `${file}_pet_ids`, column: 'id' } : sequence,
  };
}

/** Everything that is carried over, in an order in which no row refers to one that is yet to come. */
export const TABLES: readonly Table[] = (['accounts', ...ENVIRONMENTS] as const).flatMap((file) =>
  tableNames()
    .filter((name) => SCHEMA[name].file === (file === 'accounts' ? file : 'environment'))
    .filter((name) => !LEFT_BEHIND.includes(name))
    .map((name) => tableOf(name, file)),
);

function tableNames(): TableName[] {
  // The keys of an object literal are all that it has.
  return Object.keys(SCHEMA) as TableName[];
}

/** What a table is called in progress and in reports. */
export function titleOf({ name, file }: Table): string {
  return file === 'accounts' ? name : `${name} of ${file}`;
}
