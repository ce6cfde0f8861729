import { describe, expect, test } from 'bun:test';
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody, NOBODY } from '../support/nobody.ts';
import { PROGRAM, runCommand, ServiceProcess } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

const mayStepDown = AS_NOBODY.length > 0 && Bun.which('setpriv') !== null;

/** What is below a path and belongs to somebody else than the user of the service, or is open to others. */
function foreign(path: string): string[] {
  return ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })].filter((name) => {
    const { uid, gid, mode } = lstatSync(join(path, name));
    return uid !== NOBODY || gid !== NOBODY || (mode & 0o077) !== 0;
  });
}

async function run(folder: string, ...args: string[]): Promise<void> {
  expect(await runCommand(args, onFolder(folder))).toMatchObject({ code: 0, stderr: '' });
}

/** A place for the user of the service, with a used data folder of that user and a backup of it. */
async function scene() {
  const root = temporaryFolder();
  chmodSync(root.path, 0o755);
  const home = join(root.path, 'home');
  const data = join(home, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  giveToNobody(home);
  const key = await makeKey(data);
  await run(data, 'seed', '--pets', '3');
  const file = join(root.path, 'pets.backup');
  await run(data, 'backup', file);
  return { root, home, data, file, key };
}

async function expectServed(data: string, key: string): Promise<void> {
  await using service = await ServiceProcess.start(onFolder(data), [], AS_NOBODY);
  expect(await allNames(clientOf(service, key))).toHaveLength(3);
  await clientOf(service, key).createPet({ name: 'Rex', categoryId: 1 });
  expect(await service.end('SIGTERM')).toBe(0);
}

describe.skipIf(!mayStepDown)(
  'what root makes for the user of the service belongs to that user',
  () => {
    test('a restore over existing data, with all that it moves aside', async () => {
      const { root, data, file, key } = await scene();
      using _ = root;
      expect(foreign(data)).toEqual([]);
      await run(data, 'restore', file, '--replace');
      expect(foreign(data)).toEqual([]);
      await expectServed(data, key);
    });

    test('a restore into a folder that it makes, in a folder of that user', async () => {
      const { root, home, file, key } = await scene();
      using _ = root;
      const data = join(home, 'deep', 'other');
      await run(data, 'restore', file);
      expect(foreign(join(home, 'deep'))).toEqual([]);
      await expectServed(data, key);
    });

    test('all that commands add to the data folder', async () => {
      const { root, data, key } = await scene();
      using _ = root;
      await run(data, 'seed', '--pets', '2', '--environment', 'staging');
      await run(data, 'accounts', 'create', 'another@example.com');
      expect(foreign(data)).toEqual([]);
      await expectServed(data, key);
    });

    test('backups, whose next one that user makes', async () => {
      const { root, data, file } = await scene();
      using _ = root;
      expect(lstatSync(file)).toMatchObject({ uid: NOBODY, gid: NOBODY });
      const backups = join(root.path, 'backups');
      mkdirSync(backups, { mode: 0o777 });
      chmodSync(backups, 0o777);
      await run(data, 'backup', '--to', backups, '--keep', '1');
      const user = [...AS_NOBODY, ...PROGRAM];
      const again = await runCommand(
        ['backup', '--to', backups, '--keep', '1'],
        onFolder(data),
        user,
      );
      expect(again).toMatchObject({ code: 0, stderr: '' });
      expect(again.stdout).toContain('Deleted');
      expect(foreign(backups).filter((name) => name !== '')).toEqual([]);
    });
  },
);
