import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { SqliteSelection } from '../../src/storage/sqlite/database.ts';
import { SqliteFile } from '../../src/storage/sqlite/file.ts';
import { ACCOUNTS_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { Writer } from '../../src/storage/sqlite/writer.ts';
import { temporaryFolder } from '../support/harness.ts';

const COUNTER: SqliteSelection<{ value: number }> = {
  sqlite: 'SELECT CAST(value AS REAL) AS value FROM counter',
};

/** An accounts file, and another connection to it, like that of another process. */
function openRig() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'accounts.db');
  const writer = new Writer();
  const file = new SqliteFile(path, ACCOUNTS_SCHEMA, writer, { onDamage() {} });
  const other = new Database(path, { readwrite: true, strict: true });
  other.run('CREATE TABLE counter (value INTEGER)');
  other.run('INSERT INTO counter VALUES (0)');
  return {
    file,
    other,
    increment: () => other.run('UPDATE counter SET value = value + 1'),
    async [Symbol.asyncDispose]() {
      other.close();
      file.close();
      await writer.close();
      folder[Symbol.dispose]();
    },
  };
}

describe('a snapshot of a file', () => {
  test('ends with the turn of the event loop in which it was read from', async () => {
    await using rig = openRig();
    const read = () => rig.file.getFromSnapshot(COUNTER)?.value;
    expect(read()).toBe(0);
    rig.increment();
    expect(read()).toBe(0);
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(read()).toBe(1);
  });

  test('ends with any other read, which sees every commit before it', async () => {
    await using rig = openRig();
    expect(rig.file.getFromSnapshot(COUNTER)?.value).toBe(0);
    rig.increment();
    expect(rig.file.get(COUNTER)?.value).toBe(1);
    expect(rig.file.getFromSnapshot(COUNTER)?.value).toBe(1);
    rig.increment();
    expect(rig.file.all(COUNTER)).toEqual([{ value: 2 }]);
    expect(rig.file.getFromSnapshot(COUNTER)?.value).toBe(2);
  });

  test('ends when the file is closed', async () => {
    await using rig = openRig();
    rig.file.getFromSnapshot(COUNTER);
    rig.file.close();
    await new Promise<void>((resolve) => setImmediate(resolve));
    rig.increment();
    expect(rig.other.query(COUNTER.sqlite).get()).toEqual({ value: 1 });
  });
});
