import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { HOUR, MINUTE, systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { startInVain } from '../support/refused-start.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { makeKey, onFolder } from '../support/storage.ts';
import { pet } from './ports/backend.ts';

const CHECKED_AT_START = 1024 * 1024;

const SMALL = 2_000;

let key: string;
/** A folder whose database of production is checked at the start, and one with a too large database. */
const small = temporaryFolder();
const large = temporaryFolder();

beforeAll(async () => {
  for (const [{ path }, count] of [
    [small, SMALL],
    [large, 30_000],
  ] as const) {
    key = await makeKey(path);
    const stores = await openStores(readConfig(onFolder(path)), systemClock, REUSED_THREADS);
    const pets = Array.from({ length: count }, (_, index) => pet(`an animal with number ${index}`));
    await stores.environment('production').pets.import(pets);
    stores.environment('staging');
    await stores.close();
  }
  expect(statSync(join(small.path, 'production.db')).size).toBeLessThan(CHECKED_AT_START);
  expect(statSync(join(large.path, 'production.db')).size).toBeGreaterThan(CHECKED_AT_START);
});
afterAll(() => {
  for (const folder of [small, large]) folder[Symbol.dispose]();
});

function copyOf(original: string) {
  const folder = temporaryFolder();
  cpSync(original, folder.path, { recursive: true });
  return { ...folder, database: join(folder.path, 'production.db') };
}

/** The content of a database whose last page of a table or an index is overwritten. */
function withDamagedEnd(path: string, name: string): Buffer {
  using database = new Database(path, { readonly: true });
  const number = (sql: string) => Number(database.query(sql).values()[0]?.[0]);
  const bytes = number('PRAGMA page_size');
  const content = readFileSync(path);
  let page = number(`SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`);
  const start = () => (page - 1) * bytes;
  // Inner pages store the number of their last child after the first eight bytes of their header.
  while ([2, 5].includes(content[start()] ?? 0)) page = content.readUInt32BE(start() + 8);
  return content.fill(0xa5, start(), start() + bytes);
}

/** Runs in another process, because closing a file drops this process's locks on it. */
function overwrite(path: string, content: Buffer): void {
  const { exitCode } = Bun.spawnSync(['dd', `of=${path}`, 'conv=notrunc', 'status=none'], {
    stdin: content,
  });
  expect(exitCode).toBe(0);
}

async function readyz({ opsUrl }: TestService): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${opsUrl}/readyz`);
  return { status: reply.status, text: await reply.text() };
}

const REX = { name: 'Rex', categoryId: 1 };

describe('a record that cannot be written', () => {
  test('is shown until it can be: a probe writes more than the database', async () => {
    using folder = copyOf(small.path);
    const manifest = join(folder.path, 'store.json');
    const draft = `${manifest}.new`;
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace(/"reservedUpTo": 1\d+/, `"reservedUpTo": ${SMALL}`));
    const clock = new ManualClock();
    await using service = await TestService.start({ folder: folder.path, clock });
    const { secret } = await service.account();
    mkdirSync(draft);
    expect((await service.post(secret, REX)).status).toBe(503);
    await service.runJobs('probe failing writes');
    const { status, text: problem } = await readyz(service);
    expect(problem).toMatch(/^production\.db cannot be written \(last result .* EISDIR/);
    expect(status).toBe(503);
    rmdirSync(draft);
    await service.runJobs('probe failing writes');
    expect((await readyz(service)).status).toBe(200);
  });
});

describe('damage', () => {
  test('that a creation meets is shown until it is gone, although other pages can be written', async () => {
    using folder = copyOf(large.path);
    const sound = readFileSync(folder.database);
    writeFileSync(folder.database, withDamagedEnd(folder.database, 'pets_by_status'));
    const clock = new ManualClock();
    await using service = await TestService.start({ folder: folder.path, clock });
    expect((await readyz(service)).status).toBe(200);
    expect((await service.post(key, REX)).status).toBe(503);
    const problem = `${folder.database} is damaged: database disk image is malformed`;
    for (let round = 0; round < 2; round += 1) {
      await service.runJobs('probe failing writes');
      const { status, text } = await readyz(service);
      expect(text).toBe(
        `${problem}. Restore a backup (petstore restore FILE --replace), or move the file away and recreate it without what it held: petstore store recreate production.db\n`,
      );
      expect(status).toBe(503);
      clock.advance(MINUTE);
      await service.runJobs('check database files');
    }
    overwrite(folder.database, sound);
    clock.advance(MINUTE);
    await service.runJobs('check database files');
    expect((await readyz(service)).status).toBe(200);
    expect((await service.post(key, REX)).status).toBe(201);
  });

  test('that the start meets where it looks for the highest id names the file', async () => {
    using folder = copyOf(large.path);
    writeFileSync(folder.database, withDamagedEnd(folder.database, 'pets'));
    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(
      `petstore: Cannot open ${folder.database}: database disk image is malformed. Restore a backup`,
    );
    expect(code).toBe(2);
  });

  test('of a small file after the start is found within an hour', async () => {
    using folder = copyOf(small.path);
    const clock = new ManualClock();
    await using service = await TestService.start({ folder: folder.path, clock });
    await service.runJobs('check database files');
    overwrite(folder.database, withDamagedEnd(folder.database, 'pets'));
    clock.advance(HOUR);
    await service.runJobs('check database files');
    const { status, text } = await readyz(service);
    expect(text).toStartWith(`${folder.database} is damaged: `);
    expect(status).toBe(503);
  });
});
