import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SPREAD } from '../../src/storage/postgres/distribution.ts';
import { TABLES } from '../../src/storage/schema/schema.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import {
  ACCOUNTS_SCHEMA,
  ENVIRONMENT_SCHEMA,
  REQUESTS_SCHEMA,
} from '../../src/storage/sqlite/migrations.ts';
import { temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

/** The columns of each table, sorted, under the names of the typed schema. */
type Columns = Record<string, string[]>;

function typedColumns(file: string): Columns {
  return Object.fromEntries(
    Object.entries(TABLES)
      .filter(([, table]) => table.file === file)
      .map(([name, { columns }]) => [name, Object.keys(columns).sort()]),
  );
}

/** The columns in PostgreSQL, which has a column for the environment and may have one for the distribution. */
function postgresColumns(): Columns {
  return Object.fromEntries(
    Object.entries(TABLES).map(([name, { file, columns }]) => [
      name,
      [
        ...new Set([
          ...Object.keys(columns),
          ...(file === 'environment' ? ['environment'] : []),
          ...SPREAD.filter((table) => table.name === name).map(({ by }) => by),
        ]),
      ].sort(),
    ]),
  );
}

function sqliteColumns(schema: typeof ACCOUNTS_SCHEMA): Columns {
  using folder = temporaryFolder();
  using database = openDatabase(join(folder.path, 'file.db'), schema);
  const rows = database
    .query<{ table: string; column: string }, []>(
      `SELECT tables.name AS "table", columns.name AS "column"
       FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
    )
    .all();
  return grouped(rows);
}

function grouped(rows: ReadonlyArray<{ table: string; column: string }>): Columns {
  const groups = Object.groupBy(rows, ({ table }) => table);
  return Object.fromEntries(
    Object.entries(groups).map(([name, found = []]) => [
      name,
      found.map(({ column }) => column).sort(),
    ]),
  );
}

describe('the typed schema has the tables and columns that the migrations make', () => {
  test('in the accounts file', () => {
    expect(sqliteColumns(ACCOUNTS_SCHEMA)).toEqual(typedColumns('accounts'));
  });

  test("in an environment's file", () => {
    // Without Kysely; PostgreSQL has sequences instead.
    const highestIds = { highest_ids: ['id', 'name'] };
    expect(sqliteColumns(ENVIRONMENT_SCHEMA)).toEqual({
      ...typedColumns('environment'),
      ...highestIds,
    });
  });

  test('in the file of the request log', () => {
    expect(sqliteColumns(REQUESTS_SCHEMA)).toEqual(typedColumns('requests'));
  });
});

describe.skipIf(!hasPostgres)('the typed schema has what the migrations make', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('in PostgreSQL', async () => {
    const rows = await server.run<{ table: string; column: string }>(
      `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> 'petstore_schema'`,
      await server.createMigrated(),
    );
    expect(grouped(rows)).toEqual(postgresColumns());
  });

  test('in a form that can be sharded: every unique index has the column that places the rows', async () => {
    const indexes = await server.run<{ table: string; index: string; columns: string[] }>(
      `SELECT tables.relname AS "table", indexes.relname AS index, array_agg(attname::text) AS columns
       FROM pg_index
       JOIN pg_class AS indexes ON indexes.oid = indexrelid
       JOIN pg_class AS tables ON tables.oid = indrelid
       JOIN pg_attribute ON attrelid = indexrelid
       WHERE indisunique AND tables.relnamespace = 'public'::regnamespace GROUP BY 1, 2`,
      await server.createMigrated(),
    );
    expect(SPREAD).not.toBeEmpty();
    for (const { name, by } of SPREAD) {
      const ofTable = indexes.filter(({ table }) => table === name);
      expect(ofTable).not.toBeEmpty();
      for (const { index, columns } of ofTable) {
        expect({ index, columns }).toEqual({
          index,
          columns: expect.arrayContaining([by]),
        });
      }
    }
  });
});
