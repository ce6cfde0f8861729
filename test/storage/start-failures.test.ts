import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody, NOBODY } from '../support/nobody.ts';
import { cleanEnvironment, PROGRAM, runCommand } from '../support/process.ts';
import { startInVain } from '../support/refused-start.ts';
import { digests, makeKey, onFolder } from '../support/storage.ts';
import { canPreload, FaultyDisk } from './disk/faulty-disk.ts';

/** Files that every start opens, all of which a test can take away from the service. */
const FILES = [
  ...['accounts.db', 'accounts.ids', 'production.db', 'production.ids', 'store.json', 'secret'],
  'folder.lock',
] as const;

const mayMount =
  Bun.spawnSync(['unshare', '--map-root-user', '--mount', 'true'], { stderr: 'ignore' })
    .exitCode === 0;
const mayStepDown = AS_NOBODY.length > 0 && Bun.which('setpriv') !== null;

/** Advice that loses data if the file is intact. */
const LOSES_DATA = /[Rr]estore a backup|begin-anew|begin it anew|Put it back from a backup/;

const root = temporaryFolder();
const original = join(root.path, 'original');
let copies = 0;

beforeAll(async () => {
  chmodSync(root.path, 0o755);
  await makeKey(original);
  await runCommand(['seed', '--pets', '3'], onFolder(original));
});
afterAll(() => root[Symbol.dispose]());

/** A copy of a data folder that has been used. */
function copy(): string {
  copies += 1;
  const folder = join(root.path, `copy-${copies}`);
  cpSync(original, folder, { recursive: true });
  return folder;
}

/** Expects the start and a command to name the cause, to advise nothing that loses data, and to change nothing. */
async function expectRefusals(
  folder: string,
  words: readonly string[],
  program: readonly string[] = PROGRAM,
  commands: readonly string[][] = [['serve'], ['seed', '--pets', '1']],
): Promise<void> {
  for (const args of commands) {
    const ports = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
    const { code, stderr } = await runCommand(args, { ...onFolder(folder), ...ports }, [
      ...program,
    ]);
    expect({ args, code, stderr }).toMatchObject({ code: 2 });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(LOSES_DATA);
  }
}

/** Digests of all files but locks, which a start makes. */
function contents(folder: string) {
  return Object.entries(digests(folder)).filter(([name]) => !name.endsWith('.lock'));
}

/** Expects that the folder works as before. */
async function expectToWork(folder: string): Promise<void> {
  const listed = await runCommand(['accounts', 'list'], onFolder(folder));
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toContain('production@example.com');
  expect(await runCommand(['store', 'check'], onFolder(folder))).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, 'store.json'))).toBe(true);
}

describe.skipIf(!mayStepDown)('a file of another owner is named with its owner and mode', () => {
  for (const name of [...FILES, '']) {
    test(name || 'the folder itself', async () => {
      const folder = copy();
      giveToNobody(folder);
      const path = name === '' ? folder : join(folder, name);
      chownSync(path, 0, 0);
      const before = contents(folder);
      const words = [`${path} belongs to user 0 and group 0 with mode `, `runs as user ${NOBODY}`];
      await expectRefusals(folder, words, [...AS_NOBODY, ...PROGRAM]);
      expect(contents(folder)).toEqual(before);
      chownSync(path, NOBODY, NOBODY);
      await expectToWork(folder);
    });
  }
});

describe('a symbolic link is named', () => {
  for (const name of FILES) {
    test(`in the place of ${name}, in a circle or to nothing`, async () => {
      const folder = copy();
      const path = join(folder, name);
      renameSync(path, `${path}.away`);
      for (const [target, words] of [
        [name, 'symbolic links lead in a circle'],
        ['/nowhere/at-all', 'a symbolic link to /nowhere/at-all, which does not exist'],
      ] as const) {
        symlinkSync(target, path);
        await expectRefusals(folder, [path, words]);
        rmSync(path);
      }
      renameSync(`${path}.away`, path);
      await expectToWork(folder);
    });
  }

  test('in the place of the folder, or a file on the way to it', async () => {
    const folder = copy();
    const link = join(root.path, 'link');
    symlinkSync('link', link);
    await expectRefusals(link, ['symbolic links lead in a circle']);
    await expectRefusals(join(folder, 'secret', 'data'), ['ENOTDIR', 'a file instead of a folder']);
    await expectRefusals(join(folder, 'secret'), ['a file instead of a folder']);
    for (const args of [
      ['backup', join(root.path, 'b')],
      ['store', 'begin-anew', 'production.db'],
    ]) {
      const { code, stderr } = await runCommand(args, onFolder(link));
      expect(code).toBe(2);
      expect(stderr).toContain('symbolic links lead in a circle');
    }
  });

  test('to begin-anew, which does not take the file for lost', async () => {
    const folder = copy();
    const path = join(folder, 'production.db');
    renameSync(path, `${path}.away`);
    symlinkSync('/nowhere/at-all', path);
    const { code, stderr } = await runCommand(
      ['store', 'begin-anew', 'production.db'],
      onFolder(folder),
    );
    expect(code).toBe(2);
    expect(stderr).toContain('which does not exist');
    rmSync(path);
    renameSync(`${path}.away`, path);
    await expectToWork(folder);
  });
});

test.skipIf(!mayStepDown)('a lock of another owner is named when the start needs it', async () => {
  const folder = copy();
  giveToNobody(folder);
  const path = join(folder, 'store.lock');
  chownSync(path, 0, 0);
  // Staging has no database yet, so the start changes the manifest.
  await expectRefusals(
    folder,
    [`${path} belongs to user 0`],
    [...AS_NOBODY, ...PROGRAM],
    [['serve']],
  );
  chownSync(path, NOBODY, NOBODY);
  await expectToWork(folder);
});

test('a folder in the place of a file is named', async () => {
  for (const name of ['accounts.db', 'production.ids', 'folder.lock']) {
    const folder = copy();
    const path = join(folder, name);
    renameSync(path, `${path}.away`);
    mkdirSync(path);
    await expectRefusals(folder, [path, 'a folder in the place of a file']);
    rmSync(path, { recursive: true });
    renameSync(`${path}.away`, path);
    await expectToWork(folder);
  }
});

test('a lock that another program holds is named', async () => {
  const folder = copy();
  const path = join(folder, 'accounts.db');
  const other = new Database(path);
  other.run('PRAGMA locking_mode = EXCLUSIVE');
  other.run('BEGIN EXCLUSIVE');
  const { code, stderr } = await startInVain(folder);
  expect({ code, stderr }).toMatchObject({ code: 2 });
  expect(stderr).toContain(`Cannot open ${path}: database is locked`);
  expect(stderr).toContain('Another program holds a lock on it.');
  expect(stderr).not.toMatch(LOSES_DATA);
  other.close();
  await expectToWork(folder);
});

test('a lack of file descriptors is named, wherever it ends the start', async () => {
  const folder = copy();
  let refusals = 0;
  for (let limit = 14; limit <= 21; limit += 1) {
    const program = ['bash', '-c', `ulimit -n ${limit}; exec "$@"`, 'bash', ...PROGRAM];
    const child = Bun.spawn([...program, 'serve'], {
      env: cleanEnvironment({ ...onFolder(folder), PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' }),
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const stderr = await new Response(child.stderr).text();
    expect(await child.exited).not.toBe(0);
    if (!stderr.includes(folder)) continue;
    refusals += 1;
    expect(stderr).toContain('no file descriptors left');
    expect(stderr).not.toMatch(LOSES_DATA);
  }
  expect(refusals).toBeGreaterThan(0);
  await expectToWork(folder);
});

describe.skipIf(!canPreload)('an input/output error (needs Linux and cc) is named', () => {
  for (const [fault, words] of [
    ['read fail 5 accounts.db', 'input/output error'],
    ['read fail 5 production.db', 'input/output error'],
    ['any fail 5 accounts.db-wal', 'input/output error'],
    ['any fail 28 accounts.db-wal', 'The disk is full.'],
    ['any fail 122 accounts.db-wal', 'the quota'],
  ] as const) {
    test(`as ${fault}`, async () => {
      using files = temporaryFolder();
      const folder = join(files.path, 'data');
      cpSync(original, folder, { recursive: true });
      const disk = await FaultyDisk.compile(files.path);
      const args = fault.includes('production') ? ['seed', '--pets', '1'] : CREATE;
      disk.set(fault);
      const { code, stderr } = await runCommand(args, disk.settings(folder));
      expect({ code, stderr }).toMatchObject({ code: expect.any(Number) });
      expect(code).not.toBe(0);
      expect(stderr).toContain(words);
      expect(stderr).not.toMatch(LOSES_DATA);
      disk.repair();
      await expectToWork(folder);
    });
  }
});

const CREATE = ['accounts', 'create', 'b@example.com'];

describe.skipIf(!mayMount)('a disk of its own (needs unshare) is named when it is', () => {
  for (const [how, fault, repair, words] of [
    ['full', 'dd if=/dev/zero of=ballast bs=4k 2>/dev/null', 'rm ballast', 'The disk is full.'],
    ['read-only', 'mount -o remount,ro .', 'mount -o remount,rw .', 'is mounted read-only'],
    [
      'out of inodes',
      'i=0; while : > empty-$i; do i=$((i + 1)); done 2>/dev/null',
      'rm empty-*',
      'df -i for inodes',
    ],
  ] as const) {
    test(how, async () => {
      const folder = copy();
      const script = `
        mkdir "$0/disk" && mount -t tmpfs -o size=3m,nr_inodes=40 none "$0/disk" || exit 9
        cp -a "$0"/*.* "$0/secret" "$0/disk"
        cd "$0/disk"
        ${fault}
        PETSTORE_DATA_DIR="$0/disk" "$@" accounts list && exit 8
        PETSTORE_DATA_DIR="$0/disk" PETSTORE_PORT=0 "$@" serve && exit 7
        ${repair}
        PETSTORE_DATA_DIR="$0/disk" "$@" accounts list
      `;
      const child = Bun.spawn(
        ['unshare', '--map-root-user', '--mount', 'bash', '-c', script, folder, ...PROGRAM],
        { env: cleanEnvironment({}), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      );
      const [stdout, stderr, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited,
      ]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toContain('production@example.com');
      expect(stderr.split(words)).toHaveLength(3);
      expect(stderr).not.toMatch(LOSES_DATA);
    });
  }
});
