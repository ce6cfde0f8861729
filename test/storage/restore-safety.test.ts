import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { restoreBackup } from '../../src/storage/backup/restore.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { takeLock } from '../../src/storage/sqlite/lock.ts';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, PROGRAM, runCommand, ServiceProcess } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

/** A data folder with a key and some pets, and its backup. */
async function backedUp(animals = 3) {
  const root = temporaryFolder();
  const data = join(root.path, 'data');
  const file = join(root.path, 'pets.backup');
  const key = await makeKey(data);
  for (const args of [
    ['seed', '--pets', String(animals)],
    ['backup', file],
  ]) {
    expect(await runCommand(args, onFolder(data))).toMatchObject({ code: 0, stderr: '' });
  }
  return { data, file, key, root: root.path, [Symbol.dispose]: () => root[Symbol.dispose]() };
}

function restore({ data, file }: { data: string; file: string }) {
  return runCommand(['restore', file, '--replace'], onFolder(data));
}

/** No file may grow beyond 64 KiB. */
const NO_FILE_ABOVE_64_KIB = ['bash', '-c', 'trap "" XFSZ; ulimit -f 64; exec "$@"', 'bash'];

describe('restore and whoever else uses the folder', () => {
  test('exclude each other: it refuses while a command has the stores open', async () => {
    using place = await backedUp();
    const stores = await openStores(readConfig(onFolder(place.data)), systemClock, REUSED_THREADS);
    const refused = await restore(place);
    await stores.environment('production').pets.import([]);
    await stores.close();
    expect(refused).toEqual({
      code: 2,
      stdout: '',
      stderr: `petstore: ${place.data} is in use by the service or a command. Stop it, or wait for its end.\n`,
    });
    expect(await restore(place)).toMatchObject({ code: 0, stderr: '' });
  });

  test('exclude each other: nothing opens the folder while it is restored', async () => {
    using place = await backedUp();
    const lock = takeLock(join(place.data, 'folder.lock'));
    const before = readdirSync(place.data);
    for (const args of [
      ['seed', '--pets', '1'],
      ['accounts', 'list'],
      ['backup', `${place.file}.2`],
      ['serve'],
    ]) {
      const refused = await runCommand(args, { ...onFolder(place.data), PETSTORE_PORT: '0' });
      expect(refused).toEqual({
        code: 2,
        stdout: '',
        stderr: `petstore: A backup is being restored into ${place.data}. Wait for its end. If there is none, another program holds a lock on ${place.data}/folder.lock: end that program (fuser or lsof on the file names it).\n`,
      });
    }
    lock?.release();
    expect(readdirSync(place.data)).toEqual(before);
    expect(existsSync(`${place.file}.2`)).toBe(false);
  });

  test('do not exclude each other where both are safe: commands beside commands', async () => {
    using place = await backedUp();
    const stores = await openStores(readConfig(onFolder(place.data)), systemClock, REUSED_THREADS);
    expect(await runCommand(['seed', '--pets', '1'], onFolder(place.data))).toMatchObject({
      code: 0,
    });
    await stores.close();
  });
});

describe('a restore that was killed half way', () => {
  test.each(['', '{"production":3,"st'])(
    'lets nothing start before it was run again: mark %j',
    async (mark) => {
      using place = await backedUp();
      // The state after SIGKILL: the former files are moved aside, some of the new ones are in place.
      writeFileSync(join(place.data, 'restore-unfinished'), mark);
      const aside = join(place.data, 'before-restore-x');
      mkdirSync(aside);
      mkdirSync(join(place.data, '.restore-abc'));
      renameSync(join(place.data, 'accounts.db'), join(aside, 'accounts.db'));
      for (const args of [['serve'], ['accounts', 'list'], ['backup', `${place.file}.2`]]) {
        const refused = await runCommand(args, { ...onFolder(place.data), PETSTORE_PORT: '0' });
        expect(refused).toEqual({
          code: 2,
          stdout: '',
          stderr: `petstore: A restore into ${place.data} was cut off. Run it again: petstore restore FILE --replace\n`,
        });
      }
      expect(existsSync(join(place.data, 'accounts.db'))).toBe(false);

      expect(await restore(place)).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(place.data).filter((name) => /^\.|unfinished/.test(name))).toEqual([]);
      await using service = await ServiceProcess.start(onFolder(place.data));
      expect(await allNames(clientOf(service, place.key))).toHaveLength(3);
    },
  );

  test('left its mark before it touched anything', async () => {
    using place = await backedUp();
    // The folder for the former files cannot be created, because a file has its name.
    const now = systemClock.now();
    const stamp = new Date(now.wall).toISOString().replaceAll(/[:.]/g, '-');
    writeFileSync(join(place.data, `before-restore-${stamp}`), '');
    const config = readConfig(onFolder(place.data));
    const restoring = restoreBackup(config, place.file, true, { now: () => now });
    const error = await restoring.catch(String);
    expect(error).toStartWith(`OperatorError: Cannot restore into ${place.data}: EEXIST`);
    expect(existsSync(join(place.data, 'restore-unfinished'))).toBe(true);
    expect(existsSync(join(place.data, 'accounts.db'))).toBe(true);
  });
});

describe('a restore', () => {
  test('without room says so, and does not blame the backup', async () => {
    using place = await backedUp(5_000);
    const before = readdirSync(place.data);
    const args = [...PROGRAM, 'restore', place.file, '--replace'];
    const child = Bun.spawn([...NO_FILE_ABOVE_64_KIB, ...args], {
      env: cleanEnvironment(onFolder(place.data)),
      stdout: 'ignore',
      stderr: 'pipe',
    });
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    expect(stderr).toMatch(/^petstore: Cannot restore into [^\n]+: EFBIG[^\n]+\n$/);
    expect(code).toBe(1);
    expect(readdirSync(place.data)).toEqual(before);
  });
});
