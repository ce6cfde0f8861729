import { lazy } from '../../lib/lazy.ts';
import type { Access, BoundChanges } from '../access.ts';
import { applyChange, bindChanges, type Changes } from '../changes.ts';
import { numbered, type Selection, type SelectionValue } from '../selection.ts';
import type { PostgresDatabase, Queries } from './database.ts';

/** A database: each change is a transaction of its own. */
export class PostgresAccess implements Access<Changes> {
  readonly #database: PostgresDatabase;
  readonly changes: BoundChanges<Changes>;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.changes = bindChanges(async (change, args) => {
      const over = await loadQueries();
      return database.transaction((queries) => applyChange(over(queries), { change, args }));
    });
  }

  /** Changes through this instance, such as better-auth's, are made one statement at a time. */
  readonly queries = lazy(async () => (await loadQueries())(this.#database));

  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Promise<Row[]> {
    return this.#database.rows(selection, ...values);
  }

  async run(sql: string, ...values: SelectionValue[]): Promise<void> {
    await this.#database.run(numbered(sql), ...values);
  }
}

/** Kysely over the pool or a transaction. Loaded when it is used: no start has to wait for it. */
const loadQueries = lazy(async () => {
  const { postgresQueries } = await import('../kysely.ts');
  return ({ execute }: Queries) =>
    postgresQueries(async ({ sql, values }) => {
      const rows = await execute<Record<string, unknown>>(sql, values);
      return { rows, changes: rows.count };
    });
});
