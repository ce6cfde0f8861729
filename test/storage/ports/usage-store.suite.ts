import { expect, test } from 'bun:test';
import type { UsageRecord } from '../../../src/core/requests/usage.ts';
import { usageRecord } from '../../support/usage-records.ts';
import { account, type Backend, NOON, type OpenBackend, portSuite } from './backend.ts';

const DAY_NUMBER = 20_819;
/** The first hour of a UTC day. */
const MIDNIGHT = DAY_NUMBER * 24;
const BUCKETS = 32;

function used(accountId: string, fields: Partial<UsageRecord> = {}): UsageRecord {
  return usageRecord({ accountId, hour: MIDNIGHT, ...fields });
}

/** Durations by bucket; the others are 0. */
function durations(counts: Readonly<Record<number, number>>): number[] {
  return Array.from({ length: BUCKETS }, (_, bucket) => counts[bucket] ?? 0);
}

function all({ usage }: Backend, accountId: string) {
  return usage.detailed({ accountId, first: 0 }, 10_000);
}

/** The stored form of a record: without its account, and with its number of hours. */
function stored({ accountId, ...record }: UsageRecord, fields = {}) {
  return { hours: 1, ...record, durations: durations(record.durations), ...fields };
}

/** Tests of a usage store, for every database. */
export const usageStoreSuite = portSuite('a usage store', adding, summing, growingOld, deleting);

function adding(open: OpenBackend): void {
  test('adds to the counts of each account, hour, key and operation separately', async () => {
    await using backend = await open();
    const ada = await account(backend);
    const bob = await account(backend, 'bob@example.com');
    const counts = { succeeded: 1, clientErrors: 20, limited: 300, serverErrors: 4_000 };
    const errors = { invalid: 2, unauthorized: 3, notFound: 5, conflicts: 10 };
    const first = used(ada.id, { ...counts, ...errors, durations: durations({ 0: 7, 31: 8 }) });
    const records = [
      first,
      used(ada.id, { operation: 'none', succeeded: 9 }),
      used(ada.id, { environment: 'staging', keyId: 'key_2', succeeded: 7 }),
      used(ada.id, { hour: MIDNIGHT + 1, limited: 8 }),
    ];
    await backend.usage.add([]);
    await backend.usage.add([...records, used(bob.id, { clientErrors: 9 })]);
    const more = { succeeded: 5, serverErrors: 6, notFound: 7, durations: durations({ 31: 1 }) };
    await backend.usage.add([used(ada.id, more)]);
    expect(await all(backend, ada.id)).toEqual([
      stored({
        ...first,
        succeeded: 6,
        serverErrors: 4_006,
        notFound: 12,
        durations: durations({ 0: 7, 31: 9 }),
      }),
      ...records.slice(1).map((record) => stored(record)),
    ]);
    expect(await all(backend, bob.id)).toEqual([stored(used(bob.id, { clientErrors: 9 }))]);
  });

  test('loses no count when several add to the same hour at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id } = await account(backend);
    const add = { succeeded: 1, limited: 2, durations: durations({ 3: 3 }) };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? backend : other).usage.add([used(id, add)]),
      ),
    );
    const sum = { succeeded: 40, limited: 80, durations: durations({ 3: 120 }) };
    expect(await all(other, id)).toEqual([stored(used(id, sum))]);
  });

  test('adds nothing at all when a part of it cannot be added', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const unwritable = used(id, { keyId: 'key_2' });
    Reflect.set(unwritable, 'environment', 'moon');
    const adding = backend.usage.add([used(id, { succeeded: 1 }), unwritable]);
    expect(await adding.catch(() => 'refused')).toBe('refused');
    expect(await all(backend, id)).toEqual([]);
  });

  test('drops the usage of an account that is gone, and adds that of the others', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const gone = await account(backend, 'gone@example.com');
    await backend.accounts.delete(gone.id, NOON, 'test');
    await backend.usage.add([used(gone.id, { succeeded: 1 }), used(id, { succeeded: 2 })]);
    expect(await all(backend, gone.id)).toEqual([]);
    expect(await all(backend, id)).toEqual([stored(used(id, { succeeded: 2 }))]);
  });
}

function summing(open: OpenBackend): void {
  test('sums up the hours of all accounts together, and finds the accounts with the most', async () => {
    await using backend = await open();
    const ada = await account(backend);
    const bob = await account(backend, 'bob@example.com');
    const { usage } = backend;
    await usage.add([
      used(ada.id, { hour: MIDNIGHT - 1, succeeded: 1_000 }),
      used(ada.id, { succeeded: 30, limited: 2 }),
      used(ada.id, { hour: MIDNIGHT + 2, operation: 'createPet', clientErrors: 1 }),
      used(bob.id, { environment: 'staging', succeeded: 5, clientErrors: 4, serverErrors: 3 }),
    ]);
    const none = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };
    expect(await usage.hourly(MIDNIGHT)).toEqual([
      { hour: MIDNIGHT, succeeded: 35, clientErrors: 4, limited: 2, serverErrors: 3 },
      { ...none, hour: MIDNIGHT + 2, clientErrors: 1 },
    ]);
    const ofAda = { ...none, accountId: ada.id, succeeded: 30, clientErrors: 1, limited: 2 };
    const ofBob = { ...none, accountId: bob.id, succeeded: 5, clientErrors: 4, serverErrors: 3 };
    expect(await usage.busiest(MIDNIGHT, 10)).toEqual([ofAda, ofBob]);
    expect(await usage.busiest(MIDNIGHT, 10, 'clientErrors')).toEqual([ofBob, ofAda]);
    expect(await usage.busiest(MIDNIGHT, 10, 'limited')).toEqual([ofAda]);
    expect(await usage.busiest(MIDNIGHT, 10, 'serverErrors')).toEqual([ofBob]);
    expect(await usage.busiest(MIDNIGHT, 1)).toEqual([ofAda]);
  });

  test('sums up by period and environment, or by key and operation, what is selected', async () => {
    await using backend = await open();
    const { id: accountId } = await account(backend);
    await backend.usage.add([
      used(accountId, {
        succeeded: 1,
        clientErrors: 1,
        notFound: 1,
        durations: durations({ 4: 2 }),
      }),
      used(accountId, { hour: MIDNIGHT + 1, succeeded: 10, durations: durations({ 4: 5, 5: 5 }) }),
      used(accountId, { operation: 'createPet', limited: 100 }),
      used(accountId, { environment: 'staging', keyId: 'key_2', serverErrors: 1_000 }),
    ]);
    const { usage } = backend;
    const none = { succeeded: 0, clientErrors: 0, limited: 0, serverErrors: 0 };
    const period = { hour: MIDNIGHT, hours: 1, ...none };
    expect(await usage.byPeriod({ accountId, first: 0 })).toEqual([
      { ...period, environment: 'production', succeeded: 1, clientErrors: 1, limited: 100 },
      { ...period, environment: 'staging', serverErrors: 1_000 },
      { ...period, environment: 'production', hour: MIDNIGHT + 1, succeeded: 10 },
    ]);
    const listed = { environment: 'production', keyId: 'key_1', operation: 'listPets' };
    expect(await usage.bySubject({ accountId, first: 0 })).toMatchObject([
      { environment: 'production', keyId: 'key_1', operation: 'createPet', limited: 100 },
      {
        ...listed,
        succeeded: 11,
        clientErrors: 1,
        notFound: 1,
        durations: durations({ 4: 7, 5: 5 }),
      },
      { environment: 'staging', keyId: 'key_2', operation: 'listPets', serverErrors: 1_000 },
    ]);
    const count = async (selection: object) =>
      (await usage.detailed({ accountId, first: 0, ...selection }, 10)).length;
    expect(await count({ environment: 'staging' })).toBe(1);
    expect(await count({ keyId: 'key_1' })).toBe(3);
    expect(await count({ operation: 'listPets', environment: 'production' })).toBe(2);
    expect(await count({ keyId: 'key_3' })).toBe(0);
    expect(await count({ first: MIDNIGHT + 1 })).toBe(1);
    expect(await count({ last: MIDNIGHT })).toBe(3);
    expect(await count({ accountId: 'acct_unknown' })).toBe(0);
    expect(await usage.detailed({ accountId, first: 0 }, 2)).toHaveLength(2);
  });

  test('sums up more than a 32-bit integer holds', async () => {
    await using backend = await open();
    const { id: accountId } = await account(backend);
    const many = { succeeded: 3_000_000_000, durations: durations({ 0: 3_000_000_000 }) };
    await backend.usage.add([used(accountId, many), used(accountId, { ...many, keyId: 'key_2' })]);
    const [period] = await backend.usage.byPeriod({ accountId, first: 0 });
    expect(period?.succeeded).toBe(6_000_000_000);
  });
}

function growingOld(open: OpenBackend): void {
  test('adds hours up to UTC days, and loses none that comes late', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const { usage } = backend;
    const hours = Array.from({ length: 48 }, (_, index) =>
      used(id, { hour: MIDNIGHT + index, succeeded: 1 + index, durations: durations({ 2: 1 }) }),
    );
    await usage.add([...hours, used(id, { keyId: 'key_2', limited: 3 })]);
    await usage.addUpDays(MIDNIGHT + 24);
    const sum = { succeeded: 300, durations: durations({ 2: 24 }) };
    const days = [
      stored(used(id, sum), { hours: 24 }),
      stored(used(id, { keyId: 'key_2', limited: 3 }), { hours: 24 }),
    ];
    expect(await all(backend, id)).toEqual([
      ...days,
      ...hours.slice(24).map((hour) => stored(hour)),
    ]);
    await usage.add([used(id, { hour: MIDNIGHT + 23, succeeded: 1_000 })]);
    await usage.addUpDays(MIDNIGHT + 24);
    const [first] = await all(backend, id);
    expect(first).toEqual(stored(used(id, { ...sum, succeeded: 1_300 }), { hours: 24 }));
  });

  test('adds hours up once when several do it at the same moment', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id } = await account(backend);
    const hours = Array.from({ length: 600 }, (_, hour) => used(id, { hour, succeeded: 1 }));
    await backend.usage.add(hours);
    await Promise.all([backend, other].map(({ usage }) => usage.addUpDays(600)));
    const days = await all(backend, id);
    expect(days.map(({ hours: length, succeeded }) => [length, succeeded])).toEqual(
      Array(25).fill([24, 24]),
    );
  });

  test('forgets what ended before the hour that is named, of every account', async () => {
    await using backend = await open();
    const accounts = [await account(backend), await account(backend, 'bob@example.com')];
    for (const { id } of accounts) {
      await backend.usage.add([
        used(id, { hour: MIDNIGHT - 25 }),
        used(id, { hour: MIDNIGHT - 1 }),
      ]);
      await backend.usage.addUpDays(MIDNIGHT);
      await backend.usage.add([used(id), used(id, { hour: MIDNIGHT + 1 })]);
    }
    const left = async (hour: number) => {
      await backend.usage.prune(hour);
      const kept = await Promise.all(accounts.map(({ id }) => all(backend, id)));
      return kept.map((rows) => rows.map((row) => row.hour - MIDNIGHT));
    };
    expect(await left(MIDNIGHT - 1)).toEqual(Array(2).fill([-24, 0, 1]));
    expect(await left(MIDNIGHT)).toEqual(Array(2).fill([0, 1]));
    expect(await left(MIDNIGHT + 1)).toEqual(Array(2).fill([1]));
  });

  test('forgets thousands of hours at once', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    await backend.usage.add(Array.from({ length: 2_001 }, (_, hour) => used(id, { hour })));
    await backend.usage.prune(2_001);
    expect(await all(backend, id)).toEqual([]);
  });
}

function deleting(open: OpenBackend): void {
  test("deletes an account's usage with the account, and no other account's", async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    await backend.usage.add([used(ada.id, { succeeded: 1 }), used(bob.id, { succeeded: 2 })]);
    await backend.accounts.delete(ada.id, NOON, 'test');
    expect(await all(backend, ada.id)).toEqual([]);
    expect(await all(backend, bob.id)).toEqual([stored(used(bob.id, { succeeded: 2 }))]);
  });
}
