import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type Config, readConfig } from '../../src/config/config.ts';
import { type Clock, DAY, SECOND } from '../../src/lib/clock.ts';
import { createDatedBackup } from '../../src/storage/backup/dated.ts';
import { verifyBackup } from '../../src/storage/backup/verify.ts';
import { eventually, ManualClock, temporaryFolder } from '../support/harness.ts';
import { AS_NOBODY, giveToNobody } from '../support/nobody.ts';
import { PROGRAM, runCommand, ServiceProcess, startCommand } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

const NAME = /^petstore-\d{8}T\d{6}Z\.backup$/;

/** A data folder with a key, and a folder for its backups. */
async function places() {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const to = join(folder.path, 'backups');
  mkdirSync(to);
  const key = await makeKey(data);
  return {
    data,
    to,
    key,
    config: readConfig(onFolder(data)),
    root: folder.path,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The content of the folder without the lock. */
function listing(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== '.petstore-backup.lock')
    .sort();
}

function backUpByDate(config: Config, to: string, keep: number | undefined, clock: Clock) {
  return createDatedBackup(config, to, keep, clock, async () => {});
}

/** The record of the last backup in the accounts of a data folder. */
function recordedBackup(data: string): unknown {
  using accounts = new Database(join(data, 'accounts.db'), { readonly: true });
  const [value] = accounts
    .query("SELECT value FROM settings WHERE name = 'last_backup'")
    .values()
    .flat();
  return value ? JSON.parse(String(value)) : undefined;
}

describe('backup --to', () => {
  test('names a backup by its date, which restores into a fresh folder', async () => {
    using place = await places();
    await using service = await ServiceProcess.start(onFolder(place.data));
    await clientOf(service, place.key).createPet({ name: 'Kept', categoryId: 1 });

    const made = await runCommand(
      ['backup', '--to', place.to, '--keep', '14', '--json'],
      onFolder(place.data),
    );

    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    const [name = ''] = listing(place.to);
    expect(name).toMatch(NAME);
    const { file, createdAt, deleted, damaged } = JSON.parse(made.stdout);
    expect([file, deleted, damaged]).toEqual([join(place.to, name), [], []]);
    expect(name).toBe(`petstore-${createdAt.replaceAll(/[-:]|\.\d+/g, '')}.backup`);
    const fresh = join(place.root, 'fresh');
    const restore = await runCommand(['restore', file], onFolder(fresh));
    expect(restore.code).toBe(0);
    await using restored = await ServiceProcess.start(onFolder(fresh));
    expect(await allNames(clientOf(restored, place.key))).toEqual(['Kept']);
  });

  test('keeps the newest, and deletes nothing that it did not make', async () => {
    using place = await places();
    const clock = new ManualClock();
    const foreign = ['petstore-20200101T000000Z.backup', 'notes.txt', 'before.backup'];
    for (const name of foreign) writeFileSync(join(place.to, name), 'not a backup');
    const made: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      const { file } = await backUpByDate(place.config, place.to, undefined, clock);
      made.push(file);
      clock.advance(DAY);
    }
    // A renamed backup is not recognized, because its name does not match its date.
    renameSync(made[0] ?? '', join(place.to, 'petstore-20210101T000000Z.backup'));

    const last = await backUpByDate(place.config, place.to, 2, clock);

    expect(last.deleted.toSorted()).toEqual(made.slice(1, 3));
    expect(last.damaged).toEqual([expect.stringContaining('petstore-20200101T000000Z.backup: ')]);
    expect(listing(place.to)).toEqual(
      [
        ...foreign,
        'petstore-20210101T000000Z.backup',
        ...[made[3], last.file].map((file) => file?.split('/').at(-1) ?? ''),
      ].sort(),
    );
  });

  test('gives each of several backups of one second a name of its own, and keeps the newest', async () => {
    using place = await places();
    const clock = new ManualClock();
    const names: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      const { file } = await backUpByDate(place.config, place.to, undefined, clock);
      names.push(basename(file));
    }
    expect(names.slice(0, 2)).toEqual([
      'petstore-20270102T120000Z.backup',
      'petstore-20270102T120000Z_2.backup',
    ]);
    expect(new Set(names).size).toBe(11);
    expect(listing(place.to)).toEqual(names.toSorted());

    const last = await backUpByDate(place.config, place.to, 3, clock);

    expect(last.deleted.map((file) => basename(file)).toSorted()).toEqual(
      names.slice(0, 9).toSorted(),
    );
    expect(last.damaged).toEqual([]);
    expect((await verifyBackup(last.file)).file).toBe(last.file);
  });

  test('never takes the name of a deleted one, so that the order of names is that of the backups', async () => {
    using place = await places();
    const clock = new ManualClock();
    const made: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { file } = await backUpByDate(place.config, place.to, 2, clock);
      made.push(basename(file));
    }
    expect(listing(place.to)).toEqual(made.slice(-2));
  });

  test('waits for another one into the same folder', async () => {
    using place = await places();
    const args = ['backup', '--to', place.to, '--keep', '9'];
    const all = await Promise.all([1, 2, 3].map(() => runCommand(args, onFolder(place.data))));
    expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array.from(all, () => ({ code: 0, stderr: '' })),
    );
    expect(listing(place.to)).toHaveLength(3);
  });

  test('leaves a file alone that has the name of its second', async () => {
    using place = await places();
    const taken = join(place.to, 'petstore-20270102T120000Z.backup');
    mkdirSync(taken);
    const { file } = await backUpByDate(place.config, place.to, undefined, new ManualClock());
    expect(basename(file)).toBe('petstore-20270102T120000Z_2.backup');
  });

  test('says the same moment in the name and inside, however long it takes', async () => {
    using place = await places();
    const clock = new ManualClock();
    const slow = {
      now() {
        clock.advance(SECOND);
        return clock.now();
      },
    };
    const first = await backUpByDate(place.config, place.to, 1, slow);
    const second = await backUpByDate(place.config, place.to, 1, slow);
    expect(second.deleted).toEqual([first.file]);
  });

  test('counts whole backups alone: a damaged one takes no place of theirs', async () => {
    using place = await places();
    const clock = new ManualClock();
    const files: string[] = [];
    for (let day = 0; day < 3; day += 1) {
      files.push((await backUpByDate(place.config, place.to, undefined, clock)).file);
      clock.advance(DAY);
    }
    const [oldest = '', middle = '', newest = ''] = files;
    truncateSync(newest, readFileSync(newest).length - 200);

    const made = await backUpByDate(place.config, place.to, 2, clock);

    expect(made.deleted).toEqual([oldest]);
    expect(made.damaged).toEqual([expect.stringContaining(newest)]);
    expect((await verifyBackup(middle)).file).toBe(middle);
  });

  test.skipIf(AS_NOBODY.length === 0 || Bun.which('setpriv') === null)(
    'fails when an older backup cannot be deleted, but records its own (needs Linux and its administrator)',
    async () => {
      using place = await places();
      const { file } = await backUpByDate(place.config, place.to, undefined, new ManualClock());
      giveToNobody(place.root);
      // In a sticky folder only the owner of a file can delete it.
      for (const path of [file, place.to]) chownSync(path, 0, 0);
      chmodSync(file, 0o644);
      chmodSync(place.to, 0o1777);
      const args = ['backup', '--to', place.to, '--keep', '1'];
      const program = [...AS_NOBODY, ...PROGRAM];
      const { code, stderr } = await runCommand(args, onFolder(place.data), program);
      expect(code).toBe(1);
      expect(stderr).toContain(`Cannot delete ${file}: EPERM`);
      const newest = listing(place.to).find((name) => name !== basename(file)) ?? '';
      expect(recordedBackup(place.data)).toMatchObject({
        file: join(place.to, newest),
        isRegular: true,
      });
    },
  );

  test('leaves the backups of another store in the same folder alone', async () => {
    using place = await places();
    using other = await places();
    const clock = new ManualClock();
    const theirs = await backUpByDate(other.config, place.to, undefined, clock);
    clock.advance(DAY);
    await backUpByDate(place.config, place.to, 1, clock);
    clock.advance(DAY);

    const { deleted, file } = await backUpByDate(place.config, place.to, 1, clock);

    expect(deleted).toHaveLength(1);
    expect(listing(place.to)).toEqual(
      [theirs.file, file].map((each) => each.split('/').at(-1) ?? ''),
    );
  });

  test('that is killed leaves nothing that looks like a backup, and the next one clears up', async () => {
    using place = await places();
    const args = ['backup', '--to', place.to, '--keep', '3'];
    const child = startCommand(args, onFolder(place.data));
    await eventually(() => listing(place.to).length > 0, 60_000, 1);
    child.kill('SIGKILL');
    await child.exited;
    const whole = listing(place.to).filter((name) => NAME.test(name));
    for (const name of whole) await verifyBackup(join(place.to, name));
    mkdirSync(join(place.to, 'petstore-20260101T000000Z.backup.Xa81bQ'));

    const next = await backUpByDate(place.config, place.to, 3, new ManualClock());

    expect(listing(place.to)).toEqual([...whole, next.file.split('/').at(-1) ?? ''].sort());
  });

  test('refuses a folder that is not there, and arguments that contradict each other', async () => {
    using place = await places();
    const missing = join(place.root, 'nowhere');
    const absent = await runCommand(['backup', '--to', missing], onFolder(place.data));
    expect([absent.code, absent.stderr]).toEqual([
      1,
      `petstore: There is no folder ${missing}. Make it, for the user of the service.\n`,
    ]);
    for (const args of [[], ['a.backup', '--to', place.to], ['a.backup', '--keep', '3']]) {
      const { code } = await runCommand(['backup', ...args], onFolder(place.data));
      expect([args, code]).toEqual([args, 2]);
    }
  });
});
