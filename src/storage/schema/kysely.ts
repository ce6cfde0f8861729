import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  type SqlBool,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Environment } from '../../core/environments.ts';
import { toInt64 } from '../../lib/int64.ts';
import type { Database } from './schema.ts';

/** A condition that is true for every row. */
export const EVERY_ROW: Expression<SqlBool> = sql`true`;

/** The condition for rows of one environment in PostgreSQL, where one table holds both environments. */
export function rowsOf(environment: Environment): Expression<SqlBool> {
  return sql`environment = ${environment}`;
}

/** A value for a parameter of a statement. */
export type Bindable = string | number | bigint | Buffer | null;

/** A statement compiled by Kysely. */
export interface CompiledStatement {
  readonly sql: string;
  readonly values: Bindable[];
  /** Whether it only reads. */
  readonly isSelect: boolean;
}

export interface StatementResult {
  readonly rows: ReadonlyArray<Record<string, unknown>>;
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number | bigint;
}

type Execute = (statement: CompiledStatement) => Promise<StatementResult>;

/** Kysely on top of a function that runs a statement on SQLite. */
export function sqliteQueries(execute: Execute): Kysely<Database> {
  return queriesOver(execute, new SqliteAdapter(), new SqliteQueryCompiler());
}

/** Kysely on top of a function that runs a statement on PostgreSQL. */
export function postgresQueries(execute: Execute): Kysely<Database> {
  return queriesOver(execute, new PostgresAdapter(), new PostgresQueryCompiler());
}

function queriesOver(
  execute: Execute,
  adapter: DialectAdapter,
  compiler: QueryCompiler,
): Kysely<Database> {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => new StatementDriver(execute),
    createIntrospector() {
      throw new Error('The schema is known; nothing looks it up.');
    },
    createQueryCompiler: () => compiler,
  };
  return new Kysely({ dialect });
}

/** Runs one statement at a time. Integers are numbers if these are exact, otherwise bigints; booleans are stored as 0 and 1. */
class StatementDriver extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(execute: Execute) {
    super();
    this.#connection = {
      async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
        const { sql, parameters, query } = compiled;
        const isSelect = query.kind === 'SelectQueryNode';
        const { rows, changes } = await execute({
          sql,
          values: parameters.map(bindable),
          isSelect,
        });
        return {
          rows: rows.map(withExactIntegers<Row>),
          ...(!isSelect && { numAffectedRows: BigInt(changes) }),
        };
      },
      // biome-ignore lint/correctness/useYield: there is nothing to yield.
      async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
        throw new Error('This dialect does not stream.');
      },
    };
  }

  override async acquireConnection() {
    return this.#connection;
  }

  override async beginTransaction(): Promise<void> {
    throw new Error('Run changes through the store: it begins their transaction.');
  }
}

function bindable(value: unknown): Bindable {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  if (Buffer.isBuffer(value)) return value;
  throw new TypeError(`A statement takes no ${typeof value}.`);
}

function withExactIntegers<Row>(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? toInt64(value) : value,
  ]);
  // The schema defines the type of the rows, which is not available at run time.
  return Object.fromEntries(entries) as Row;
}
