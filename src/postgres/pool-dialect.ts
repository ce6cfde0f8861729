import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { PostgresDatabase, Value } from './database.ts';

/**
 * Lets a library that writes SQL through Kysely use our database. As in the embedded store, times are
 * text, truth values are 0 and 1, and integers come as numbers.
 */
export class PoolDialect implements Dialect {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  createAdapter() {
    return new PostgresAdapter();
  }

  createDriver() {
    return new PoolDriver(this.#database);
  }

  createIntrospector(database: ConstructorParameters<typeof PostgresIntrospector>[0]) {
    return new PostgresIntrospector(database);
  }

  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }
}

class PoolDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(database: PostgresDatabase) {
    this.#connection = new PoolConnection(database);
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

class PoolConnection implements DatabaseConnection {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const values = parameters.map(bindable);
    const result = await this.#database.execute<Record<string, unknown>>(sql, values);
    return { rows: result.map(plain<Row>), numAffectedRows: BigInt(result.count) };
  }

  // biome-ignore lint/correctness/useYield: there is nothing to give.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('This dialect does not stream.');
  }
}

function bindable(value: unknown): Value {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`The accounts take no ${typeof value}.`);
}

function plain<Row>(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ]);
  // Kysely's caller names the type of a row; nothing at run time knows it.
  return Object.fromEntries(entries) as Row;
}
