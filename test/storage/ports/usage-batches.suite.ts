import { describe, expect, test } from 'bun:test';
import type { Environment } from '../../../src/core/environments.ts';
import { UsageRecorder } from '../../../src/jobs/usage-recorder.ts';
import { usageRecord } from '../../support/usage-records.ts';
import { account, type Backend, NOON, type OpenBackend } from './backend.ts';

function used(accountId: string, succeeded: number, hour = 500_000) {
  return [usageRecord({ accountId, hour, succeeded })];
}

async function succeeded({ usage }: Backend, accountId: string): Promise<number[]> {
  return (await usage.byPeriod({ accountId, first: 0 })).map((period) => period.succeeded);
}

/** Recorders of both environments, as in one process, that have saved a request each, and have recorded two more. */
async function recorders(backend: Backend, accountId: string) {
  const make = (environment: Environment) => {
    const recorder = new UsageRecorder(backend.usage, environment);
    const record = (times: number) => {
      for (let sent = 0; sent < times; sent += 1) {
        const reply = { operation: 'listPets', status: 200, took: 1, at: NOON };
        recorder.record({ id: `key of ${environment}`, accountId }, reply);
      }
    };
    return { recorder, record, save: () => recorder.save() };
  };
  const both = { staging: make('staging'), production: make('production') };
  for (const { record, save } of [both.staging, both.production]) {
    record(1);
    await save();
    record(2);
  }
  return both;
}

async function counted({ usage }: Backend, accountId: string, environment: Environment) {
  return (await usage.byPeriod({ accountId, first: 0, environment })).map(
    (period) => period.succeeded,
  );
}

/** Tests of batches of usage that are sent several times, or around a reset, for every database. */
export function usageBatchesSuite(open: OpenBackend): void {
  describe('the reset of an environment', () => {
    test('has no usage added that was counted before it, until the process knows of it', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const { staging, production } = await recorders(backend, id);
      await backend.environmentResets.reset(['staging'], 'test', NOON);
      await staging.save();
      expect(await counted(backend, id, 'staging')).toEqual([]);
      staging.record(4);
      staging.recorder.forget();
      staging.record(5);
      await staging.save();
      await production.save();
      expect(await counted(backend, id, 'staging')).toEqual([5]);
      expect(await counted(backend, id, 'production')).toEqual([3]);
    });

    test('deletes usage that is saved while it runs, and ends batches in flight', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const { id } = await account(backend);
      const { staging } = await recorders(other, id);
      const saving = staging.save();
      await backend.environmentResets.reset(['staging'], 'test', NOON);
      await saving;
      expect(await counted(backend, id, 'staging')).toEqual([]);
    });

    test('drops no usage of a process that does not know whether there was one', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const { staging } = await recorders(backend, id);
      staging.recorder.changeSource();
      await staging.save();
      expect(await counted(backend, id, 'staging')).toEqual([3]);
      await backend.environmentResets.reset(['staging'], 'test', NOON);
      staging.recorder.changeSource();
      staging.record(1);
      await staging.save();
      expect(await counted(backend, id, 'staging')).toEqual([1]);
    });
  });

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
