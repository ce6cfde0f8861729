import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { sqliteQueries } from '../../src/storage/schema/kysely.ts';

test('a query returns an int64 exactly, as a number where a number holds it', async () => {
  using database = new Database(':memory:', { safeIntegers: true });
  database.run('CREATE TABLE pets (id INTEGER PRIMARY KEY, category_id INTEGER NOT NULL)');
  database.run('INSERT INTO pets VALUES (1, 9007199254740993), (2, -9223372036854775808), (3, 7)');
  const queries = sqliteQueries(async ({ sql, values }) => ({
    rows: database.query<Record<string, unknown>, typeof values>(sql).all(...values),
    changes: 0,
  }));
  const rows = await queries.selectFrom('pets').select(['id', 'category_id']).execute();
  expect(rows.map(({ category_id }) => category_id)).toEqual([
    9007199254740993n,
    -9223372036854775808n,
    7,
  ]);
});
