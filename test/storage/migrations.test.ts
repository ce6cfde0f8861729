import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SetupError } from '../../src/core/errors.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';
import {
  ACCOUNTS_SCHEMA,
  ENVIRONMENT_SCHEMA,
  type Schema,
} from '../../src/storage/sqlite/migrations.ts';
import { temporaryFolder } from '../support/harness.ts';
import { digests } from '../support/storage.ts';

const OPEN_DATABASE = join(import.meta.dir, '..', '..', 'src', 'storage', 'sqlite', 'database.ts');

const STEPS = [
  'CREATE TABLE facts (text TEXT NOT NULL) STRICT;',
  "ALTER TABLE facts ADD COLUMN age INTEGER; INSERT INTO facts VALUES ('second step', 2);",
  "UPDATE facts SET age = coalesce(age, 0) + 1; INSERT INTO facts VALUES ('third step', 3);",
];

function schema(...migrations: string[]): Schema {
  return { applicationId: 0x74_65_73_74, migrations };
}

function version(path: string): unknown {
  const database = new Database(path, { readwrite: true });
  try {
    return database.query('PRAGMA user_version').values().flat()[0];
  } finally {
    database.close();
  }
}

/** A file of a release with this many migrations, with one fact in it. */
function fileOfVersion(folder: string, steps: number): string {
  const path = join(folder, 'facts.db');
  const database = openDatabase(path, schema(...STEPS.slice(0, steps)));
  database.run("INSERT INTO facts (text) VALUES ('kept')");
  database.close();
  return path;
}

function facts(path: string): unknown[] {
  const database = new Database(path, { readwrite: true });
  try {
    return database.query('SELECT * FROM facts').values();
  } finally {
    database.close();
  }
}

describe('migrations', () => {
  test('bring a file of any earlier schema to the current one, step by step, and keep its data', () => {
    for (const steps of [1, 2]) {
      using folder = temporaryFolder();
      const path = fileOfVersion(folder.path, steps);
      openDatabase(path, schema(...STEPS)).close();
      expect(version(path)).toBe(3);
      const found = facts(path);
      expect(found).toContainEqual(['kept', 1]);
      expect(found).toContainEqual(['second step', 3]);
      expect(found).toContainEqual(['third step', 3]);
      expect(found).toHaveLength(3);
    }
  });

  test('are done once: opening again changes nothing', () => {
    using folder = temporaryFolder();
    const path = fileOfVersion(folder.path, 3);
    const before = digests(folder.path);
    openDatabase(path, schema(...STEPS)).close();
    expect(digests(folder.path)).toEqual(before);
  });

  test('that fail leave the file as it was, and say so', () => {
    using folder = temporaryFolder();
    const path = fileOfVersion(folder.path, 1);
    const before = digests(folder.path);
    const broken = schema(
      ...STEPS.slice(0, 2),
      'CREATE TABLE other (x); INSERT INTO absent VALUES (1);',
    );
    expect(() => openDatabase(path, broken)).toThrow(SetupError);
    expect(() => openDatabase(path, broken)).toThrow(/facts\.db: no such table: absent/);
    expect(digests(folder.path)).toEqual(before);
    openDatabase(path, schema(...STEPS)).close();
    expect(version(path)).toBe(3);
  });

  test('that fail on a new file let a later start make it', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'facts.db');
    expect(() => openDatabase(path, schema('CREATE TABLE oops'))).toThrow(SetupError);
    openDatabase(path, schema(...STEPS)).close();
    expect(version(path)).toBe(3);
  });

  test('are refused on a file of a newer schema, which stays as it was', () => {
    using folder = temporaryFolder();
    const path = fileOfVersion(folder.path, 3);
    const before = digests(folder.path);
    expect(() => openDatabase(path, schema(...STEPS.slice(0, 2)))).toThrow(/newer release/);
    expect(digests(folder.path)).toEqual(before);
  });

  test('are done once when many processes open the file at the same moment', async () => {
    for (const steps of [0, 1, 2]) {
      using folder = temporaryFolder();
      const path = steps === 0 ? join(folder.path, 'facts.db') : fileOfVersion(folder.path, steps);
      const script = `
        const { openDatabase } = await import(${JSON.stringify(OPEN_DATABASE)});
        openDatabase(${JSON.stringify(path)}, ${JSON.stringify(schema(...STEPS))}).close();
      `;
      const codes = await Promise.all(
        Array.from(
          { length: 6 },
          () => Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore' }).exited,
        ),
      );
      expect(codes).toEqual(Array(6).fill(0));
      expect(version(path)).toBe(3);
      expect(facts(path).filter((row) => JSON.stringify(row).includes('third'))).toHaveLength(1);
    }
  });
});

describe('the shipped schemas', () => {
  test('only ever grow: files out there have these steps already', () => {
    const digest = (step: string) => createHash('sha256').update(step).digest('hex').slice(0, 16);
    const first = ({ migrations }: Schema, count: number) => migrations.slice(0, count).map(digest);
    expect(first(ENVIRONMENT_SCHEMA, 1)).toEqual(['7b214c412ad1e1c7']);
    expect(first(ACCOUNTS_SCHEMA, 1)).toEqual(['49c47a6ce6448299']);
  });
});
