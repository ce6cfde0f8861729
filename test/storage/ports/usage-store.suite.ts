import { expect, test } from 'bun:test';
import { NO_USAGE, type UsageRecord } from '../../../src/core/usage.ts';
import { account, NOON, type OpenBackend, portSuite } from './backend.ts';

const HOUR_NUMBER = 499_668;

function used(accountId: string, fields: Partial<UsageRecord> = {}): UsageRecord {
  return { accountId, environment: 'production', hour: HOUR_NUMBER, ...NO_USAGE, ...fields };
}

/** What a store of usage does, whichever database keeps it. */
export const usageStoreSuite = portSuite('a usage store', adding, forgetting);

function adding(open: OpenBackend): void {
  test('adds to the counts of each hour, environment and account separately', async () => {
    await using backend = await open();
    const ada = await account(backend);
    const bob = await account(backend, 'bob@example.com');
    const counts = { succeeded: 1, clientErrors: 20, limited: 300, serverErrors: 4_000 };
    const records = [
      used(ada.id, counts),
      used(ada.id, { environment: 'staging', succeeded: 7 }),
      used(ada.id, { hour: HOUR_NUMBER + 1, limited: 8 }),
    ];
    await backend.usage.add([]);
    await backend.usage.add([...records, used(bob.id, { clientErrors: 9 })]);
    await backend.usage.add([used(ada.id, { succeeded: 5, serverErrors: 6 })]);
    expect(await backend.usage.since(ada.id, 0)).toEqual([
      used(ada.id, { ...counts, succeeded: 6, serverErrors: 4_006 }),
      ...records.slice(1),
    ]);
    expect(await backend.usage.since(bob.id, 0)).toEqual([used(bob.id, { clientErrors: 9 })]);
  });

  test('gives the hours from the one that is named on', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const records = [-1, 0, 1].map((later) => used(id, { hour: HOUR_NUMBER + later, limited: 1 }));
    await backend.usage.add(records);
    expect(await backend.usage.since(id, HOUR_NUMBER)).toEqual(records.slice(1));
    expect(await backend.usage.since(id, HOUR_NUMBER + 2)).toEqual([]);
    expect(await backend.usage.since(id, 0, HOUR_NUMBER - 1)).toEqual(records.slice(0, 1));
    expect(await backend.usage.since('acct_unknown', 0)).toEqual([]);
  });

  test('loses no count when several add to the same hour at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id } = await account(backend);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? backend : other).usage.add([used(id, { succeeded: 1, limited: 2 })]),
      ),
    );
    expect(await other.usage.since(id, 0)).toEqual([used(id, { succeeded: 40, limited: 80 })]);
  });

  test('adds nothing at all when a part of it cannot be added', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const unwritable = used(id, { environment: 'staging' });
    Reflect.set(unwritable, 'environment', 'moon');
    const adding = backend.usage.add([used(id, { succeeded: 1 }), unwritable]);
    expect(await adding.catch(() => 'refused')).toBe('refused');
    expect(await backend.usage.since(id, 0)).toEqual([]);
  });

  test('drops the usage of an account that is gone, and adds that of the others', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const gone = await account(backend, 'gone@example.com');
    await backend.accounts.delete(gone.id, NOON, 'test');
    await backend.usage.add([used(gone.id, { succeeded: 1 }), used(id, { succeeded: 2 })]);
    expect(await backend.usage.since(gone.id, 0)).toEqual([]);
    expect(await backend.usage.since(id, 0)).toEqual([used(id, { succeeded: 2 })]);
  });
}

function forgetting(open: OpenBackend): void {
  test('forgets the hours before the one that is named, of every account', async () => {
    await using backend = await open();
    const accounts = [await account(backend), await account(backend, 'bob@example.com')];
    for (const { id } of accounts) {
      await backend.usage.add([used(id, { hour: HOUR_NUMBER - 1 }), used(id)]);
    }
    await backend.usage.prune(HOUR_NUMBER);
    for (const { id } of accounts) expect(await backend.usage.since(id, 0)).toEqual([used(id)]);
  });

  test('forgets thousands of hours at once', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    await backend.usage.add(Array.from({ length: 2_001 }, (_, hour) => used(id, { hour })));
    await backend.usage.prune(2_001);
    expect(await backend.usage.since(id, 0)).toEqual([]);
  });

  test("deletes an account's usage with the account, and no other account's", async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    await backend.usage.add([used(ada.id, { succeeded: 1 }), used(bob.id, { succeeded: 2 })]);
    await backend.accounts.delete(ada.id, NOON, 'test');
    expect(await backend.usage.since(ada.id, 0)).toEqual([]);
    expect(await backend.usage.since(bob.id, 0)).toEqual([used(bob.id, { succeeded: 2 })]);
  });
}
