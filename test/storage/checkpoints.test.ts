import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { PetstoreClient } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';
import { canPreload, FaultyDisk } from './disk/faulty-disk.ts';

const MIB = 1024 * 1024;

/** Fills many pages. */
const LONG_NAME = '🐈'.repeat(255);

async function ops({ opsPort }: ServiceProcess, path: string) {
  const reply = await fetch(`http://localhost:${opsPort}${path}`);
  return { status: reply.status, text: await reply.text() };
}

async function metric(service: ServiceProcess, name: string, store: string): Promise<number> {
  const { text } = await ops(service, '/metrics');
  return Number(new RegExp(`^${name}\\{store="${store}"\\} (.*)$`, 'm').exec(text)?.[1]);
}

function logSize(folder: string, name: string): number {
  return statSync(join(folder, `${name}-wal`), { throwIfNoEntry: false })?.size ?? 0;
}

/** Creates pets until the log of production is larger than this. */
async function growTo(bytes: number, folder: string, client: PetstoreClient): Promise<void> {
  const lane = async () => {
    while (logSize(folder, 'production.db') < bytes) {
      await client.createPet({ name: LONG_NAME, categoryId: 1 });
    }
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

describe.skipIf(!canPreload)('checkpoints that fail (needs Linux and cc)', () => {
  for (const [how, fault, code] of [
    ['writes', 'write fail 5 production.db', 'SQLITE_IOERR_WRITE'],
    ['fsyncs', 'fsync fail 5 production.db', 'SQLITE_IOERR_FSYNC'],
    ['a full disk', 'write fail 28 production.db', 'SQLITE_FULL'],
  ] as const) {
    test(`because of ${how} of the database alone are reported, and their end`, async () => {
      using files = temporaryFolder();
      const folder = join(files.path, 'data');
      const disk = await FaultyDisk.compile(files.path);
      const key = await makeKey(folder);
      await using service = await ServiceProcess.start(disk.settings(folder));
      const client = clientOf(service, key);
      disk.set(fault);
      await growTo(6 * MIB, folder, client);
      await eventually(async () => (await ops(service, '/readyz')).text.includes('Checkpoints of'));
      expect((await ops(service, '/readyz')).status).toBe(503);
      const { text } = await ops(service, '/readyz');
      expect(text).toMatch(
        /Checkpoints of production\.db have failed for \d+ s, and its write-ahead log has /,
      );
      expect(text).toContain(code);
      expect(await metric(service, 'petstore_checkpoint_failing', 'production.db')).toBe(1);
      expect(
        await metric(service, 'petstore_checkpoint_age_seconds', 'production.db'),
      ).toBeGreaterThan(9);
      const bytes = await metric(service, 'petstore_write_ahead_log_bytes', 'production.db');
      expect(bytes).toBeGreaterThan(6 * MIB);
      expect((await ops(service, '/metrics')).text).toContain(
        'petstore_not_ready{check="checkpoints"} 1',
      );
      // Changes go on meanwhile.
      await client.createPet({ name: 'meanwhile', categoryId: 1 });
      disk.repair();
      await eventually(async () => (await ops(service, '/readyz')).status === 200);
      expect(await metric(service, 'petstore_checkpoint_failing', 'production.db')).toBe(0);
      expect(await metric(service, 'petstore_checkpoint_age_seconds', 'production.db')).toBe(0);
      expect(await allNames(client)).toContain('meanwhile');
      expect(await service.end('SIGTERM')).toBe(0);
      expect(await service.output()).toMatch(
        /"check":"checkpoints","problem":"Checkpoints of production/,
      );
    });
  }
});

describe('a checkpoint that another program prevents by reading', () => {
  test('is a warning once the log is long, which then shrinks again', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const client = clientOf(service, key);
    await client.createPet({ name: 'first', categoryId: 1 });
    const reader = new Database(join(folder.path, 'production.db'), { readonly: true });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM pets').get();
    await growTo(20 * MIB, folder.path, client);
    await eventually(async () => (await ops(service, '/readyz')).text.includes('production.db'));
    const { status, text } = await ops(service, '/readyz');
    expect(status).toBe(200);
    expect(text).toMatch(/^ready\n/);
    expect(text).toMatch(
      /production\.db has had no checkpoint for \d+ s, because another program is reading it/,
    );
    expect(await metric(service, 'petstore_checkpoint_failing', 'production.db')).toBe(0);
    expect(
      await metric(service, 'petstore_checkpoint_age_seconds', 'production.db'),
    ).toBeGreaterThan(9);
    reader.run('COMMIT');
    reader.close();
    await eventually(() => logSize(folder.path, 'production.db') < MIB);
    await eventually(async () => !(await ops(service, '/readyz')).text.includes('production.db'));
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toContain('"msg":"problem with the storage"');
  });

  test('is noticed in the accounts and the request log as well', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    await allNames(clientOf(service, key));
    for (const store of ['accounts.db', 'requests.db']) {
      await eventually(
        async () => (await metric(service, 'petstore_write_ahead_log_bytes', store)) > 0,
      );
      expect(await metric(service, 'petstore_checkpoint_age_seconds', store)).toBe(0);
    }
  });

  test('does not make the log of commands grow without a limit: they leave a short one', async () => {
    using folder = temporaryFolder();
    await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const seeded = await runCommand(['seed', '--pets', '150000'], onFolder(folder.path));
    expect(seeded).toMatchObject({ code: 0 });
    await eventually(() => logSize(folder.path, 'production.db') <= 16 * MIB);
    await eventually(async () => (await ops(service, '/readyz')).status === 200);
  });
});
