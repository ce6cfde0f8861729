import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Bindable, CompiledStatement, StatementResult } from '../schema/kysely.ts';

interface ForRows {
  readonly sql: string;
  readonly rows: readonly Bindable[][];
}

/** Runs a statement for each row of parameters. @returns how many rows it inserted, changed or deleted. */
function runForRows(database: Database, { sql, rows }: ForRows): number {
  const statement = database.query<unknown, SQLQueryBindings[]>(sql);
  let changed = 0;
  for (const row of rows) changed += Number(statement.run(...row).changes);
  return changed;
}

/** Changes to any file, given as statements. Each runs within a transaction of the writer thread. */
export const statementWrites = {
  runForRows,

  /** The same, ahead of other changes; see `URGENT`. */
  saveRows: runForRows,

  /** Changes nothing, but makes the thread start and open the file. */
  open(_database: Database, _: null): void {},

  /** Rewrites the first page, which contains the version of the schema, without changing it. */
  probe(database: Database, _: null): void {
    const [version] = database.query('PRAGMA user_version').values().flat();
    database.run(`PRAGMA user_version = ${version}`);
  },

  /** Runs a statement compiled by Kysely. */
  runStatement(
    database: Database,
    { sql, values }: Pick<CompiledStatement, 'sql' | 'values'>,
  ): StatementResult {
    const statement = database.query<Record<string, unknown>, typeof values>(sql);
    if (statement.columnNames.length === 0) {
      return { rows: [], changes: statement.run(...values).changes };
    }
    const rows = statement.all(...values);
    return { rows, changes: rows.length };
  },
};
