import { describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/plans.ts';
import type { UsageStore } from '../../src/core/usage.ts';
import { hourOf, NO_USAGE, type UsageRecord } from '../../src/core/usage.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { withStores } from '../quickstart/delivery-rounds.ts';
import { account, type Backend } from '../storage/ports/backend.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { eventually, ManualClock, temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { send, startQuickstart, WITH_QUICKSTART } from '../support/quickstart-scene.ts';
import { clientOf, makeKey, onFolder } from '../support/storage.ts';

/** A real store that fails at the calls of these numbers, the first being 1. */
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

/** Everything ever counted of these accounts. */
async function total({ usage }: Backend, ids: readonly string[]): Promise<number> {
  const records = await Promise.all(ids.map(async (id) => usage.since(id, 0)));
  return records.flat().reduce((sum, { succeeded }) => sum + succeeded, 0);
}

/** So many accounts; enough of them need more than one change to save. */
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
    for (const status of [200, 201, 202, 204, 399])
      recorder.record({ accountId: id }, status, wall);
    for (const status of [400, 401, 404, 405, 410, 413, 422, 428, 430, 499]) {
      recorder.record({ accountId: id }, status, wall);
    }
    for (const status of [429, 429, 429]) recorder.record({ accountId: id }, status, wall);
    for (const status of [500, 503]) recorder.record({ accountId: id }, status, wall);
    await recorder.save();
    expect(await backend.usage.since(id, 0)).toEqual([
      {
        ...{ accountId: id, environment: 'staging', hour: hourOf(wall) },
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
      for (let sent = 0; sent < times; sent += 1)
        recorder.record({ accountId: id }, 200, clock.now().wall);
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
    const hours = (await backend.usage.since(id, 0)).map(({ hour, succeeded }) => [
      hour,
      succeeded,
    ]);
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
    for (const id of ids) recorder.record({ accountId: id }, 200, 0);
    await recorder.save();
    await recorder.save();
    expect([await total(backend, ids), calls]).toEqual([3, 1]);
    for (const id of ids) recorder.record({ accountId: id }, 200, 0);
    await recorder.save();
    expect([await total(backend, ids), calls]).toEqual([6, 2]);
  });

  test.each([1, 2, 3])(
    'loses and doubles nothing when the store fails at change %i of three',
    async (failing) => {
      await using backend = await openSqliteBackend();
      const ids = await accounts(backend, 1_200);
      const recorder = new UsageRecorder(failingAt(backend.usage, failing), 'production');
      for (const id of ids) recorder.record({ accountId: id }, 200, 0);
      const error = await recorder.save().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(await total(backend, ids)).toBe((failing - 1) * 500);
      for (const id of ids) recorder.record({ accountId: id }, 200, HOUR);
      for (const id of ids) recorder.record({ accountId: id }, 200, 0);
      await recorder.save();
      expect(await total(backend, ids)).toBe(3_600);
      for (const id of ids) {
        const hours = await backend.usage.since(id, 0);
        expect(hours.map(({ succeeded }) => succeeded)).toEqual([2, 1]);
      }
    },
  );

  test('keeps what comes while it saves, and what comes while the store fails again and again', async () => {
    await using backend = await openSqliteBackend();
    const { id } = await account(backend);
    const recorder = new UsageRecorder(failingAt(backend.usage, 1, 2, 4), 'production');
    for (let round = 0; round < 6; round += 1) {
      recorder.record({ accountId: id }, 200, 0);
      const saving = recorder.save().catch(() => 'failed');
      // The hour has changed, and changed back, before the store answers.
      recorder.record({ accountId: id }, 200, HOUR);
      recorder.record({ accountId: id }, 200, 0);
      await saving;
    }
    await recorder.save();
    const hours = await backend.usage.since(id, 0);
    expect(hours.map(({ succeeded }) => succeeded)).toEqual([12, 6]);
  });

  test('drops what an account used that was deleted before it was saved', async () => {
    await using backend = await openSqliteBackend();
    const [gone = '', kept = ''] = await accounts(backend, 2);
    const recorder = new UsageRecorder(backend.usage, 'production');
    for (const id of [gone, kept]) recorder.record({ accountId: id }, 200, 0);
    await backend.accounts.delete(gone, 0, 'test');
    await recorder.save();
    expect([await total(backend, [gone]), await total(backend, [kept])]).toEqual([0, 1]);
  });
});

/** An account's usage as a folder holds it after its service has stopped. */
async function kept(folder: string, accountId: string): Promise<UsageRecord[]> {
  return withStores(folder, async ({ usage }) => usage.since(accountId, 0));
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
    const staging = await service.stores.keyRing.issue(
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

    const production = { ...NO_USAGE, accountId: owner.id, environment: 'production' } as const;
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

  test('forgets usage after 31 days', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { account: owner } = await service.account();
    const hour = hourOf(clock.now().wall);
    const { usage } = service.stores;
    await usage.add([{ ...NO_USAGE, accountId: owner.id, environment: 'production', hour }]);
    clock.advance(31 * 24 * HOUR);
    await service.runJobs('prune expired rows');
    expect(await usage.since(owner.id, 0)).toHaveLength(1);
    clock.advance(HOUR);
    await service.runJobs('prune expired rows');
    expect(await usage.since(owner.id, 0)).toEqual([]);
  });
});
