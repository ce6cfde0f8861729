import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { StatementDriver } from '../statement-driver.ts';
import type { SqliteFile } from './file.ts';

/** Through Kysely to a file of ours: it reads in this thread, and its changes are made in the writer thread. */
export class FileDialect implements Dialect {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  createAdapter() {
    return new SqliteAdapter();
  }

  createDriver() {
    return new StatementDriver(async ({ sql, values, isSelect }) => {
      if (isSelect) {
        return { rows: this.#file.all<Record<string, unknown>>(sql, ...values), changes: 0 };
      }
      return this.#file.write({ name: 'runStatement', input: { sql, values } });
    });
  }

  createIntrospector(database: ConstructorParameters<typeof SqliteIntrospector>[0]) {
    return new SqliteIntrospector(database);
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }
}
