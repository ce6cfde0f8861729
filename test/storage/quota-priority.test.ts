import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { storedQuotas } from '../../src/storage/quotas.ts';
import { environmentEngine } from '../../src/storage/sqlite/engine.ts';
import { SqliteFile } from '../../src/storage/sqlite/file.ts';
import { ENVIRONMENT_SCHEMA } from '../../src/storage/sqlite/migrations.ts';
import { SqlitePetStore } from '../../src/storage/sqlite/pet-store.ts';
import { Writer } from '../../src/storage/sqlite/writer.ts';
import { QUEUE_CAPACITY } from '../../src/storage/write-queue.ts';
import { temporaryFolder } from '../support/harness.ts';
import { at, pet } from './ports/backend.ts';

const QUOTA = { caller: 'account:acct_1', minuteEndsAt: 1, minuteUsed: 1, day: 1, dayUsed: 1 };

test('quotas are saved with the next commit, however many creations wait for a slow disk', async () => {
  using folder = temporaryFolder();
  const writer = new Writer();
  const path = join(folder.path, 'production.db');
  const file = new SqliteFile(path, ENVIRONMENT_SCHEMA, writer, { onDamage() {} });
  const pets = new SqlitePetStore(file);
  const quotas = storedQuotas(environmentEngine(file));
  const slow = new Database(path, { readwrite: true });
  slow.run('BEGIN IMMEDIATE');
  const settled: string[] = [];
  const first = pets.create(pet('first'), at()).then(() => settled.push('first'));
  const create = () => pets.create(pet('waits'), at());
  const waiting = Array.from({ length: QUEUE_CAPACITY }, create).map((each) =>
    each.then(() => settled.push('pet')),
  );
  expect(await create().catch((error: unknown) => error)).toBeInstanceOf(StorageUnavailable);
  const saved = quotas.save([QUOTA]).then(() => settled.push('quota'));
  slow.run('COMMIT');
  slow.close();
  await Promise.all([first, saved, ...waiting]);
  expect(settled.indexOf('first')).toBe(0);
  // The first transaction of the queue is full: it contains the quota and 999 creations.
  expect(settled.indexOf('quota')).toBeLessThanOrEqual(1_000);
  expect(quotas.find(QUOTA.caller)).toEqual(QUOTA);
  file.close();
  await writer.close();
});
