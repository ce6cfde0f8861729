import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody, NOBODY } from '../support/nobody.ts';
import { cleanEnvironment, PROGRAM, runCommand, ServiceProcess } from '../support/process.ts';
import { startInVain } from '../support/refused-start.ts';
import { allNames, clientOf, digests, onFolder } from '../support/storage.ts';
import { expectToWork, LOSES_DATA, type StartScene, usedFolders } from './start-scene.ts';

/** Files that every start opens, all of which a test can take away from the service. */
const FILES = [
  ...['accounts.db', 'accounts.ids', 'production.db', 'production.ids', 'store.json', 'secret'],
  'folder.lock',
] as const;

const mayStepDown = AS_NOBODY.length > 0 && Bun.which('setpriv') !== null;

let scene: StartScene;
beforeAll(async () => {
  scene = await usedFolders();
});
afterAll(() => scene[Symbol.dispose]());
const copy = () => scene.copy();

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

test.skipIf(!mayStepDown)(
  'a request log of another owner is neither deleted nor keeps the service from starting',
  async () => {
    const folder = copy();
    const path = join(folder, 'requests.db');
    giveToNobody(folder);
    const use = async () => {
      const service = await ServiceProcess.start(onFolder(folder), [], AS_NOBODY);
      await allNames(clientOf(service, scene.key));
      return service;
    };
    await (await use()).end('SIGTERM');
    chownSync(path, 0, 0);
    const { ino } = lstatSync(path);
    await using service = await use();
    const readyz = `http://localhost:${service.opsPort}/readyz`;
    await eventually(async () => {
      await allNames(clientOf(service, scene.key));
      return (await (await fetch(readyz)).text()).includes(`${path} belongs to user 0`);
    });
    expect((await fetch(readyz)).status).toBe(200);
    expect(lstatSync(path).ino).toBe(ino);
    chownSync(path, NOBODY, NOBODY);
    await eventually(async () => {
      await allNames(clientOf(service, scene.key));
      return (await (await fetch(readyz)).text()) === 'ready\n';
    });
    expect(lstatSync(path).ino).toBe(ino);
    expect(await service.end('SIGTERM')).toBe(0);
  },
);

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

  test('in the place of a write-ahead log or the shared memory, also to a file', async () => {
    for (const name of ['accounts.db-wal', 'production.db-shm']) {
      const folder = copy();
      const path = join(folder, name);
      writeFileSync(`${path}.away`, '');
      for (const target of [`${path}.away`, '/nowhere/at-all']) {
        symlinkSync(target, path);
        const words = [`Cannot open ${join(folder, name.slice(0, -4))}`, 'a symbolic link, which'];
        await expectRefusals(folder, words);
        rmSync(path);
      }
      await expectToWork(folder);
    }
  });

  test('in the place of the folder, or a file on the way to it', async () => {
    const folder = copy();
    const link = join(scene.root, 'link');
    symlinkSync('link', link);
    await expectRefusals(link, ['symbolic links lead in a circle']);
    await expectRefusals(join(folder, 'secret', 'data'), ['ENOTDIR', 'a file instead of a folder']);
    await expectRefusals(join(folder, 'secret'), ['a file instead of a folder']);
    for (const args of [
      ['backup', join(scene.root, 'b')],
      ['store', 'recreate', 'production.db'],
    ]) {
      const { code, stderr } = await runCommand(args, onFolder(link));
      expect(code).toBe(2);
      expect(stderr).toContain('symbolic links lead in a circle');
    }
  });

  test('to recreate, which does not take the file for lost', async () => {
    const folder = copy();
    const path = join(folder, 'production.db');
    renameSync(path, `${path}.away`);
    symlinkSync('/nowhere/at-all', path);
    const { code, stderr } = await runCommand(
      ['store', 'recreate', 'production.db'],
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

test('the lock of the folder is named when no restore holds it', async () => {
  const folder = copy();
  const path = join(folder, 'folder.lock');
  const other = new Database(path);
  other.run('BEGIN EXCLUSIVE');
  await expectRefusals(folder, [`another program holds a lock on ${path}`], PROGRAM, [['serve']]);
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
