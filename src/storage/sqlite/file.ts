import type { Database, SQLQueryBindings } from 'bun:sqlite';
import { StorageUnavailable } from '../../core/errors.ts';
import type { NumberedBatch } from '../access.ts';
import type { Bindable } from '../schema/kysely.ts';
import { type RowsStatement, valuesOf } from '../schema/row-statements.ts';
import { type Expectations, openDatabase, query, type SqliteSelection } from './database.ts';
import { damageIn, isStorageFailure } from './failures.ts';
import type { Schema } from './migrations.ts';
import type { Writer } from './writer.ts';
import type { Write, WriteOutputs } from './writer-protocol.ts';

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** One database file: read in this thread, written in the writer thread. */
export class SqliteFile {
  readonly #path: string;
  readonly #writer: Writer;
  readonly #database: Database;
  /** Whether a snapshot is held: until this turn of the event loop ends, or until another kind of read. */
  #holdsSnapshot = false;

  readonly #onDamage: (finding: string) => void;

  /**
   * @param onDamage called when a read finds that the file is damaged.
   * @throws SetupError when the file cannot be used; see `openDatabase`.
   */
  constructor(
    path: string,
    schema: Schema,
    writer: Writer,
    { onDamage, ...expected }: Expectations & { readonly onDamage: (finding: string) => void },
  ) {
    this.#path = path;
    this.#writer = writer;
    this.#onDamage = onDamage;
    this.#database = openDatabase(path, schema, expected);
  }

  /** @throws StorageUnavailable */
  all<Row>(selection: SqliteSelection<Row>, ...values: SQLQueryBindings[]): Row[] {
    try {
      this.#endSnapshot();
      return query(this.#database, selection).all(...values);
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  /** @throws StorageUnavailable */
  get<Row>(selection: SqliteSelection<Row>, ...values: SQLQueryBindings[]): Row | undefined {
    try {
      this.#endSnapshot();
      return query(this.#database, selection).get(...values) ?? undefined;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  /**
   * Like `get`, for reads of many requests: all such reads in one turn of the event loop share a snapshot of the
   * file. Locking the file for a snapshot takes 2.4 µs of the 2.7 µs of a short read.
   * @throws StorageUnavailable
   */
  getFromSnapshot<Row>(
    selection: SqliteSelection<Row>,
    ...values: SQLQueryBindings[]
  ): Row | undefined {
    try {
      if (!this.#holdsSnapshot) this.#beginSnapshot();
      return query(this.#database, selection).get(...values) ?? undefined;
    } catch (cause) {
      throw this.#failed(cause);
    }
  }

  /**
   * Runs one change; durable when it resolves.
   * @throws StorageUnavailable, or another error when the change itself fails.
   */
  write<Each extends Write>(write: Each): Promise<WriteOutputs[Each['name']]> {
    return this.#writer.run(this.#path, write);
  }

  /** Runs a change in one statement. @returns how many rows it inserted, changed or deleted. */
  async run(sql: string, ...values: Bindable[]): Promise<number> {
    const { changes } = await this.write({ name: 'runStatement', input: { sql, values } });
    return Number(changes);
  }

  /**
   * Runs a change for each of these rows.
   * @param options `batch`: as in `Engine`; `isUrgent`: ahead of other changes.
   * @returns how many rows it inserted or changed.
   */
  async runForRows<Row>(
    statement: RowsStatement<Row>,
    rows: readonly Row[],
    {
      batch,
      isUrgent = false,
    }: { readonly batch?: NumberedBatch | undefined; readonly isUrgent?: boolean } = {},
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const { sqlite, sqliteForMany, sqliteUpdate, columns } = statement;
    const values = valuesOf(statement, rows);
    const input = { sqlite, sqliteForMany, sqliteUpdate, width: columns.length, values, batch };
    return this.write({ name: isUrgent ? 'saveRows' : 'runForRows', input });
  }

  /**
   * The minimum length of the write-ahead log, in bytes, given the number of its frames according to SQLite
   * (https://sqlite.org/fileformat2.html#walformat).
   * @throws SQLiteError
   */
  logLength(): number {
    this.#endSnapshot();
    const count = (pragma: string, column: number) =>
      Number(this.#database.query(`PRAGMA ${pragma}`).values()[0]?.[column] ?? 0);
    // Only counts the frames.
    const frames = count('wal_checkpoint(NOOP)', 1);
    if (frames <= 0) return 0;
    return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + count('page_size', 0));
  }

  close(): void {
    this.#endSnapshot();
    this.#database.close();
  }

  #beginSnapshot(): void {
    this.#database.query('BEGIN').run();
    this.#holdsSnapshot = true;
    setImmediate(() => this.#endSnapshot());
  }

  #endSnapshot(): void {
    if (!this.#holdsSnapshot) return;
    this.#holdsSnapshot = false;
    try {
      this.#database.query('COMMIT').run();
    } catch {
      // A failed read has ended the transaction, and has reported the failure. The connection can be used again.
    }
  }

  #failed(cause: unknown): unknown {
    if (!isStorageFailure(cause)) return cause;
    const finding = damageIn(cause);
    if (finding !== undefined) this.#onDamage(finding);
    this.#writer.metrics?.databaseFailed();
    return new StorageUnavailable(cause);
  }
}
