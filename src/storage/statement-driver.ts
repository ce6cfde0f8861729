import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';

/** What a statement may be given. */
export type Bindable = string | number | bigint | null;

/** One statement that a library wrote through Kysely. */
export interface Statement {
  readonly sql: string;
  readonly values: Bindable[];
  /** Whether it only reads. */
  readonly isSelect: boolean;
}

export interface StatementResult {
  readonly rows: ReadonlyArray<Record<string, unknown>>;
  /** Rows that were added, changed or deleted. */
  readonly changes: number | bigint;
}

/**
 * Lets a library that writes SQL through Kysely use a database of ours, one statement at a time. Times
 * are text, truth values are 0 and 1, and integers come as numbers, not bigints.
 */
export class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(execute: (statement: Statement) => Promise<StatementResult>) {
    this.#connection = {
      async executeQuery<Row>({
        sql,
        parameters,
        query,
      }: CompiledQuery): Promise<QueryResult<Row>> {
        const isSelect = query.kind === 'SelectQueryNode';
        const statement = { sql, values: parameters.map(bindable), isSelect };
        const { rows, changes } = await execute(statement);
        return {
          rows: rows.map(plain<Row>),
          ...(!isSelect && { numAffectedRows: BigInt(changes) }),
        };
      },
      // biome-ignore lint/correctness/useYield: there is nothing to give.
      async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
        throw new Error('This dialect does not stream.');
      },
    };
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

function bindable(value: unknown): Bindable {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new TypeError(`A statement takes no ${typeof value}.`);
}

function plain<Row>(row: Record<string, unknown>): Row {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : value,
  ]);
  // Kysely's caller names the type of a row; nothing at run time knows it.
  return Object.fromEntries(entries) as Row;
}
