import type { Kysely } from 'kysely';
import { lazy } from '../../lib/lazy.ts';
import type { Engine, NamedChange } from '../access.ts';
import type { EnvironmentQueries } from '../pets.ts';
import type { Database } from '../schema.ts';
import type { Selection, SelectionValue, Statement } from '../selection.ts';
import type { SqliteSelection } from './database.ts';
import type { SqliteFile } from './file.ts';

/** The accounts file: read in this thread, changed in the writer thread. */
export class SqliteAccess implements Engine {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.queries = queriesOf(file);
  }

  change(change: NamedChange): Promise<unknown> {
    return this.#file.write({ name: 'change', input: change });
  }

  /** Changes through this instance, such as better-auth's, are made one statement at a time. */
  readonly queries: () => Promise<Kysely<Database>>;

  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Row[] {
    return this.#file.all(selection, ...values);
  }

  run(sql: string | Statement, ...values: SelectionValue[]): Promise<number> {
    return this.#file.run(typeof sql === 'string' ? sql : sql.sqlite, ...values);
  }
}

/** Kysely on an environment's file, all of whose rows are the environment's. */
export function environmentQueries(file: SqliteFile): () => Promise<EnvironmentQueries> {
  const queries = queriesOf(file);
  return async () => {
    const { EVERY_ROW } = await import('../kysely.ts');
    return { queries: await queries(), inEnvironment: EVERY_ROW };
  };
}

/** Kysely on a file: read in this thread, changed in the writer thread one statement at a time. */
function queriesOf(file: SqliteFile): () => Promise<Kysely<Database>> {
  return lazy(async () => {
    const { sqliteQueries } = await import('../kysely.ts');
    return sqliteQueries(async ({ sql, values, isSelect }) => {
      if (isSelect) {
        const selection: SqliteSelection<Record<string, unknown>> = { sqlite: sql };
        return { rows: file.all(selection, ...values), changes: 0 };
      }
      return file.write({ name: 'runStatement', input: { sql, values } });
    });
  });
}
