import type { Kysely } from 'kysely';
import type { Environment } from '../../core/environments.ts';
import { lazy } from '../../lib/lazy.ts';
import type { Engine, EnvironmentEngine, EnvironmentTransaction } from '../access.ts';
import type { FindRow } from '../keys/key-look-up.ts';
import type { EnvironmentQueries } from '../pets/pets.ts';
import { postgresQueries, rowsOf } from '../schema/kysely.ts';
import type { Database } from '../schema/schema.ts';
import { numbered } from '../schema/selection.ts';
import { applyChange } from '../shared-stores.ts';
import type { WriteKinds } from '../write-kinds.ts';
import type { PostgresDatabase } from './database.ts';
import { newIds } from './new-ids.ts';
import type { Queries } from './queries.ts';
import { runForRows } from './row-changes.ts';

/** The engine on a database; each change runs in its own transaction. */
export function postgresEngine(database: PostgresDatabase, kinds?: WriteKinds): Engine {
  const [shared, saves] = [database.of('shared'), database.of('saves')];
  return {
    change(change) {
      // Entries of the audit log that wait for a lock must not hold up the sign-ins that they tell of.
      const statements = change.store === 'audit' ? saves : database;
      return statements.transaction((queries) => applyChange(queriesOver(queries), change));
    },
    // Changes through Kysely itself, such as those of better-auth, run one statement at a time.
    queries: lazy(async () => queriesOver(database, kinds)),
    rows: (selection, ...values) => shared.rows(selection, ...values),
    run: (sql, ...values) =>
      database.run(typeof sql === 'string' ? numbered(sql) : sql.postgres, ...values),
    runForRows: (statement, rows, batch) => runForRows(database, statement, rows, { batch }),
  };
}

/** Looks up API keys, on connections of their own. */
export function findKey(database: PostgresDatabase): FindRow {
  const lookUps = database.of('keys');
  return async (selection, ...values) => (await lookUps.rows(selection, ...values))[0];
}

/** The tables of one environment. Each statement begins with its name, as the first parameter. */
export function environmentEngine(
  database: PostgresDatabase,
  environment: Environment,
): EnvironmentEngine {
  const [reads, saves] = [database.of('reads'), database.of('saves')];
  return {
    rows: (selection, ...values) => reads.rows(selection, environment, ...values),
    run: (sql, ...values) => saves.run(sql.postgres, environment, ...values),
    runForRows: (statement, rows) => runForRows(database, statement, rows, { environment }),
  };
}

/** Runs work in a transaction on the tables of one environment. */
export function environmentTransactions(
  database: PostgresDatabase,
  environment: Environment,
): <T>(work: (transaction: EnvironmentTransaction) => Promise<T>) => Promise<T> {
  const changes = database.of('changes');
  return (work) =>
    changes.transaction((queries) => work(environmentStatements(queries, environment)));
}

/** Statements on the tables of one environment, on the pool or within a transaction. */
export function environmentStatements(
  queries: Queries,
  environment: Environment,
): EnvironmentTransaction {
  return {
    rows: (selection, ...values) => queries.rows(selection, environment, ...values),
    run: ({ postgres }, ...values) => queries.run(postgres, environment, ...values),
    async lockAccount(accountId) {
      const name = `${environment} ${accountId}`;
      await queries.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', name);
    },
    newIds: (table, count) => newIds(queries, environment, table, count),
    // A sequence never assigns an id twice.
    retireIds() {},
  };
}

/** Kysely on the rows of one environment, on the pool or within a transaction. */
export function environmentQueries(
  connection: Queries,
  environment: Environment,
): () => Promise<EnvironmentQueries> {
  return lazy(async () => ({
    queries: queriesOver(connection),
    inEnvironment: rowsOf(environment),
  }));
}

/** Kysely on the pool or a transaction. */
function queriesOver(connection: Queries, kinds?: WriteKinds): Kysely<Database> {
  return postgresQueries(async ({ sql, values }) => {
    const result = connection.execute<Record<string, unknown>>(sql, values);
    const rows = await (kinds?.watchStatement(sql, result) ?? result);
    return { rows, changes: rows.count };
  });
}
