import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { StatementDriver } from '../statement-driver.ts';
import type { PostgresDatabase } from './database.ts';

/** Through Kysely to our database. */
export class PoolDialect implements Dialect {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  createAdapter() {
    return new PostgresAdapter();
  }

  createDriver() {
    return new StatementDriver(async ({ sql, values }) => {
      const rows = await this.#database.execute<Record<string, unknown>>(sql, values);
      return { rows, changes: rows.count };
    });
  }

  createIntrospector(database: ConstructorParameters<typeof PostgresIntrospector>[0]) {
    return new PostgresIntrospector(database);
  }

  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }
}
