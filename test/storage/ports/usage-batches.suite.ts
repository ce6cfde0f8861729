import { describe, expect, test } from 'bun:test';
import { usageRecord } from '../../support/usage-records.ts';
import { account, type Backend, type OpenBackend } from './backend.ts';

function used(accountId: string, succeeded: number, hour = 500_000) {
  return [usageRecord({ accountId, hour, succeeded })];
}

async function succeeded({ usage }: Backend, accountId: string): Promise<number[]> {
  return (await usage.byPeriod({ accountId, first: 0 })).map((period) => period.succeeded);
}

/** Tests of batches of usage that are sent several times, for every database. */
export function usageBatchesSuite(open: OpenBackend): void {
  describe('a usage store', () => {
    test('adds a batch once that is sent again, and the next of the same source', async () => {
      await using backend = await open();
      const { usage } = backend;
      const { id } = await account(backend);
      const three = used(id, 3);
      await usage.add(three, { source: 'one', number: 1 });
      await usage.add(three, { source: 'one', number: 1 });
      expect(await succeeded(backend, id)).toEqual([3]);
      await usage.add(used(id, 40), { source: 'one', number: 2 });
      await usage.add(used(id, 500), { source: 'another', number: 1 });
      expect(await succeeded(backend, id)).toEqual([543]);
    });

    test('adds a batch once that is sent several times at the same moment', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const send = () => backend.usage.add(used(id, 3), { source: 'one', number: 1 });
      await Promise.all(Array.from({ length: 8 }, send));
      expect(await succeeded(backend, id)).toEqual([3]);
    });

    test('remembers no source for longer than its usage', async () => {
      await using backend = await open();
      const { usage } = backend;
      const { id } = await account(backend);
      await usage.add(used(id, 1, 7), { source: 'old', number: 1 });
      await usage.add(used(id, 1, 8), { source: 'young', number: 1 });
      await usage.prune(8);
      const queries = await backend.queries();
      const left = await queries.selectFrom('usage_sources').select('id').execute();
      expect(left).toEqual([{ id: 'young' }]);
    });
  });
}
