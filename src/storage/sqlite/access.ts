import { lazy } from '../../lib/lazy.ts';
import type { Access, BoundChanges } from '../access.ts';
import { bindChanges, type Changes } from '../changes.ts';
import type { Selection, SelectionValue } from '../selection.ts';
import type { SqliteSelection } from './database.ts';
import type { SqliteFile } from './file.ts';

/** The accounts file: read in this thread, changed in the writer thread. */
export class SqliteAccess implements Access<Changes> {
  readonly #file: SqliteFile;
  readonly changes: BoundChanges<Changes>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.changes = bindChanges((change, args) =>
      file.write({ name: 'change', input: { change, args } }),
    );
  }

  /** Changes through this instance, such as better-auth's, are made one statement at a time. */
  readonly queries = lazy(async () => {
    const { sqliteQueries } = await import('../kysely.ts');
    return sqliteQueries(async ({ sql, values, isSelect }) => {
      if (isSelect) {
        const selection: SqliteSelection<Record<string, unknown>> = { sqlite: sql };
        return { rows: this.#file.all(selection, ...values), changes: 0 };
      }
      return this.#file.write({ name: 'runStatement', input: { sql, values } });
    });
  });

  rows<Row>(selection: Selection<Row>, ...values: SelectionValue[]): Row[] {
    return this.#file.all(selection, ...values);
  }

  async run(sql: string, ...values: SelectionValue[]): Promise<void> {
    await this.#file.write({ name: 'runStatement', input: { sql, values } });
  }
}
