import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { recordBackup } from '../../src/storage/backup/record.ts';
import { dataFolderAt, lockExclusive } from '../../src/storage/data-folder.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { digests, makeKey, onFolder } from '../support/storage.ts';

const JOB = 'look at the last backup';

/** A service with its log, and a function that records a backup in its store, like `petstore backup`. */
async function start() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const service = await TestService.start({ clock, log });
  const config = readConfig(onFolder(service.folder.path));
  return {
    service,
    clock,
    logged: (text: string) => lines.filter((line) => line.includes(text)).length,
    back: (isRegular: boolean) =>
      recordBackup(config, { at: clock.now().wall, file: '/backups/one.backup', isRegular }),
    async age() {
      const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
      return /^petstore_last_backup_age_seconds (.*)$/m.exec(text)?.[1];
    },
    async readiness() {
      const reply = await fetch(`${service.opsUrl}/readyz`);
      return [reply.status, await reply.text()];
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describe('the age of the last backup', () => {
  test('is a metric from the first backup on', async () => {
    await using scene = await start();
    expect(await scene.age()).toBeUndefined();

    await scene.back(false);
    scene.clock.advance(HOUR);

    expect(await scene.age()).toBe('3600');
    expect(await scene.service.stores.backups.last()).toEqual({
      at: scene.clock.now().wall - HOUR,
      file: '/backups/one.backup',
      isRegular: false,
    });
  });

  test('above 48 hours is a warning in the log and in /readyz, which stays ready', async () => {
    await using scene = await start();
    await scene.back(true);
    // A manual backup does not end the schedule.
    await scene.back(false);
    scene.clock.advance(48 * HOUR);
    await scene.service.runJobs(JOB);
    expect(await scene.readiness()).toEqual([200, 'ready\n']);

    scene.clock.advance(HOUR);
    for (let run = 0; run < 3; run += 1) await scene.service.runJobs(JOB);

    expect(await scene.readiness()).toEqual([
      200,
      'ready\nThe last backup is 49 hours old: /backups/one.backup. See whether petstore backup --to still runs.\n',
    ]);
    expect(scene.logged('the last backup is too old')).toBe(1);
    await scene.back(true);
    await scene.service.runJobs(JOB);
    expect(await scene.readiness()).toEqual([200, 'ready\n']);
    expect(scene.logged('the last backup is recent again')).toBe(1);
  });

  test('is no warning where backups were only made by hand', async () => {
    await using scene = await start();
    await scene.back(false);
    scene.clock.advance(1_000 * HOUR);
    await scene.service.runJobs(JOB);
    expect(await scene.readiness()).toEqual([200, 'ready\n']);
    expect(scene.logged('too old')).toBe(0);
  });
});

describe('recording a backup', () => {
  test('changes nothing in a folder that a restore is changing', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path);
    const config = readConfig(onFolder(folder.path));
    const before = digests(folder.path)['accounts.db'];
    const restore = lockExclusive(dataFolderAt(folder.path));
    const made = { at: 0, file: '/backups/one.backup', isRegular: true };
    const error = await recordBackup(config, made).catch((error: unknown) => error);
    expect(error).toMatchObject({
      message: expect.stringContaining(`A backup is being restored into ${folder.path}. Wait for`),
    });
    expect(digests(folder.path)['accounts.db']).toBe(before);
    restore.release();
    await recordBackup(config, made);
    expect(digests(folder.path)['accounts.db']).not.toBe(before);
  });
});
