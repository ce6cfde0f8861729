import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteFile } from './file.ts';

/**
 * Lets a library that writes SQL through Kysely use a file of ours: it reads in this thread, and its
 * changes are made, one by one, in the writer thread. Integers come as numbers, not bigints.
 */
export class FileDialect implements Dialect {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  createAdapter() {
    return new SqliteAdapter();
  }

  createDriver() {
    return new FileDriver(this.#file);
  }

  createIntrospector(database: ConstructorParameters<typeof SqliteIntrospector>[0]) {
    return new SqliteIntrospector(database);
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }
}

class FileDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(file: SqliteFile) {
    this.#connection = new FileConnection(file);
  }

  async init() {}

  async acquireConnection() {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    throw new Error('Changes through this dialect are made one by one.');
  }

  async commitTransaction() {}

  async rollbackTransaction() {}

  async releaseConnection() {}

  async destroy() {}
}

class FileConnection implements DatabaseConnection {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters.map(bindable);
    if (query.kind === 'SelectQueryNode') {
      return { rows: this.#file.all<Record<string, unknown>>(sql, ...values).map(plain<Row>) };
    }
    const { rows, changes } = await this.#file.write({
      name: 'runStatement',
      input: { sql, values },
    });
    return { rows: rows.map(plain<Row>), numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: there is nothing to give.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('This dialect does not stream.');
  }
}

function bindable(value: unknown): string | number | bigint | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new TypeError(`SQLite takes no ${typeof value}.`);
}

function plain<Row>(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ]);
  // Kysely's caller names the type of a row; nothing at run time knows it.
  return Object.fromEntries(entries) as Row;
}
