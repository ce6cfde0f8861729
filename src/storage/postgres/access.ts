import type { Kysely } from 'kysely';
import type { Environment } from '../../core/environments.ts';
import { lazy } from '../../lib/lazy.ts';
import type { Engine, NamedChange } from '../access.ts';
import { postgresQueries, rowsOf } from '../kysely.ts';
import type { EnvironmentQueries } from '../pets.ts';
import type { Database } from '../schema.ts';
import { numbered, type Selection, type SelectionValue, type Statement } from '../selection.ts';
import { applyChange } from '../shared-stores.ts';
import type { PostgresDatabase, Queries } from './database.ts';

/** A database: each change is a transaction of its own. */
export class PostgresAccess implements Engine {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  change(change: NamedChange): Promise<unknown> {
    return this.#database.transaction((queries) => applyChange(queriesOver(queries), change));
  }

  /** Changes through this instance, such as better-auth's, are made one statement at a time. */
  readonly queries = lazy(async () => queriesOver(this.#database));

  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Promise<Row[]> {
    return this.#database.rows(selection, ...values);
  }

  run(given: string | Statement, ...values: SelectionValue[]): Promise<number> {
    const sql = typeof given === 'string' ? numbered(given) : given.postgres;
    return this.#database.run(sql, ...values);
  }
}

/** Kysely on the rows of one environment. */
export function environmentQueries(
  database: PostgresDatabase,
  environment: Environment,
): () => Promise<EnvironmentQueries> {
  return lazy(async () => ({
    queries: queriesOver(database),
    inEnvironment: rowsOf(environment),
  }));
}

/** Kysely over the pool or a transaction. */
function queriesOver(connection: Queries): Kysely<Database> {
  return postgresQueries(async ({ sql, values }) => {
    const rows = await connection.execute<Record<string, unknown>>(sql, values);
    return { rows, changes: rows.count };
  });
}
