import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { ROWS_PER_STATEMENT } from '../../lib/chunks.ts';
import type { NumberedBatch } from '../access.ts';
import type { Bindable, CompiledStatement, StatementResult } from '../schema/kysely.ts';
import { MARK_BATCH, type RowsStatement } from '../schema/row-statements.ts';

type PreparedStatement = Statement<unknown, SQLQueryBindings[]>;

/** A `RowsStatement` with the values of all rows in one array, `width` of them for each row. */
interface ForRows
  extends Pick<RowsStatement<unknown>, 'sqlite' | 'sqliteForMany' | 'sqliteUpdate'> {
  readonly width: number;
  readonly values: readonly Bindable[];
  /** The rows are not changed if this batch was added before. */
  readonly batch?: NumberedBatch | undefined;
}

/** Runs a statement for all rows. @returns how many rows it inserted, changed or deleted. */
function runForRows(
  database: Database,
  { sqlite, sqliteForMany, sqliteUpdate, width, values, batch }: ForRows,
): number {
  if (batch && !isNew(database, batch)) return 0;
  let changed = 0;
  let done = 0;
  const run = (statement: PreparedStatement, rows: number) =>
    Number(statement.run(...values.slice(done, done + rows * width)).changes);
  if (sqliteForMany) {
    const statement: PreparedStatement = database.query(sqliteForMany);
    const end = values.length - (values.length % (ROWS_PER_STATEMENT * width));
    for (; done < end; done += ROWS_PER_STATEMENT * width)
      changed += run(statement, ROWS_PER_STATEMENT);
  }
  if (done === values.length) return changed;
  const update: PreparedStatement | undefined = sqliteUpdate
    ? database.query(sqliteUpdate)
    : undefined;
  const statement: PreparedStatement = database.query(sqlite);
  for (; done < values.length; done += width)
    changed += (update && run(update, 1)) || run(statement, 1);
  return changed;
}

/** Records a batch as added; `false` if it already was, by a commit whose reply was lost. */
function isNew(database: Database, { source, number, hour }: NumberedBatch): boolean {
  return database.query(MARK_BATCH.sqlite).run(source, number, hour).changes > 0;
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
