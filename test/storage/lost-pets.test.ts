import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { dataFolderAt } from '../../src/storage/data-folder.ts';
import { acknowledgeLosses, unacknowledgedLosses } from '../../src/storage/folder/losses.ts';
import {
  readManifest,
  requireManifest,
  updateManifest,
  withLoss,
  writeManifest,
} from '../../src/storage/folder/manifest.ts';
import { newManifest } from '../../src/storage/folder/store-files.ts';
import { eventually, ManualClock, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { makeKey, onFolder } from '../support/storage.ts';
import {
  asOfEarlierBoot,
  BLOCK,
  create,
  flipByte,
  idsOf,
  type Killed,
  killedService,
  PETS,
  reserveUpTo,
} from './killed-service.ts';

const DAMAGES: Readonly<Record<string, (killed: Killed) => void>> = {
  'a byte is flipped in the middle of the write-ahead log': ({ log }) =>
    flipByte(log, ({ length }) => Math.floor(length / 2)),
  'a byte is flipped in the last commit of an animal': ({ log }) =>
    flipByte(log, (content) => content.lastIndexOf('Rex')),
  'a byte is flipped in the header of the write-ahead log': ({ log }) => flipByte(log, () => 20),
  'the write-ahead log is deleted': ({ log }) => rmSync(log),
};

describe('after a kill, when acknowledged animals are lost', () => {
  for (const [how, damage] of Object.entries(DAMAGES)) {
    test(`because ${how}, operators hear of it, and no id is given twice`, async () => {
      using killed = await killedService();
      damage(killed);
      await using service = await ServiceProcess.start(onFolder(killed.path));
      const left = await idsOf(service, killed.key);
      expect(left).toEqual(killed.ids.slice(0, left.length));
      expect(left.length).toBeLessThan(PETS);
      const { status, text } = await readyz(service);
      const first = left.length + 1;
      const lost =
        first === PETS
          ? `production.db has lost the acknowledged animal or order with id ${PETS}`
          : `production.db has lost up to ${PETS - left.length} acknowledged animals or orders, with ids from ${first} to ${PETS}`;
      expect(text).toStartWith(lost);
      expect(status).toBe(503);
      expect(await create(service, killed.key, 2)).toEqual([BLOCK + 1, BLOCK + 2]);
      await eventually(async () => (await readyz(service)).text.includes(lost));
      await service.end('SIGTERM');
      expect(await service.output()).toContain(lost);
    });
  }

  test('is reported until an operator acknowledges it, also after a restart', async () => {
    using killed = await killedService();
    flipByte(killed.log, ({ length }) => Math.floor(length / 2));
    const settings = onFolder(killed.path);
    // No pet is created meanwhile.
    for (let start = 0; start < 2; start += 1) {
      await using service = await ServiceProcess.start(settings);
      expect((await readyz(service)).status).toBe(503);
      await service.end(start === 0 ? 'SIGKILL' : 'SIGTERM');
    }
    await using service = await ServiceProcess.start(settings);
    const metric = 'petstore_not_ready{check="lost_data"}';
    const metrics = async () => (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
    expect(await metrics()).toContain(`${metric} 1`);
    const { stdout, code } = await runCommand(['store', 'acknowledge-loss'], settings);
    expect(stdout).toMatch(
      /^Acknowledged: production\.db has lost up to \d+ acknowledged animals or orders/,
    );
    expect(stdout.split('\n')).toHaveLength(2);
    expect(code).toBe(0);
    expect((await readyz(service)).status).toBe(200);
    expect(await metrics()).toContain(`${metric} 0`);
    expect(await create(service, killed.key, 1)).toEqual([BLOCK + 1]);
    const again = await runCommand(['store', 'acknowledge-loss'], settings);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('no loss') });
  });
});

test('exactly the losses that are acknowledged are returned, also one that was found in the meantime', () => {
  using folder = temporaryFolder();
  const data = dataFolderAt(folder.path);
  const loss = (file: string) => ({ file, firstId: 1, lastId: 2 });
  const found = new ManualClock();
  writeManifest(data, withLoss(newManifest([]), loss('production.db'), found));
  // Another process finds a loss when the moment of the acknowledgement is already fixed.
  const clock = {
    now() {
      updateManifest(data, (manifest) =>
        withLoss(requireManifest(data, manifest), loss('staging.db'), found),
      );
      return found.now();
    },
  };
  const acknowledged = acknowledgeLosses(readConfig(onFolder(folder.path)), clock);
  expect(acknowledged.map(({ file }) => file)).toEqual(['production.db', 'staging.db']);
  expect(unacknowledgedLosses(readManifest(data))).toEqual([]);
});

describe('a database that has lost all of its tables', () => {
  test('is named by /readyz, also if no animal was in it, and by a backup', async () => {
    using killed = await killedService();
    const settings = onFolder(killed.path);
    for (const end of ['', '-wal']) rmSync(killed.file(`staging.db${end}`));
    new Database(killed.file('staging.db')).run('PRAGMA journal_mode = WAL');
    const backup = await runCommand(['backup', killed.file('x.backup')], settings);
    expect(backup).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('staging.db is empty'),
    });
    await using service = await ServiceProcess.start(settings);
    expect((await readyz(service)).text).toStartWith('staging.db has lost everything that it held');
    expect(await runCommand(['store', 'acknowledge-loss'], settings)).toMatchObject({ code: 0 });
    expect((await readyz(service)).status).toBe(200);
  });
});

describe('nothing is reported, and ids continue without a gap,', () => {
  test('after kills, with nothing lost', async () => {
    using killed = await killedService();
    for (let round = 1; round <= 3; round += 1) {
      await using service = await ServiceProcess.start(onFolder(killed.path));
      expect((await readyz(service)).status).toBe(200);
      expect(await create(service, killed.key, 1)).toEqual([PETS + round]);
      await service.end(round === 2 ? 'SIGTERM' : 'SIGKILL');
    }
  });

  test('after a kill in the middle of a commit, which was not acknowledged', async () => {
    using killed = await killedService();
    const frame = readFileSync(killed.log).subarray(-(4_096 + 24));
    appendFileSync(killed.log, frame.subarray(0, 3_000));
    await using service = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(service)).status).toBe(200);
    expect(await create(service, killed.key, 1)).toEqual([PETS + 1]);
  });

  test('when a command creates animals beside the service, and is killed with it', async () => {
    using killed = await killedService();
    await using service = await ServiceProcess.start(onFolder(killed.path));
    await create(service, killed.key, 1);
    await runCommand(['seed', '--pets', '5'], onFolder(killed.path));
    expect(await create(service, killed.key, 1)).toEqual([PETS + 7]);
    await service.end('SIGKILL');
    await using next = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(next)).status).toBe(200);
    expect(await create(next, killed.key, 1)).toEqual([PETS + 8]);
  });
});

describe('where it is unknown which ids were given, they continue after the reserved block,', () => {
  const unknowns: Readonly<Record<string, (killed: Killed) => void>> = {
    'after a failure of the machine': ({ file }) => asOfEarlierBoot(file('production.ids')),
    'when the record of them is missing': ({ file }) => rmSync(file('production.ids')),
    'when the record of them is damaged': ({ file }) => flipByte(file('production.ids'), () => 14),
  };
  for (const [when, change] of Object.entries(unknowns)) {
    test(`${when}, and nothing is reported`, async () => {
      using killed = await killedService();
      change(killed);
      await using service = await ServiceProcess.start(onFolder(killed.path));
      expect((await readyz(service)).status).toBe(200);
      expect(await idsOf(service, killed.key)).toEqual(killed.ids);
      expect(await create(service, killed.key, 1)).toEqual([BLOCK + 1]);
      await service.end('SIGKILL');
      await using next = await ServiceProcess.start(onFolder(killed.path));
      expect(await create(next, killed.key, 1)).toEqual([BLOCK + 2]);
    });
  }
});

describe('ids continue where they were', () => {
  test('when a block is used up', async () => {
    using killed = await killedService();
    await runCommand(['seed', '--pets', String(BLOCK)], onFolder(killed.path));
    await using service = await ServiceProcess.start(onFolder(killed.path));
    expect(await create(service, killed.key, 1)).toEqual([PETS + BLOCK + 1]);
    await service.end('SIGKILL');
    const manifest = JSON.parse(readFileSync(killed.file('store.json'), 'utf8'));
    expect(manifest.files['production.db'].reservedUpTo).toBeGreaterThan(PETS + BLOCK + 1);
  });

  test('after the manifest could not be written: no id is acknowledged that is not reserved', async () => {
    using killed = await killedService();
    reserveUpTo(killed, PETS + 1);
    await using service = await ServiceProcess.start(onFolder(killed.path));
    mkdirSync(killed.file('store.json.new'));
    expect(await create(service, killed.key, 1)).toEqual([PETS + 1]);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const refused = await create(service, killed.key, 1).catch(({ status }) => status);
      expect(refused).toBe(503);
    }
    expect((await readyz(service)).text).toContain('production.db cannot be written');
    rmdirSync(killed.file('store.json.new'));
    expect(await create(service, killed.key, 1)).toEqual([PETS + 2]);
  });

  test('when ids beyond the reserved block were acknowledged and are lost', async () => {
    using killed = await killedService();
    reserveUpTo(killed, PETS - 10);
    rmSync(killed.log);
    await using service = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(service)).status).toBe(503);
    expect(await create(service, killed.key, 1)).toEqual([PETS + 1]);
  });

  test('after a restore of an earlier backup: none is given that was given after it', async () => {
    using killed = await killedService();
    const settings = onFolder(killed.path);
    const backup = killed.file('x.backup');
    expect(await runCommand(['backup', backup], settings)).toMatchObject({ code: 0 });
    await runCommand(['seed', '--pets', '5'], settings);
    const restored = await runCommand(['restore', backup, '--replace'], settings);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    await using service = await ServiceProcess.start(settings);
    expect((await readyz(service)).status).toBe(200);
    expect(await create(service, killed.key, 1)).toEqual([PETS + 6]);
  });

  test('after a restore of a backup that was made before the first animal', async () => {
    using folder = temporaryFolder();
    const settings = onFolder(join(folder.path, 'data'));
    const key = await makeKey(join(folder.path, 'data'));
    const backup = join(folder.path, 'x.backup');
    expect(await runCommand(['backup', backup], settings)).toMatchObject({ code: 0 });
    await runCommand(['seed', '--pets', '5'], settings);
    const restored = await runCommand(['restore', backup, '--replace'], settings);
    expect(restored).toMatchObject({ code: 0, stderr: '' });
    await using service = await ServiceProcess.start(settings);
    expect(await create(service, key, 1)).toEqual([6]);
    expect((await readyz(service)).status).toBe(200);
  });

  for (const lost of [['store.json'], ['store.json', 'production.ids']]) {
    test(`after a restore where ${lost.join(' and ')} are lost: none is given again`, async () => {
      using killed = await killedService();
      const settings = onFolder(killed.path);
      const backup = killed.file('x.backup');
      expect(await runCommand(['backup', backup], settings)).toMatchObject({ code: 0 });
      await runCommand(['seed', '--pets', '5'], settings);
      asOfEarlierBoot(killed.file('production.ids'));
      for (const name of lost) rmSync(killed.file(name));
      const restored = await runCommand(['restore', backup, '--replace'], settings);
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      await using service = await ServiceProcess.start(settings);
      expect(await create(service, killed.key, 1)).toEqual([PETS + 5 + BLOCK + 1]);
    });
  }

  test('after store recreate, and in a backup made after it', async () => {
    using killed = await killedService();
    using fresh = temporaryFolder();
    const settings = onFolder(killed.path);
    renameSync(killed.file('production.db'), killed.file('production.db.lost'));
    const began = await runCommand(['store', 'recreate', 'production.db'], settings);
    expect(began).toMatchObject({ code: 0 });
    const backup = killed.file('x.backup');
    expect(await runCommand(['backup', backup], settings)).toMatchObject({ code: 0, stderr: '' });
    await runCommand(['restore', backup], onFolder(fresh.path));
    for (const folder of [killed.path, fresh.path]) {
      await using service = await ServiceProcess.start(onFolder(folder));
      expect((await readyz(service)).status).toBe(200);
      expect(await create(service, killed.key, 1)).toEqual([PETS + 1]);
    }
  });
});
