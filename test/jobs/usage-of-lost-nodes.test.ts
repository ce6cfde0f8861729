import { expect, test } from 'bun:test';
import { NodeLost } from '../../src/core/node-lost.ts';
import type { UsageStore } from '../../src/core/usage.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { account } from '../storage/ports/backend.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';

test('usage of other nodes is saved while one is lost, and its own is added up until it is back', async () => {
  await using backend = await openSqliteBackend();
  const { id: own } = await account(backend);
  const { id: other } = await account(backend, 'bob@example.com');
  let isLost = true;
  const store: Pick<UsageStore, 'add'> = {
    async add(records, mark) {
      const nodes = Map.groupBy(records.keys(), (index) => records[index]?.accountId);
      const cause = new Error('worker lost');
      if (isLost && nodes.has(own)) throw new NodeLost(cause, [...nodes.values()]);
      await backend.usage.add(records, mark);
    },
  };
  const recorder = new UsageRecorder(store, 'production');
  const saved = async (accountId: string) => {
    const periods = await backend.usage.byPeriod({ accountId, first: 0 });
    return periods.map(({ succeeded }) => succeeded);
  };
  for (const round of [1, 2, 3]) {
    for (const id of [own, other]) {
      const reply = { operation: 'listPets', status: 200, took: 1, at: 0 };
      recorder.record({ id: `key of ${id}`, accountId: id }, reply);
    }
    const failure: unknown = await recorder.save().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeLost);
    expect([await saved(own), await saved(other)]).toEqual([[], [round]]);
  }
  isLost = false;
  await recorder.save();
  await recorder.save();
  expect([await saved(own), await saved(other)]).toEqual([[3], [3]]);
});
