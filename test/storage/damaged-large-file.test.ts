import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz as processReadyz } from '../support/readyz.ts';
import { startInVain } from '../support/refused-start.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { makeKey, onFolder, seededRandom } from '../support/storage.ts';
import { pet } from './ports/backend.ts';

const MEGABYTE = 1024 * 1024;
const DAMAGE = 64 * 1024;

let key: string;
/** A folder whose database of production is too large for a complete check at the start. */
const original = temporaryFolder();

beforeAll(async () => {
  key = await makeKey(original.path);
  const stores = await openStores(readConfig(onFolder(original.path)), systemClock, REUSED_THREADS);
  const pets = Array.from({ length: 30_000 }, (_, index) => pet(`an animal with number ${index}`));
  await stores.environment('production').pets.import(pets);
  stores.environment('staging');
  await stores.close();
  expect(statSync(join(original.path, 'production.db')).size).toBeGreaterThan(1.5 * MEGABYTE);
});
afterAll(() => original[Symbol.dispose]());

function copy() {
  const folder = temporaryFolder();
  cpSync(original.path, folder.path, { recursive: true });
  return { ...folder, database: join(folder.path, 'production.db') };
}

/** Overwrites 64 KB in the middle of a file with random bytes. */
function damage(path: string): void {
  const random = seededRandom(7);
  const content = readFileSync(path);
  const middle = Math.floor(content.length / 2);
  for (let at = middle; at < middle + DAMAGE; at += 1) content[at] = Math.floor(random() * 256);
  writeFileSync(path, content);
}

async function readyz(url: string): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${url}/readyz`);
  return { status: reply.status, text: await reply.text() };
}

describe('damage in a large database', () => {
  test('is found beside requests, shown by /readyz, a metric and the log, and refuses the next start', async () => {
    using folder = copy();
    damage(folder.database);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const url = `http://localhost:${service.opsPort}`;
    await eventually(async () => (await processReadyz(service)).status === 503);
    const problem = `${folder.database} is damaged: `;
    expect((await processReadyz(service)).text).toStartWith(problem);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('petstore_not_ready{check="database_files"} 1');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toContain(`"check":"database_files","problem":"${problem}`);

    const { code, stderr } = await startInVain(folder.path);
    expect(stderr).toStartWith(`petstore: ${problem}`);
    expect(stderr).toContain('Restore a backup');
    expect(code).toBe(2);
  });

  test('is shown at once when a request meets it', async () => {
    using folder = copy();
    damage(folder.database);
    const clock = new ManualClock();
    await using service = await TestService.start({ folder: folder.path, clock });
    expect((await readyz(service.opsUrl)).status).toBe(200);
    let status = 200;
    for (let after = 0; after < 30_000 && status === 200; after += 1_000) {
      ({ status } = await service.request(`/pets?limit=100&after=${after}`, { key }));
    }
    expect(status).toBe(503);
    expect((await readyz(service.opsUrl)).text).toContain(`${folder.database} is damaged`);
  });

  test('no longer refuses the start once the file was put back', async () => {
    using folder = copy();
    const sound = readFileSync(folder.database);
    damage(folder.database);
    const clock = new ManualClock();
    const service = await TestService.start({ folder: folder.path, clock });
    await service.runJobs('check database files');
    expect((await readyz(service.opsUrl)).text).toContain('is damaged');
    await service.stop();
    expect((await startInVain(folder.path)).code).toBe(2);
    writeFileSync(folder.database, sound);
    await using next = await TestService.start({ folder: folder.path, clock });
    await next.runJobs('check database files');
    expect((await readyz(next.opsUrl)).status).toBe(200);
    expect(readFileSync(join(folder.path, 'store.json'), 'utf8')).not.toContain('damage');
  });
});

describe('store check', () => {
  test('reads every database, while the service runs, and finds nothing in a sound one', async () => {
    using folder = copy();
    await using _service = await ServiceProcess.start(onFolder(folder.path));
    const { stdout, stderr, code } = await runCommand(['store', 'check'], onFolder(folder.path));
    const names = ['accounts.db', 'production.db', 'staging.db'];
    expect(stdout.trimEnd().split('\n')).toEqual(
      names.map((name) => `${join(folder.path, name)}: in order`),
    );
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  test('names the damaged one, and fails', async () => {
    using folder = copy();
    damage(folder.database);
    const { stdout, code } = await runCommand(['store', 'check', '--json'], onFolder(folder.path));
    const checked: Array<{ file: string; damage: string | null }> = JSON.parse(stdout);
    const damaged = checked.filter((file) => file.damage !== null).map(({ file }) => file);
    expect(damaged).toEqual([folder.database]);
    expect(code).toBe(1);
  });

  test.each([
    ['missing', (path: string) => rmSync(path)],
    ['empty', (path: string) => truncateSync(path)],
  ])('names a database of the store that is %s, and fails', async (how, lose) => {
    using folder = copy();
    lose(folder.database);
    const { stdout, code } = await runCommand(['store', 'check'], onFolder(folder.path));
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${join(folder.path, 'accounts.db')}: in order`,
      `${join(folder.path, 'staging.db')}: in order`,
      `${folder.database}: the file is ${how}`,
    ]);
    expect(code).toBe(1);
  });

  test('finds a given file that is empty, and names one that it cannot open', async () => {
    using folder = copy();
    truncateSync(folder.database);
    expect(await runCommand(['store', 'check', folder.database], {})).toEqual({
      code: 1,
      stdout: `${folder.database}: the file is empty\n`,
      stderr: 'petstore: 1 of 1 files damaged.\n',
    });
    expect(await runCommand(['store', 'check', folder.path], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: `petstore: Cannot check ${folder.path}: unable to open database file (SQLITE_CANTOPEN, EISDIR). It is a folder in the place of a file. Move the folder away, and put the file back.\n`,
    });
  });

  test('says that there is no such file', async () => {
    expect(await runCommand(['store', 'check', '/nowhere.db'], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: 'petstore: There is no file /nowhere.db.\n',
    });
  });
});
