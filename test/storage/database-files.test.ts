import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, NOBODY } from '../support/nobody.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { startInVain } from '../support/refused-start.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import {
  allNames,
  clientOf,
  digests,
  makeKey,
  onFolder,
  seededRandom,
} from '../support/storage.ts';
import { pet } from './ports/backend.ts';

const PAGE = 4_096;

const mayStepDown = Bun.spawnSync([...AS_NOBODY, process.execPath, '--version']).exitCode === 0;

/** A folder in the state after a stop of the service, with a thousand pets and a key. */
async function usedFolder(folder: string): Promise<string> {
  const key = await makeKey(folder);
  const stores = await openStores(readConfig(onFolder(folder)), systemClock, REUSED_THREADS);
  const pets = Array.from({ length: 1_000 }, (_, index) => pet(`pet ${index}`));
  await stores.environment('production').pets.import(pets);
  stores.environment('staging');
  await stores.close();
  return key;
}

/** Expects one line that names the file and what to do, exit code 2, and an unchanged folder. */
async function expectRefusal(folder: string, ...words: string[]): Promise<void> {
  const before = digests(folder);
  const { code, stderr } = await startInVain(folder);
  expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 2, lines: 1 });
  expect(stderr).toStartWith('petstore: ');
  for (const word of words) expect(stderr).toContain(word);
  expect(changes(before, digests(folder))).toEqual([]);
}

/** Names of files that are new, deleted or changed, without the service's locks. */
function changes(before: Record<string, string>, after: Record<string, string>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !name.endsWith('.lock') && before[name] !== after[name]);
}

/** Ways to damage a file. */
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'with a garbage header': (path) => overwrite(path, 0, 100),
  'that is text': (path) => writeFileSync(path, 'hello'),
  'with garbage in its middle': (path) => overwrite(path, 3 * PAGE, PAGE),
  'with bits flipped in the head of a page': (path) => flip(path, 2 * PAGE, 12),
  'that is cut short at a page': (path) => truncateSync(path, 4 * PAGE),
  'that is cut short within a page': (path) => truncateSync(path, 4 * PAGE + 100),
  'that is cut short within its header': (path) => truncateSync(path, 50),
};

function overwrite(path: string, at: number, length: number): void {
  const random = seededRandom(7);
  edit(path, at, length, () => Math.floor(random() * 256));
}

function flip(path: string, at: number, length: number): void {
  edit(path, at, length, (byte) => byte ^ 0b0101_1010);
}

function edit(path: string, at: number, length: number, change: (byte: number) => number): void {
  const content = readFileSync(path);
  for (let index = at; index < at + length; index += 1) {
    content[index] = change(content[index] ?? 0);
  }
  writeFileSync(path, content);
}

describe('the service refuses to start, says why, and changes nothing', () => {
  for (const file of ['production.db', 'staging.db', 'accounts.db']) {
    for (const [how, damage] of Object.entries(DAMAGES)) {
      test(`on ${file} ${how}`, async () => {
        using folder = temporaryFolder();
        await usedFolder(folder.path);
        damage(join(folder.path, file));
        await expectRefusal(folder.path, join(folder.path, file), 'Restore a backup');
      });
    }
  }

  test('on an SQLite database of another program', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    const path = join(folder.path, 'production.db');
    writeFileSync(path, '');
    const foreign = new Database(path);
    foreign.run('CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)');
    foreign.close();
    await expectRefusal(folder.path, path, 'not a file of this service');
  });

  test('on one of its own files in the place of another', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    const path = join(folder.path, 'production.db');
    cpSync(join(folder.path, 'accounts.db'), path);
    await expectRefusal(folder.path, path, 'not a file of this service for this purpose');
  });

  test('on a file that a newer release wrote', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    const path = join(folder.path, 'production.db');
    const database = new Database(path);
    database.run('PRAGMA user_version = 999');
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    await expectRefusal(folder.path, path, 'newer release', '999');
  });

  test('on a folder in the place of a file', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    const path = join(folder.path, 'staging.db');
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    await expectRefusal(folder.path, path);
  });

  test('on a lock that is no lock', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    writeFileSync(join(folder.path, 'production.lock'), 'x'.repeat(8_192));
    await expectRefusal(folder.path, 'Cannot lock', 'production.lock');
  });

  test('on a secret that is cut short, or is another one', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    truncateSync(join(folder.path, 'secret'), 10);
    await expectRefusal(folder.path, 'secret', 'cut short');
    writeFileSync(join(folder.path, 'secret'), 'x'.repeat(64));
    await expectRefusal(folder.path, 'PETSTORE_SECRET', 'another secret');
  });

  test.skipIf(!mayStepDown)('on a file that it may not read', async () => {
    using folder = temporaryFolder();
    await usedFolder(folder.path);
    for (const name of ['', ...readdirSync(folder.path)]) {
      if (AS_NOBODY.length > 0) chownSync(join(folder.path, name), NOBODY, NOBODY);
    }
    const path = join(folder.path, 'production.db');
    const before = digests(folder.path);
    chmodSync(path, 0o000);
    const starting = ServiceProcess.start(onFolder(folder.path), [], AS_NOBODY);
    const problem = await starting.then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(problem).toMatch(/^Error: petstore: Cannot open [^\n]*production\.db: [^\n]+\n$/);
    chmodSync(path, 0o600);
    expect(changes(before, digests(folder.path))).toEqual([]);
  });

  test('also when what is damaged has a write-ahead log', async () => {
    using folder = temporaryFolder();
    const key = await usedFolder(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    await clientOf(service, key).createPet({ name: 'Rex', categoryId: 1 });
    await service.end('SIGKILL');
    overwrite(join(folder.path, 'production.db'), 0, 100);
    const before = digests(folder.path);
    expect((await startInVain(folder.path)).code).toBe(2);
    // The index of the log (-shm) contains no data of its own; readers may rebuild it.
    const own = ['production.db', 'production.db-wal'];
    expect(changes(before, digests(folder.path)).filter((name) => own.includes(name))).toEqual([]);
  });
});

describe('the service starts', () => {
  test('on files that are empty, as if they were new', async () => {
    using folder = temporaryFolder();
    for (const name of ['accounts.db', 'production.db']) writeFileSync(join(folder.path, name), '');
    await using service = await ServiceProcess.start(onFolder(folder.path));
    expect(await allNames(clientOf(service, await makeKey(folder.path)))).toEqual([]);
  });

  test('on a file whose making was cut off before its tables were there', async () => {
    using folder = temporaryFolder();
    const unfinished = new Database(join(folder.path, 'production.db'));
    unfinished.run('PRAGMA journal_mode = WAL');
    unfinished.close();
    await using service = await ServiceProcess.start(onFolder(folder.path));
    expect(await allNames(clientOf(service, await makeKey(folder.path)))).toEqual([]);
  });

  test('with the other environment, when the file of one is damaged', async () => {
    using folder = temporaryFolder();
    const key = await usedFolder(folder.path);
    overwrite(join(folder.path, 'staging.db'), 0, 100);
    await using service = await ServiceProcess.start(onFolder(folder.path), [
      ...['--only', 'production'],
    ]);
    expect(await allNames(clientOf(service, key))).toHaveLength(1_000);
  });
});

describe('one folder', () => {
  test('is served once: a second service refuses to start and says why', async () => {
    using folder = temporaryFolder();
    const key = await usedFolder(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    for (const args of [[], ['--only', 'production'], ['--only', 'staging']]) {
      const { code, stderr } = await startInVain(folder.path, args);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^petstore: Another process serves (production|staging) from [^\n]+\n$/,
      );
    }
    expect((await clientOf(service, key).listPets()).pets).toHaveLength(20);
  });

  test('is free again after SIGKILL', async () => {
    using folder = temporaryFolder();
    const key = await usedFolder(folder.path);
    await using killed = await ServiceProcess.start(onFolder(folder.path));
    await killed.end('SIGKILL');
    await using service = await ServiceProcess.start(onFolder(folder.path));
    expect((await clientOf(service, key).listPets()).pets).toHaveLength(20);
  });

  test('may be served by one process per environment', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path, 'production');
    const stagingKey = await makeKey(folder.path, 'staging');
    const settings = onFolder(folder.path);
    await using production = await ServiceProcess.start(settings, ['--only', 'production']);
    await using staging = await ServiceProcess.start(settings, ['--only', 'staging']);
    const stagingClient = clientOf(staging, stagingKey, { baseUrl: staging.url('staging') });
    await Promise.all([
      clientOf(production, key).createPet({ name: 'Rex', categoryId: 1 }),
      stagingClient.createPet({ name: 'Ada', categoryId: 1 }),
    ]);
    expect(await allNames(clientOf(production, key))).toEqual(['Rex']);
    expect(await allNames(stagingClient)).toEqual(['Ada']);
  });

  test('that is new is made once by many commands that start at the same moment', async () => {
    using folder = temporaryFolder();
    const emails = Array.from({ length: 8 }, (_, index) => `person${index}@example.com`);
    const results = await Promise.all(
      emails.map((email) => runCommand(['keys', 'create', email], onFolder(folder.path))),
    );
    expect(results.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(
      Array(8).fill(''),
    );
    await using service = await ServiceProcess.start(onFolder(folder.path));
    for (const { stdout } of results) {
      expect(await allNames(clientOf(service, stdout.trim()))).toEqual([]);
    }
  });
});
