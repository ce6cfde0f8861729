import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Selection, select } from '../../src/storage/schema/selection.ts';
import { openDatabase, query } from '../../src/storage/sqlite/database.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { temporaryFolder } from '../support/harness.ts';

const ORDERED: ReadonlyArray<readonly [rest: string, ...values: Array<string | number>]> = [
  ['ORDER BY id'],
  ['ORDER BY id LIMIT ?', 1],
  ['ORDER BY id DESC LIMIT 1'],
  ['WHERE id > ? ORDER BY id LIMIT ?', 1, 2],
  ['WHERE status = ? ORDER BY status, id', 'sold'],
  ['WHERE status = ? ORDER BY pets.id DESC', 'sold'],
];

test('a selection that is sorted like an index is read in its order', () => {
  using folder = temporaryFolder();
  using database = openDatabase(join(folder.path, 'file.db'), ENVIRONMENT_SCHEMA);
  for (const [rest, ...values] of ORDERED) {
    const { sqlite } = select('pets', ['id', 'status'], rest);
    const plan: Selection<{ detail: string }> = {
      sqlite: `EXPLAIN QUERY PLAN ${sqlite}`,
      postgres: '',
    };
    const steps = query(database, plan).all(...values);
    expect([rest, steps.map(({ detail }) => detail)]).toEqual([
      rest,
      [expect.stringMatching(/^(SCAN|SEARCH) pets\b/)],
    ]);
  }
});

test('a selection sorts by the columns of its table on PostgreSQL, too', () => {
  const { postgres } = select(
    'orders',
    ['id'],
    'WHERE id > ? ORDER BY created_at DESC, id LIMIT ?',
  );
  expect(postgres).toBe(
    'SELECT id::float8 AS id FROM orders WHERE environment = $1 AND id > $2 ORDER BY orders.created_at DESC, orders.id LIMIT $3',
  );
});
