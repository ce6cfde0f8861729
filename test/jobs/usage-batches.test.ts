import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { UsageRecord, UsageStore } from '../../src/core/requests/usage.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { OWN_THREADS } from '../../src/storage/sqlite/writer-threads.ts';
import { account } from '../storage/ports/backend.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { temporaryFolder } from '../support/harness.ts';
import { onFolder } from '../support/storage.ts';

const LISTED = { operation: 'listPets', status: 200, took: 1, at: 0 };

/** The stored requests of an account in the first hour, if there are any. */
async function counted(usage: UsageStore, accountId: string): Promise<number[]> {
  return (await usage.byPeriod({ accountId, first: 0 })).map(({ succeeded }) => succeeded);
}

test('usage is counted once when the writer thread ends between the commit and its reply', async () => {
  using folder = temporaryFolder();
  const start = () => new Worker(new URL('../storage/silent-writer.ts', import.meta.url).href);
  const threads = { ...OWN_THREADS, start };
  await using stack = new AsyncDisposableStack();
  const stores = await openStores(readConfig(onFolder(folder.path)), systemClock, threads);
  stack.defer(() => stores.close());
  const { id } = await account(stores);
  const recorder = new UsageRecorder(stores.usage, 'production');
  const record = () => recorder.record({ id: 'key_1', accountId: id }, LISTED);

  for (let sent = 0; sent < 3; sent += 1) record();
  writeFileSync(join(folder.path, 'accounts.db.end'), '');
  const error = await recorder.save().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(StorageUnavailable);
  expect(await counted(stores.usage, id)).toEqual([3]);
  record();
  await recorder.save();
  expect(await counted(stores.usage, id)).toEqual([4]);
});

test.each(['waits to be sent again', 'fails on its way', 'is on its way'])(
  'usage from before a reset is gone when a batch %s',
  async (state) => {
    await using backend = await openSqliteBackend();
    const { id } = await account(backend);
    const [sent, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const add = async (records: readonly UsageRecord[]) => {
      const added = state === 'is on its way' ? backend.usage.add(records) : undefined;
      sent.resolve();
      await answer.promise;
      if (!added) throw new StorageUnavailable(new Error('disk full'));
      await added;
    };
    const store = { add };
    const recorder = new UsageRecorder(store, 'production');
    recorder.record({ id: 'key_1', accountId: id }, LISTED);
    const saving = recorder.save().catch(() => 'failed');
    await sent.promise;
    recorder.record({ id: 'key_1', accountId: id }, LISTED);
    if (state === 'waits to be sent again') {
      answer.resolve();
      await saving;
    }
    // Like a process that resets its own environment: the writer keeps the order of changes.
    recorder.forget();
    await backend.environmentResets.reset(['production'], 'test', 0);
    answer.resolve();
    await saving;
    store.add = (records) => backend.usage.add(records);
    await recorder.save();
    expect(await counted(backend.usage, id)).toEqual([]);
    recorder.record({ id: 'key_1', accountId: id }, LISTED);
    await recorder.save();
    expect(await counted(backend.usage, id)).toEqual([1]);
  },
);
