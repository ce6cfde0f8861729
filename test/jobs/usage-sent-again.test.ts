import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { OWN_THREADS } from '../../src/storage/sqlite/writer-threads.ts';
import { account } from '../storage/ports/backend.ts';
import { temporaryFolder } from '../support/harness.ts';
import { onFolder } from '../support/storage.ts';

test('usage is counted once when the writer thread ends between the commit and its reply', async () => {
  using folder = temporaryFolder();
  const start = () => new Worker(new URL('../storage/silent-writer.ts', import.meta.url).href);
  const threads = { ...OWN_THREADS, start };
  await using stack = new AsyncDisposableStack();
  const stores = await openStores(readConfig(onFolder(folder.path)), systemClock, threads);
  stack.defer(() => stores.close());
  const { id } = await account(stores);
  const recorder = new UsageRecorder(stores.usage, 'production');
  const record = () =>
    recorder.record(
      { id: 'key_1', accountId: id },
      { operation: 'listPets', status: 200, took: 1, at: 0 },
    );
  const counted = async () =>
    (await stores.usage.byPeriod({ accountId: id, first: 0 })).map(({ succeeded }) => succeeded);

  for (let sent = 0; sent < 3; sent += 1) record();
  writeFileSync(join(folder.path, 'accounts.db.end'), '');
  const error = await recorder.save().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(StorageUnavailable);
  expect(await counted()).toEqual([3]);
  record();
  await recorder.save();
  expect(await counted()).toEqual([4]);
});
