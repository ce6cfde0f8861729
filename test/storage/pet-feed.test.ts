import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SqliteFile } from '../../src/storage/sqlite/file.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { SqlitePetFeed } from '../../src/storage/sqlite/pet-feed.ts';
import { Writer } from '../../src/storage/sqlite/writer.ts';
import { temporaryFolder } from '../support/harness.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';

/** A file, two processes that read its feed, and changes in it. */
function scene() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'production.db');
  const writer = new Writer({ threads: REUSED_THREADS });
  const file = new SqliteFile(path, ENVIRONMENT_SCHEMA, writer, { onDamage() {} });
  const database = new Database(path, { readwrite: true });
  const [feed, other] = [new SqlitePetFeed(file), new SqlitePetFeed(file)];
  for (const each of [feed, other]) expect(each.read()).toBe('everything');
  return {
    ...{ feed, other },
    change(count: number) {
      const insert = database.query(
        "INSERT INTO pet_changes (pet_id, old_status, new_status) VALUES (7, 'sold', NULL)",
      );
      database.transaction(() => {
        for (let each = 0; each < count; each += 1) insert.run();
      })();
    },
    numbers() {
      const ends = 'SELECT min(number) AS first, max(number) AS last FROM pet_changes';
      return database.query<{ first: number; last: number }, []>(ends).get();
    },
    async [Symbol.asyncDispose]() {
      database.close();
      file.close();
      await writer.close();
      folder[Symbol.dispose]();
    },
  };
}

const CHANGE = { id: 7, before: 'sold', after: undefined } as const;

describe('the feed of changes of pets in a file', () => {
  test('begins with the first change of all', async () => {
    await using it = scene();
    expect(it.feed.read()).toEqual([]);
    it.change(1);
    expect(it.feed.read()).toEqual([CHANGE]);
    expect(it.feed.read()).toEqual([]);
    expect(it.other.read()).toEqual([CHANGE]);
  });

  test('keeps the latest 10,000 changes, and never gives a number twice', async () => {
    await using it = scene();
    it.change(19_999);
    await it.feed.prune();
    expect(it.numbers()).toEqual({ first: 1, last: 19_999 });
    it.change(15_000);
    await it.feed.prune();
    expect(it.numbers()).toEqual({ first: 20_001, last: 34_999 });
    it.change(1);
    expect(it.numbers()).toEqual({ first: 20_001, last: 35_000 });
  });

  test('is everything for a process that missed pruned changes, or too many, and then goes on', async () => {
    await using it = scene();
    it.change(1);
    expect(it.feed.read()).toEqual([CHANGE]);
    it.change(40_000);
    await it.other.prune();
    expect(it.feed.read()).toBe('everything');
    expect(it.feed.read()).toEqual([]);
    it.change(2);
    expect(it.feed.read()).toEqual([CHANGE, CHANGE]);
    expect(it.other.read()).toBe('everything');
    it.change(1_000);
    expect(it.other.read()).toHaveLength(1_000);
    it.change(1_001);
    expect(it.other.read()).toBe('everything');
  });
});
