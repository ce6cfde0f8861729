import { expect, test } from 'bun:test';
import type { ApiKey, KeyFilter } from '../../../src/core/keys/api-keys.ts';
import { DAY, HOUR } from '../../../src/lib/clock.ts';
import {
  account,
  apiKey,
  ban,
  digest,
  keptKey,
  NOON,
  type OpenBackend,
  portSuite,
} from './backend.ts';

const MIDNIGHT = Math.floor(NOON / DAY) * DAY;

/** Tests of pages, the daily limit and the pruning of API keys, for every database. */
export const endedKeysSuite = portSuite('a store of many API keys', paging, boundingDays, pruning);

function paging(open: OpenBackend): void {
  test('gives those of an account that a filter leaves, in any case of letters', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const key = (fields: Partial<ApiKey>) => keptKey(backend, owner.id, fields);
    const shop = await key({ name: 'Shop %_', createdAt: NOON + 2 });
    const tests = await key({ name: 'tests', environment: 'staging', lastFour: 'a1B2' });
    const over = await key({ name: 'shop', createdAt: NOON + 1, expiresAt: NOON + HOUR });
    const page = (filter: KeyFilter) => backend.keys.page(owner.id, 9, undefined, filter);
    const ids = async (filter: KeyFilter) => (await page(filter)).map(({ id }) => id);
    expect(await ids({ text: 'SHOP' })).toEqual([shop.id, over.id]);
    expect(await ids({ text: '%_' })).toEqual([shop.id]);
    expect(await ids({ text: 'a1B2' })).toEqual([tests.id]);
    expect(await ids({ environment: 'staging' })).toEqual([tests.id]);
    const now = NOON + HOUR;
    expect(await ids({ live: { is: true, now } })).toEqual([shop.id, tests.id]);
    expect(await ids({ live: { is: false, now } })).toEqual([over.id]);
    const temporary = await key({ environment: 'staging', isTemporary: true });
    expect(await ids({ isTemporary: true })).toEqual([temporary.id]);
    expect(await ids({ environment: 'staging', isTemporary: false })).toEqual([tests.id]);
  });

  test('renames a key, and gives what keys were rotated to', async () => {
    await using backend = await open();
    const [owner, other] = [await account(backend), await account(backend, 'other@example.com')];
    const first = await keptKey(backend, owner.id);
    const next = await keptKey(backend, owner.id, { predecessorId: first.id });
    const { keys } = backend;
    expect(await keys.successors(owner.id, [first.id, next.id])).toEqual([next]);
    expect(await keys.successors(other.id, [first.id])).toEqual([]);
    expect(await keys.rename(next.id, 'another', NOON, 'test')).toBe(true);
    expect(await keys.find(next.id)).toEqual({ ...next, name: 'another' });
    expect(await keys.rename('key_unknown', 'another', NOON, 'test')).toBe(false);
  });

  test("gives an account's keys page by page, the newest first, each once", async () => {
    await using backend = await open();
    const owner = await account(backend);
    const other = await account(backend, 'other@example.com');
    await keptKey(backend, other.id);
    const keys: ApiKey[] = [];
    // Two keys for each moment.
    for (let made = 0; made < 7; made += 1) {
      keys.push(await keptKey(backend, owner.id, { createdAt: NOON + Math.floor(made / 2) }));
    }
    const paged: ApiKey[] = [];
    for (let page = await backend.keys.page(owner.id, 3); page.length > 0; ) {
      expect(page.length).toBeLessThanOrEqual(3);
      paged.push(...page);
      page = await backend.keys.page(owner.id, 3, page.at(-1));
    }
    expect(paged).toEqual((await backend.keys.list(owner.id)).toReversed());
    expect(paged).toHaveLength(keys.length);
    expect(await backend.keys.page('acct_unknown', 3)).toEqual([]);
  });

  test('finds those of some ids that there are', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const [one, two] = [await keptKey(backend, owner.id), await keptKey(backend, owner.id)];
    const found = await backend.keys.findAll([two.id, 'key_unknown', one.id]);
    expect(found.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([one, two]);
    expect(await backend.keys.findAll([])).toEqual([]);
  });
}

function boundingDays(open: OpenBackend): void {
  test('keeps no more keys of one UTC day than are allowed, ended and rotated ones included', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const bounds = { live: 100, perDay: 3 };
    await keptKey(backend, owner.id, { createdAt: MIDNIGHT - 1 });
    const first = apiKey(owner.id, { createdAt: MIDNIGHT });
    expect(await backend.keys.insert(first, digest(), bounds, NOON, 'test')).toBe('added');
    const second = apiKey(owner.id);
    const ending = { id: first.id, expiresAt: NOON };
    expect(await backend.keys.replace(ending, second, digest(), bounds, NOON, 'test')).toBe(
      'added',
    );
    const third = await keptKey(backend, owner.id);
    await backend.keys.revoke(third.id, NOON, 'test');

    const insertAt = (createdAt: number) =>
      backend.keys.insert(apiKey(owner.id, { createdAt }), digest(), bounds, createdAt, 'test');
    expect(await insertAt(MIDNIGHT + DAY - 1)).toBe('too_many_today');
    const rotated = { id: second.id, expiresAt: NOON + HOUR };
    const next = apiKey(owner.id);
    const replaced = backend.keys.replace(rotated, next, digest(), bounds, NOON, 'test');
    expect(await replaced).toBe('too_many_today');
    expect(await backend.keys.find(second.id)).toEqual(second);
    expect(await insertAt(MIDNIGHT + DAY)).toBe('added');
    // Without a limit, like on the command line.
    await keptKey(backend, owner.id);
  });

  test('keeps to the bound of a day when many are made at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const owner = await account(backend);
    const bounds = { live: 100, perDay: 10 };
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 ? backend : other).keys.insert(apiKey(owner.id), digest(), bounds, NOON, 'test'),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(10);
  });
}

function pruning(open: OpenBackend): void {
  test('removes temporary keys a day after they ended, and says of a key that it is one', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const lasting = await keptKey(backend, id, { expiresAt: NOON });
    const temporary = await keptKey(backend, id, { expiresAt: NOON, isTemporary: true });
    expect(await backend.keys.find(temporary.id)).toMatchObject({ isTemporary: true });
    await backend.keys.prune(NOON - DAY, NOON, NOON + DAY);
    expect(await backend.keys.list(id)).toHaveLength(2);
    await backend.keys.prune(NOON - DAY, NOON, NOON + DAY + 1);
    expect(await backend.keys.list(id)).toEqual([lasting]);
  });

  test('removes keys that ended before a moment, and the audit log tells how and when', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const live = await keptKey(backend, id);
    const expiring = await keptKey(backend, id, { expiresAt: NOON + DAY });
    const expired = await keptKey(backend, id, { expiresAt: NOON - 1 });
    const recent = await keptKey(backend, id, { expiresAt: NOON });
    const revoked = await keptKey(backend, id, { expiresAt: NOON + DAY });
    await backend.keys.revoke(revoked.id, NOON - 2, 'test');
    const secret = digest();
    const found = apiKey(id, { expiresAt: NOON - 3 });
    await backend.keys.insert(found, secret, { live: 100 }, NOON, 'test');

    await backend.keys.prune(NOON, NOON, NOON + DAY);

    const kept = (await backend.keys.list(id)).map((key) => key.id).toSorted();
    expect(kept).toEqual([live.id, expiring.id, recent.id].toSorted());
    expect(await backend.keys.findByDigest(secret)).toBeUndefined();
    const entries = (await backend.audit.list(3)).toSorted((a, b) =>
      a.detail.localeCompare(b.detail),
    );
    const ends = [
      [expired, `expired at ${new Date(NOON - 1).toISOString()}`],
      [revoked, `revoked at ${new Date(NOON - 2).toISOString()}`],
      [found, `expired at ${new Date(NOON - 3).toISOString()}`],
    ] as const;
    const details = ends.map(
      ([key, end]) => `production key "test" (pst_live_…wxyz, ${key.id}), ${end}`,
    );
    expect(entries.map(({ detail }) => detail)).toEqual(details.toSorted());
    for (const entry of entries) {
      expect(entry).toMatchObject({ at: NOON + DAY, by: 'the service', accountId: id });
      expect(entry.action).toBe('key.removed');
    }
    await backend.keys.prune(NOON, NOON, NOON + DAY);
    const actions = (await backend.audit.list(9)).map(({ action }) => action);
    expect(actions.filter((action) => action === 'key.removed')).toHaveLength(3);
  });

  test('removes the bans of a key with it, and not a key whose ban still matters', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const past = await keptKey(backend, id, { expiresAt: NOON - HOUR });
    const banned = await keptKey(backend, id, { expiresAt: NOON - HOUR });
    const other = ban(banned, { startsAt: NOON - 2 * HOUR, endsAt: NOON + 1 });
    await backend.bans.record(ban(past, { startsAt: NOON - 2 * HOUR, endsAt: NOON }));
    await backend.bans.record(other);
    await backend.keys.prune(NOON, NOON, NOON);
    expect((await backend.keys.list(id)).map((key) => key.id)).toEqual([banned.id]);
    expect(await backend.bans.ofAccount(id, 0, 9)).toEqual([other]);
  });

  test('removes more than fit in one transaction', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    // One after the other, because each waits until it holds the account.
    for (let count = 0; count < 201; count += 1)
      await keptKey(backend, id, { expiresAt: NOON - 1 });
    await using other = await backend.another();
    await Promise.all([backend, other].map(({ keys }) => keys.prune(NOON, NOON, NOON)));
    expect(await backend.keys.list(id)).toEqual([]);
    const removed = (await backend.audit.list(1_000)).filter(
      ({ action }) => action === 'key.removed',
    );
    expect(removed).toHaveLength(201);
  });
}
