import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { startInVain } from '../support/refused-start.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { allNames, clientOf, digests, makeKey, onFolder } from '../support/storage.ts';
import { pet } from './ports/backend.ts';

const DATABASES = ['accounts.db', 'production.db', 'staging.db'] as const;

let key: string;
/** A folder in the state after a stop of the service: two pets in production, none in staging, and a key. */
const original = temporaryFolder();

beforeAll(async () => {
  key = await makeKey(original.path);
  const stores = await openStores(readConfig(onFolder(original.path)), systemClock, REUSED_THREADS);
  await stores.environment('production').pets.import([pet('Rex'), pet('Ada')]);
  stores.environment('staging');
  await stores.close();
});
afterAll(() => original[Symbol.dispose]());

function copyOf(folder: string) {
  const copy = temporaryFolder();
  cpSync(folder, copy.path, { recursive: true });
  return { ...copy, file: (name: string) => join(copy.path, name) };
}

/** A folder of an earlier release: without a manifest, and without the store's id in the databases. */
function withoutManifest() {
  const copy = copyOf(original.path);
  for (const name of DATABASES) {
    using database = new Database(copy.file(name), { readwrite: true });
    database.run('DROP VIEW store_identity');
  }
  for (const name of readdirSync(copy.path)) {
    if (!name.endsWith('.db') && name !== 'secret') rmSync(copy.file(name));
  }
  return copy;
}

function run(folder: string, ...args: readonly string[]) {
  return runCommand(args, onFolder(folder));
}

/** Opens every file of the folder like the service. */
async function open(folder: string): Promise<readonly string[]> {
  const stores = await openStores(readConfig(onFolder(folder)), systemClock, REUSED_THREADS);
  try {
    stores.environment('staging');
    const page = await stores.environment('production').pets.list({ limit: 10, after: 0 });
    return page.pets.map(({ name }) => name);
  } finally {
    await stores.close();
  }
}

function storeIdIn(path: string): unknown {
  using database = new Database(path, { readonly: true });
  return database.query('SELECT id FROM store_identity').values()[0]?.[0];
}

describe('the service refuses to start, names the file and what to do, and changes nothing', () => {
  const damages = {
    missing: (path: string) => rmSync(path),
    empty: (path: string) => truncateSync(path, 0),
  };
  for (const name of DATABASES) {
    for (const [how, damage] of Object.entries(damages)) {
      test(`when ${name} is ${how}`, async () => {
        using folder = copyOf(original.path);
        damage(folder.file(name));
        const before = digests(folder.path);
        const { code, stderr } = await startInVain(folder.path);
        expect(stderr).toBe(
          `petstore: ${folder.file(name)} is ${how}. Restore a backup (petstore restore FILE --replace), or recreate it without what it held: petstore store recreate ${name}\n`,
        );
        expect(code).toBe(2);
        expect(digests(folder.path)).toMatchObject(before);
      });
    }
  }

  test('when a database has no tables; recreate then makes it again', async () => {
    using folder = copyOf(original.path);
    const path = folder.file('accounts.db');
    rmSync(path);
    const database = new Database(path);
    database.run('PRAGMA journal_mode = WAL');
    database.close();
    const before = digests(folder.path);
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(`petstore: ${path} is empty. Restore a backup`);
    expect(code).toBe(2);
    const backup = await run(folder.path, 'backup', folder.file('x.backup'));
    expect(backup).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
    expect(digests(folder.path)).toMatchObject(before);
    const begun = await run(folder.path, 'store', 'recreate', 'accounts.db');
    expect(begun).toMatchObject({ code: 0, stderr: '' });
    expect(await open(folder.path)).toEqual(['Rex', 'Ada']);
  });

  test('when the write-ahead log is damaged that held all of a database', async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start(onFolder(folder.path));
    await service.end('SIGKILL');
    const path = join(folder.path, 'accounts.db');
    const log = readFileSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, log.fill(1, 16, 24));
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(`petstore: ${path} is empty. Restore a backup`);
    expect(code).toBe(2);
    expect(readFileSync(`${path}-wal`)).toEqual(log);
  });

  test('when a database is that of another folder', async () => {
    using folder = copyOf(original.path);
    using other = temporaryFolder();
    await open(other.path);
    cpSync(join(other.path, 'production.db'), folder.file('production.db'));
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(
      `petstore: ${folder.file('production.db')} belongs to another store`,
    );
    expect(code).toBe(2);
  });

  test('when a database is from an earlier release, and the manifest lists another one', async () => {
    using folder = copyOf(original.path);
    using earlier = withoutManifest();
    cpSync(earlier.file('production.db'), folder.file('production.db'));
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(
      `petstore: ${folder.file('production.db')} belongs to no store: it is from an earlier release. Put the right file back`,
    );
    expect(code).toBe(2);
  });

  test('when a database is another one of the same folder', async () => {
    using folder = copyOf(original.path);
    cpSync(folder.file('staging.db'), folder.file('production.db'));
    expect((await startInVain(folder.path)).stderr).toStartWith(
      `petstore: ${folder.file('production.db')} is the staging.db of this store. Put the right file`,
    );
  });

  test('when nothing is left but the records beside the databases', async () => {
    using folder = copyOf(original.path);
    for (const name of [...DATABASES, 'store.json']) rmSync(folder.file(name));
    expect((await startInVain(folder.path)).stderr).toContain('has lost its databases');
  });

  test('when the manifest is missing or damaged', async () => {
    using folder = copyOf(original.path);
    truncateSync(folder.file('store.json'), 20);
    expect((await startInVain(folder.path)).stderr).toContain('store.json is damaged. Restore');
    rmSync(folder.file('store.json'));
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toContain('store.json is missing');
    expect(stderr).toContain('petstore store recreate store.json');
    expect(code).toBe(2);
  });

  const WRONG_PARTS: Readonly<Record<string, unknown>> = {
    'losses that are no list': { losses: {} },
    'a loss that is null': { losses: [null] },
    'a loss without ids': { losses: [{ file: 'production.db', foundAt: '2026-01-01T00:00:00Z' }] },
    'a list of files': { files: [] },
    'a file that is null': { files: { 'accounts.db': null } },
    'an id that is a text': { files: { 'production.db': { reservedUpTo: 'x' } } },
  };
  for (const [what, parts] of Object.entries(WRONG_PARTS)) {
    test(`when the manifest has ${what}`, async () => {
      using folder = copyOf(original.path);
      const path = folder.file('store.json');
      const manifest = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify(Object.assign(manifest, parts)));
      await expect(open(folder.path)).rejects.toThrow(`${path} is damaged. Restore`);
    });
  }

  test('when a folder of an earlier release has lost its accounts', async () => {
    using folder = withoutManifest();
    rmSync(folder.file('accounts.db'));
    const { stderr } = await startInVain(folder.path);
    expect(stderr).toContain('accounts.db is missing');
    expect(readdirSync(folder.path)).not.toContain('accounts.db');
    const args = stderr.trim().split('petstore ').at(-1)?.split(' ') ?? [];
    expect(await run(folder.path, ...args)).toMatchObject({ code: 0 });
    expect(await open(folder.path)).toEqual(['Rex', 'Ada']);
  });
});

describe('the other commands', () => {
  test('refuse as well: those that open the file, a backup, and a migration', async () => {
    using folder = copyOf(original.path);
    rmSync(folder.file('production.db'));
    const seeded = await run(folder.path, 'seed', '--pets', '1');
    expect(seeded).toMatchObject({ code: 2, stderr: expect.stringContaining('production.db is') });
    const backup = await run(folder.path, 'backup', folder.file('x.backup'));
    expect(backup).toMatchObject({ code: 2, stderr: expect.stringContaining('production.db is') });
    expect(existsSync(folder.file('production.db'))).toBe(false);
    expect(existsSync(folder.file('x.backup'))).toBe(false);
    expect(await run(folder.path, 'accounts', 'list')).toMatchObject({ code: 0 });
  });
});

describe('store recreate', () => {
  test('makes a lost database anew, without what lies beside it, and no other', async () => {
    using folder = copyOf(original.path);
    renameSync(folder.file('production.db'), folder.file('production.db-wal'));
    const done = await run(folder.path, 'store', 'recreate', 'production.db');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(await open(folder.path)).toEqual([]);
    const [aside = ''] = readdirSync(folder.path).filter((name) => name.startsWith('before-'));
    expect(readdirSync(folder.file(aside))).toEqual(['production.db-wal']);
    const again = await run(folder.path, 'store', 'recreate', 'production.db');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
  });

  test('makes a lost manifest anew from the databases', async () => {
    using folder = copyOf(original.path);
    rmSync(folder.file('store.json'));
    expect(await run(folder.path, 'store', 'recreate', 'store.json')).toMatchObject({ code: 0 });
    expect(await open(folder.path)).toEqual(['Rex', 'Ada']);
    rmSync(folder.file('staging.db'));
    expect((await startInVain(folder.path)).stderr).toContain('staging.db is missing');
  });

  test('refuses while the service runs', async () => {
    using folder = copyOf(original.path);
    await using _service = await ServiceProcess.start(onFolder(folder.path), ['--only', 'staging']);
    rmSync(folder.file('production.db'));
    const refused = await run(folder.path, 'store', 'recreate', 'production.db');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is in use') });
    expect(existsSync(folder.file('production.db'))).toBe(false);
    // The former name of the command.
    expect(await run(folder.path, 'store', 'begin-anew', 'production.db')).toEqual(refused);
  });
});

describe('a data folder', () => {
  test('of an earlier release is adopted at its first open, with what it holds', async () => {
    using folder = withoutManifest();
    expect(await open(folder.path)).toEqual(['Rex', 'Ada']);
    const { storeId, files } = JSON.parse(readFileSync(folder.file('store.json'), 'utf8'));
    expect(Object.keys(files).sort()).toEqual([...DATABASES]);
    for (const name of DATABASES) expect(storeIdIn(folder.file(name))).toBe(storeId);
  });

  test('that a backup is restored into is a store of its own, with a manifest that matches', async () => {
    using folder = copyOf(original.path);
    using fresh = temporaryFolder();
    const file = folder.file('pets.backup');
    expect(await run(folder.path, 'backup', file)).toMatchObject({ code: 0 });
    expect(await run(fresh.path, 'restore', file)).toMatchObject({ code: 0 });
    await using service = await ServiceProcess.start(onFolder(fresh.path));
    expect(await allNames(clientOf(service, key))).toEqual(['Rex', 'Ada']);
    await service.end('SIGTERM');
    cpSync(join(fresh.path, 'production.db'), folder.file('production.db'));
    expect((await startInVain(folder.path)).stderr).toContain('belongs to another store');
  });

  test('gets a whole manifest or none: what a killed process left of one is replaced', async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, 'store.json.new'), '{"format":');
    expect(await open(folder.path)).toEqual([]);
    expect(readdirSync(folder.path)).not.toContain('store.json.new');
  });
});
