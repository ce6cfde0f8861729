import type { Kysely } from 'kysely';
import { lazy, lazyImport } from '../../lib/lazy.ts';
import type { Engine, EnvironmentEngine } from '../access.ts';
import type { EnvironmentQueries } from '../pets/pets.ts';
import type { Database } from '../schema/schema.ts';
import type { HotPathQueries } from '../shared-stores.ts';
import type { WriteKinds } from '../write-kinds.ts';
import type { SqliteSelection } from './database.ts';
import type { SqliteFile } from './file.ts';
import { sqliteMessageQueue } from './message-queue.ts';

const loadKysely = lazyImport(() => import('../schema/kysely.ts'));

/**
 * The engine on a file that is read in this thread and changed in the writer thread.
 * @param kinds records whether statements succeed.
 */
export function sqliteEngine(file: SqliteFile, kinds?: WriteKinds): Engine {
  return {
    change: (change) => file.write({ name: 'change', input: change }),
    // Changes through Kysely itself, such as those of better-auth, run one statement at a time.
    queries: queriesOf(file, kinds),
    rows: (selection, ...values) => file.all(selection, ...values),
    run: (sql, ...values) => file.run(typeof sql === 'string' ? sql : sql.sqlite, ...values),
    runForRows: (statement, rows, batch) => file.runForRows(statement, rows, { batch }),
  };
}

/** What only this engine does, on the accounts file and the request log. */
export function sqliteHotPathQueries(file: SqliteFile, requestLogFile: Engine): HotPathQueries {
  return {
    requestLogFile,
    findKey: (selection, ...values) => file.getFromSnapshot(selection, ...values),
    messages: sqliteMessageQueue(file),
  };
}

/** The tables of one environment; all rows in the file belong to it. */
export function environmentEngine(file: SqliteFile): EnvironmentEngine {
  return {
    rows: (selection, ...values) => file.all(selection, ...values),
    run: ({ sqlite }, ...values) => file.run(sqlite, ...values),
    runForRows: (statement, rows) => file.runForRows(statement, rows, { isUrgent: true }),
  };
}

/** Kysely on the file of an environment; all rows in it belong to the environment. */
export function environmentQueries(file: SqliteFile): () => Promise<EnvironmentQueries> {
  const queries = queriesOf(file);
  return async () => {
    const { EVERY_ROW } = await loadKysely();
    return { queries: await queries(), inEnvironment: EVERY_ROW };
  };
}

/** Kysely on a file: read in this thread, changed in the writer thread one statement at a time. */
function queriesOf(file: SqliteFile, kinds?: WriteKinds): () => Promise<Kysely<Database>> {
  return lazy(async () => {
    const { sqliteQueries } = await loadKysely();
    return sqliteQueries(async ({ sql, values, isSelect }) => {
      if (isSelect) {
        const selection: SqliteSelection<Record<string, unknown>> = { sqlite: sql };
        return { rows: file.all(selection, ...values), changes: 0 };
      }
      const result = file.write({ name: 'runStatement', input: { sql, values } });
      return kinds?.watchStatement(sql, result) ?? result;
    });
  });
}
