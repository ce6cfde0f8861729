import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { digests, makeKey, onFolder } from '../support/storage.ts';

const folder = temporaryFolder();
const sound = join(folder.path, 'sound.backup');
const scratch = join(folder.path, 'scratch');
const data = join(folder.path, 'data');

beforeAll(async () => {
  mkdirSync(scratch);
  await makeKey(data);
  for (const args of [
    ['seed', '--pets', '500'],
    ['backup', sound],
  ]) {
    expect((await runCommand(args, onFolder(data))).code).toBe(0);
  }
});

afterAll(() => folder[Symbol.dispose]());

/** Runs without a data folder, because the command needs none. */
function verify(file: string, ...options: string[]) {
  return runCommand(['backup', 'verify', file, ...options], { TMPDIR: scratch });
}

/** A copy of the sound backup with one changed database and correct digests. */
async function repacked(name: string, change: (path: string) => void): Promise<string> {
  const parts = join(folder.path, `parts-${name}`);
  mkdirSync(parts);
  await extract({ file: sound, cwd: parts });
  change(join(parts, name));
  const names = readdirSync(parts).filter((each) => each !== 'manifest.json');
  const files = names.map((each) => ({
    name: each,
    sha256: createHash('sha256')
      .update(readFileSync(join(parts, each)))
      .digest('hex'),
  }));
  const manifest = { format: 1, createdAt: new Date(0).toISOString(), files };
  writeFileSync(join(parts, 'manifest.json'), JSON.stringify(manifest));
  const file = join(folder.path, `${name}.backup`);
  await create({ cwd: parts, file, gzip: true }, ['manifest.json', ...names]);
  return file;
}

describe('backup verify', () => {
  test('tells what a sound backup holds, in digests and counts, and changes nothing', async () => {
    const before = digests(folder.path);
    const { code, stdout, stderr } = await verify(sound, '--json');
    expect([code, stderr]).toEqual([0, '']);
    const { createdAt, files } = JSON.parse(stdout);
    expect(createdAt).toMatch(/^20/);
    expect(files).toHaveLength(3);
    expect(files).toContainEqual({
      name: 'production.db',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      schema: ENVIRONMENT_SCHEMA.migrations.length,
      rows: {
        highest_ids: 0,
        idempotent_requests: 0,
        orders: 0,
        pet_changes: 0,
        pets: 500,
        quotas: 0,
      },
    });
    expect(files).toContainEqual(
      expect.objectContaining({
        name: 'accounts.db',
        rows: expect.objectContaining({ accounts: 1, api_keys: 1 }),
      }),
    );
    expect(digests(folder.path)).toEqual(before);
  });

  test('says so to people, too', async () => {
    const { code, stdout } = await verify(sound);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^production\.db +[0-9a-f]{12} +\d+ +.*pets 500/m);
    expect(stdout).toMatch(/sound\.backup of 20\S+Z is sound\.\n$/);
  });

  test('refuses a backup in which one byte is another one', async () => {
    const content = readFileSync(sound);
    const middle = Math.floor(content.length / 2);
    content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
    const file = join(folder.path, 'damaged.backup');
    writeFileSync(file, content);
    const { code, stdout, stderr } = await verify(file);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^petstore: [^\n]+ is not a sound backup: [^\n]+\n$/);
  });

  test('refuses a row that refers to none, which no digest shows', async () => {
    const file = await repacked('accounts.db', (path) => {
      const database = new Database(path, { readwrite: true });
      database.run('PRAGMA foreign_keys = OFF');
      database.run('DELETE FROM accounts');
      database.close();
    });
    const { code, stderr } = await verify(file);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'is not a sound backup: accounts.db: a row of api_keys refers to none.',
    );
  });

  test('refuses the backup of a newer release, and says what to do, as restore does', async () => {
    const file = await repacked('production.db', (path) => {
      const database = new Database(path, { readwrite: true });
      database.run('PRAGMA user_version = 999');
      database.close();
    });
    for (const args of [
      ['backup', 'verify', file],
      ['restore', file],
    ]) {
      const { code, stderr } = await runCommand(args, onFolder(join(folder.path, 'empty')));
      expect(code).toBe(1);
      expect(stderr).toContain('was written by a newer release (schema 999');
      expect(stderr).toContain('Start that release, or restore an older backup.');
    }
  });

  test('leaves nothing in the temporary folder', async () => {
    copyFileSync(sound, join(folder.path, 'copy.backup'));
    expect((await verify(join(folder.path, 'copy.backup'))).code).toBe(0);
    expect(readdirSync(scratch)).toEqual([]);
  });

  test('refuses a file that is not there', async () => {
    expect(await verify('/nowhere.backup')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'petstore: There is no file /nowhere.backup.\n',
    });
  });
});
