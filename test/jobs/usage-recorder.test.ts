import { describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import type { UsageRecord, UsageStore } from '../../src/core/requests/usage.ts';
import { hourOf, NO_USAGE, type PeriodUsage } from '../../src/core/requests/usage.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { withStores } from '../api/messages/delivery-rounds.ts';
import { account, type Backend } from '../storage/ports/backend.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { eventually, ManualClock, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { send, startQuickstart, WITH_QUICKSTART } from '../support/quickstart-scene.ts';
import { clientOf, makeKey, onFolder } from '../support/storage.ts';
import { usageRecord } from '../support/usage-records.ts';

/** Records a reply of a key of an account. */
function record(recorder: UsageRecorder, accountId: string, status: number, at: number, took = 1) {
  recorder.record(
    { id: `key of ${accountId}`, accountId },
    { operation: 'listPets', status, took, at },
  );
}

/** A real store that fails at the calls with these numbers, counted from 1. */
function failingAt(store: UsageStore, ...calls: number[]): Pick<UsageStore, 'add'> {
  let call = 0;
  return {
    add: async (records) => {
      call += 1;
      if (calls.includes(call)) throw new StorageUnavailable(new Error('disk full'));
      await store.add(records);
    },
  };
}

/** The total number of successful requests that was stored for these accounts. */
async function total({ usage }: Backend, ids: readonly string[]): Promise<number> {
  const records = await Promise.all(
    ids.map(async (accountId) => usage.byPeriod({ accountId, first: 0 })),
  );
  return records.flat().reduce((sum, { succeeded }) => sum + succeeded, 0);
}

/** Creates this many accounts; saving the usage of a large number takes several changes. */
function accounts(backend: Backend, count: number): Promise<string[]> {
  return Promise.all(
    Array.from(
      { length: count },
      async (_, index) => (await account(backend, `person${index}@example.com`)).id,
    ),
  );
}

describe('the usage recorder', () => {
  test('counts by outcome: below 400, of the client, 429, of the service', async () => {
    await using backend = await openSqliteBackend();
    const { id } = await account(backend);
    const recorder = new UsageRecorder(backend.usage, 'staging');
    const wall = new ManualClock().now().wall;
    for (const status of [200, 201, 202, 204, 399]) record(recorder, id, status, wall);
    for (const status of [400, 401, 404, 405, 410, 413, 422, 428, 430, 499]) {
      record(recorder, id, status, wall);
    }
    for (const status of [429, 429, 429]) record(recorder, id, status, wall);
    for (const status of [500, 503]) record(recorder, id, status, wall);
    await recorder.save();
    expect(await backend.usage.byPeriod({ accountId: id, first: 0 })).toEqual([
      {
        ...{ environment: 'staging', hour: hourOf(wall), hours: 1 },
        ...{ succeeded: 5, clientErrors: 10, limited: 3, serverErrors: 2 },
      },
    ]);
  });

  test('counts in the hour of the request, to its last millisecond, also when the clock goes back', async () => {
    await using backend = await openSqliteBackend();
    const { id } = await account(backend);
    const clock = new ManualClock();
    const noon = hourOf(clock.now().wall);
    const recorder = new UsageRecorder(backend.usage, 'production');
    const note = (times: number) => {
      for (let sent = 0; sent < times; sent += 1) record(recorder, id, 200, clock.now().wall);
    };
    note(1);
    clock.advance(HOUR - 1);
    note(2);
    clock.advance(1);
    note(30);
    clock.step(-HOUR);
    note(400);
    await recorder.save();
    clock.step(3 * HOUR);
    note(5_000);
    await recorder.save();
    const hours = (await backend.usage.byPeriod({ accountId: id, first: 0 })).map(
      ({ hour, succeeded }) => [hour, succeeded],
    );
    expect(hours).toEqual([
      [noon, 403],
      [noon + 1, 30],
      [noon + 3, 5_000],
    ]);
  });

  test('saves each count once, however often it runs, and nothing when nothing was counted', async () => {
    await using backend = await openSqliteBackend();
    const ids = await accounts(backend, 3);
    let calls = 0;
    const recorder = new UsageRecorder(
      {
        add: (records) => {
          calls += 1;
          return backend.usage.add(records);
        },
      },
      'production',
    );
    for (const id of ids) record(recorder, id, 200, 0);
    await recorder.save();
    await recorder.save();
    expect([await total(backend, ids), calls]).toEqual([3, 1]);
    for (const id of ids) record(recorder, id, 200, 0);
    await recorder.save();
    expect([await total(backend, ids), calls]).toEqual([6, 2]);
  });

  test.each([1, 2, 3])(
    'loses and doubles nothing when the store fails at change %i of three',
    async (failing) => {
      await using backend = await openSqliteBackend();
      const ids = await accounts(backend, 450);
      const recorder = new UsageRecorder(failingAt(backend.usage, failing), 'production');
      for (const id of ids) record(recorder, id, 200, 0);
      const error = await recorder.save().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(await total(backend, ids)).toBe((failing - 1) * 150);
      for (const id of ids) record(recorder, id, 200, HOUR);
      for (const id of ids) record(recorder, id, 200, 0);
      await recorder.save();
      expect(await total(backend, ids)).toBe(1_350);
      for (const id of ids) {
        const hours = await backend.usage.byPeriod({ accountId: id, first: 0 });
        expect(hours.map(({ succeeded }) => succeeded)).toEqual([2, 1]);
      }
    },
  );

  test('adds few rows at a time, also when keys are used for many operations', async () => {
    const sizes: number[] = [];
    const add = async ({ length }: readonly UsageRecord[]) => void sizes.push(length);
    const recorder = new UsageRecorder({ add }, 'production');
    for (let number = 0; number < 600; number += 1) {
      const operation = `operation${Math.floor(number / 60)}`;
      const key = { id: `key_${number % 60}`, accountId: 'acct_1' };
      recorder.record(key, { operation, status: 200, took: 1, at: 0 });
    }
    expect(await recorder.save().then(() => sizes)).toEqual([150, 150, 150, 150]);
  });

  test('keeps what comes while it saves, and what comes while the store fails again and again', async () => {
    await using backend = await openSqliteBackend();
    const { id } = await account(backend);
    const recorder = new UsageRecorder(failingAt(backend.usage, 1, 2, 4), 'production');
    for (let round = 0; round < 6; round += 1) {
      record(recorder, id, 200, 0);
      const saving = recorder.save().catch(() => 'failed');
      // The hour changes to the next and back before the store answers.
      record(recorder, id, 200, HOUR);
      record(recorder, id, 200, 0);
      await saving;
    }
    await recorder.save();
    const hours = await backend.usage.byPeriod({ accountId: id, first: 0 });
    expect(hours.map(({ succeeded }) => succeeded)).toEqual([12, 6]);
  });

  test('drops what an account used that was deleted before it was saved', async () => {
    await using backend = await openSqliteBackend();
    const [gone = '', kept = ''] = await accounts(backend, 2);
    const recorder = new UsageRecorder(backend.usage, 'production');
    for (const id of [gone, kept]) record(recorder, id, 200, 0);
    await backend.accounts.delete(gone, 0, 'test');
    await recorder.save();
    expect([await total(backend, [gone]), await total(backend, [kept])]).toEqual([0, 1]);
  });
});

/** The usage of an account that is stored in the folder of a stopped service. */
async function kept(folder: string, accountId: string): Promise<PeriodUsage[]> {
  return withStores(folder, async ({ usage }) => usage.byPeriod({ accountId, first: 0 }));
}

describe('a service', () => {
  test('has saved all usage after a clean stop: by hour, environment and outcome', async () => {
    using folder = temporaryFolder();
    const clock = new ManualClock();
    const hour = hourOf(clock.now().wall);
    const service = await startQuickstart({ folder: folder.path, clock });
    const { account: owner, secret } = await service.account(
      subscribe('enterprise', { perMinute: 4, perDay: 100 }),
    );
    const staging = await service.stores.apiKeyService.issue(
      owner,
      { environment: 'staging', name: 'staging' },
      'test',
    );
    await service.post(secret, { name: 'Rex', categoryId: 1 });
    await service.request('/pets/99', { key: secret });
    await send(service, secret);
    await send(service, secret, {});
    await send(service, secret);
    await service.request('/pets', { key: 'bad' });
    clock.advance(HOUR);
    await send(service, secret);
    await send(service, staging.text);
    await service.stop();

    const production = { ...NO_USAGE, environment: 'production', hours: 1 } as const;
    expect(await kept(folder.path, owner.id)).toEqual([
      { ...production, hour, succeeded: 2, clientErrors: 2, limited: 1 },
      { ...production, hour: hour + 1, succeeded: 1 },
      { ...production, environment: 'staging', hour: hour + 1, succeeded: 1 },
    ]);
  });

  test('saves usage within 10 s: a crash loses no more, and a later stop adds the rest once', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const only = ['--only', WITH_QUICKSTART.join(',')];
    const owner = await withStores(folder.path, async ({ accounts: all }) =>
      all.findByEmail('production@example.com'),
    );
    const used = async () => {
      const records = await kept(folder.path, owner?.id ?? '');
      return records.reduce((sum, { succeeded }) => sum + succeeded, 0);
    };
    await using killed = await ServiceProcess.start(onFolder(folder.path), only);
    for (let sent = 0; sent < 5; sent += 1) await clientOf(killed, key).listPets();
    await eventually(async () => (await used()) === 5);
    await killed.end('SIGKILL');

    await using next = await ServiceProcess.start(onFolder(folder.path), only);
    for (let sent = 0; sent < 2; sent += 1) await clientOf(next, key).listPets();
    expect(await next.end('SIGTERM')).toBe(0);
    expect(await used()).toBe(7);
  });

  test('counts by key and operation, with the kind of error and the duration', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { account: owner, secret } = await service.account();
    const other = await service.stores.apiKeyService.issue(
      owner,
      { environment: 'production', name: 'other' },
      'test',
    );
    await service.request('/pets', { key: secret });
    await service.request('/pets?limit=0', { key: secret });
    await service.request('/pets/77', { key: secret });
    await service.request('/nothing', { key: secret });
    await service.request('/pets', { key: secret, method: 'DELETE' });
    await send(service, other.text);
    await service.runJobs();
    const [key] = await service.stores.keys.list(owner.id);
    const none = { succeeded: 0, clientErrors: 0, invalid: 0, notFound: 0 };
    const subject = { environment: 'production', keyId: key?.id, ...none };
    const used = await service.stores.usage.bySubject({ accountId: owner.id, first: 0 });
    const sorted = used.toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
    expect(sorted).toMatchObject([
      { ...subject, operation: 'getPet', clientErrors: 1, notFound: 1 },
      { ...subject, operation: 'listPets', succeeded: 1, clientErrors: 1, invalid: 1 },
      { ...subject, operation: 'none', clientErrors: 2, notFound: 2 },
      { ...subject, keyId: other.key.id, operation: 'sendMessage', succeeded: 1 },
    ]);
    // The clock does not move, so every duration is 0.
    expect(sorted.map(({ durations }) => durations[0])).toEqual([1, 2, 2, 1]);
  });

  test('adds usage up to days after three days, and forgets it after 31 days', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { account: owner } = await service.account();
    const hour = hourOf(clock.now().wall);
    const { usage } = service.stores;
    const left = async () => {
      await service.runJobs('prune expired rows');
      return usage.byPeriod({ accountId: owner.id, first: 0 });
    };
    await usage.add([usageRecord({ accountId: owner.id, hour, succeeded: 4 })]);
    clock.advance(3 * 24 * HOUR);
    expect(await left()).toMatchObject([{ hour, hours: 1 }]);
    clock.advance(12 * HOUR);
    expect(await left()).toMatchObject([{ hour: hour - 12, hours: 24, succeeded: 4 }]);
    clock.advance(28 * 24 * HOUR - HOUR);
    expect(await left()).toHaveLength(1);
    clock.advance(HOUR);
    expect(await left()).toEqual([]);
  });
});
