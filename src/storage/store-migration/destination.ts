import type { Environment } from '../../core/environments.ts';
import { OperatorError } from '../../core/errors.ts';
import { bucketOf } from '../pets/buckets.ts';
import type { PostgresDatabase } from '../postgres/database.ts';
import { IN_USE } from '../postgres/distribution.ts';
import type { Queries } from '../postgres/queries.ts';
import {
  isStoreMigrationUnfinished,
  STORE_MIGRATION_PROGRESS,
} from '../postgres/store-migration-state.ts';
import { recordTakenIds } from '../postgres/taken-ids.ts';
import { plain } from './digest.ts';
import { type Table, titleOf, type Value } from './tables.ts';

/** The progress of one table. */
export interface Progress {
  readonly rows: number;
  /** The key of the last migrated row. */
  readonly after: readonly Value[] | undefined;
}

/** The PostgreSQL database that rows are migrated to. Each call may raise `StorageUnavailable`. */
export class Destination {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /**
   * Creates the table for the progress, unless an earlier run did.
   * @throws OperatorError when the database has already been used.
   */
  async begin(): Promise<void> {
    if (await isStoreMigrationUnfinished(this.#database)) return;
    for (const table of IN_USE) {
      if (!(await this.#database.get(`SELECT 1 FROM ${table} LIMIT 1`))) continue;
      throw new OperatorError(
        'The database of PETSTORE_DATABASE_URL is in use already. Name an empty one.',
      );
    }
    await this.#database.run(
      `CREATE TABLE IF NOT EXISTS ${STORE_MIGRATION_PROGRESS} (name TEXT PRIMARY KEY, rows BIGINT NOT NULL, after TEXT)`,
    );
  }

  async progress(table: Table): Promise<Progress> {
    const row = await this.#database.get<{ rows: bigint; after: string }>(
      `SELECT rows, after FROM ${STORE_MIGRATION_PROGRESS} WHERE name = $1`,
      titleOf(table),
    );
    return row
      ? { rows: Number(row.rows), after: readKey(row.after) }
      : { rows: 0, after: undefined };
  }

  /** Adds rows and records the progress, in one transaction. */
  async add(table: Table, rows: readonly Value[][], before: Progress): Promise<Progress> {
    const after = rows.at(-1)?.slice(0, table.keyLength);
    if (!after) return before;
    const progress = { rows: before.rows + rows.length, after };
    await this.#database.transaction(async (queries) => {
      await insert(queries, table, rows);
      await queries.run(
        `INSERT INTO ${STORE_MIGRATION_PROGRESS} (name, rows, after) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, after = excluded.after`,
        ...[titleOf(table), progress.rows, writeKey(after)],
      );
    });
    return progress;
  }

  /** Continues the sequence after this number. */
  async continueAfter(sequence: string, highest: bigint): Promise<void> {
    if (highest > 0n)
      await this.#database.get('SELECT setval($1::regclass, $2)', sequence, highest);
  }

  async rowsAfter(
    table: Table,
    after: readonly Value[] | undefined,
    limit: number,
  ): Promise<Value[][]> {
    const keys = table.columns.slice(0, table.keyLength).join(', ');
    const values = [...(after ?? [])];
    const holes = values.map((_, index) => `$${index + 1}`).join(', ');
    const conditions = [
      ...(table.file === 'accounts' ? [] : [`environment = '${table.file}'`]),
      ...(after === undefined ? [] : [`(${keys}) > (${holes})`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await this.#database.all<Record<string, unknown>>(
      `SELECT ${table.columns.join(', ')} FROM ${table.name} ${where} ORDER BY ${keys} LIMIT ${limit}`,
      ...values,
    );
    return rows.map((row) => table.columns.map((name) => readCell(row[name])));
  }

  /**
   * Deletes the progress after everything was migrated.
   * @param highestIds the highest id that was assigned to a pet, by environment.
   */
  async finish(highestIds: ReadonlyMap<Environment, bigint>): Promise<void> {
    await this.#database.transaction(async (queries) => {
      for (const [environment, id] of highestIds) await recordTakenIds(queries, environment, id);
      await queries.run(`DROP TABLE ${STORE_MIGRATION_PROGRESS}`);
    });
  }
}

async function insert(queries: Queries, table: Table, rows: readonly Value[][]): Promise<void> {
  const { name, file, bucketedBy } = table;
  const columns = [
    ...(file === 'accounts' ? [] : ['environment']),
    ...(bucketedBy === undefined ? [] : ['bucket']),
    ...table.columns,
  ];
  const values = rows.flatMap((row) => [
    ...(file === 'accounts' ? [] : [file]),
    ...(bucketedBy === undefined ? [] : [bucketOf(Number(row[bucketedBy]))]),
    ...row,
  ]);
  const holes = rows.map((_, row) => {
    const first = row * columns.length + 1;
    return `(${columns.map((_column, index) => `$${first + index}`).join(', ')})`;
  });
  // Only rows that the first start creates can already exist.
  const onConflict =
    name === 'settings' ? 'ON CONFLICT (name) DO UPDATE SET value = excluded.value' : '';
  await queries.run(
    `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${holes.join(', ')} ${onConflict}`,
    ...values,
  );
}

function readCell(cell: unknown): Value {
  if (cell === null || typeof cell === 'string' || typeof cell === 'bigint') return cell;
  if (typeof cell === 'number') return BigInt(cell);
  if (cell instanceof Uint8Array) return Buffer.from(cell);
  throw new Error(`PostgreSQL gave a value of type ${typeof cell}.`);
}

/** Keys consist of texts and integers. */
function writeKey(key: readonly Value[]): string {
  return JSON.stringify(key.map(plain));
}

function readKey(text: string): Value[] {
  const parts: Array<string | { number: string }> = JSON.parse(text);
  return parts.map((part) => (typeof part === 'string' ? part : BigInt(part.number)));
}
