import { describe, expect, test } from 'bun:test';
import type { Change } from '../../../src/core/changes.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { HOUR } from '../../../src/lib/clock.ts';
import { CHANGES_KEPT } from '../../../src/storage/change-log.ts';
import {
  account,
  apiKey,
  type Backend,
  ban,
  digest,
  keptKey,
  NOON,
  type OpenBackend,
} from './backend.ts';

/** Whether another process is notified of a change. */
async function tells(backend: Backend, change: () => Promise<unknown>): Promise<boolean> {
  await using other = await backend.another();
  const before = await other.changes.revision();
  await change();
  const after = await other.changes.revision();
  expect(after).toBeGreaterThanOrEqual(before);
  return after > before;
}

/** Tests of settings and changes that processes share, for every database. */
export function settingsSuite(open: OpenBackend): void {
  describe('settings', () => {
    test('keep the first value, for everybody', async () => {
      await using backend = await open();
      await using other = await backend.another();
      expect(await backend.settings.keep('secret', 'first')).toBe('first');
      expect(await backend.settings.keep('secret', 'second')).toBe('first');
      expect(await other.settings.keep('secret', 'third')).toBe('first');
      expect(await other.settings.keep('another', 'fourth')).toBe('fourth');
    });

    test('are replaced only by those who know the stored value', async () => {
      await using backend = await open();
      await using other = await backend.another();
      await backend.settings.keep('order', 'first');
      expect(await backend.settings.replace('order', 'another', 'third')).toBe(false);
      expect(await backend.settings.replace('order', 'first', 'second')).toBe(true);
      expect(await other.settings.replace('order', 'first', 'third')).toBe(false);
      expect(await other.settings.find('order')).toBe('second');
      expect(await backend.settings.replace('unknown', 'first', 'second')).toBe(false);
    });

    test('that are set many times at once agree on one value', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? backend : other).settings.keep('secret', `value ${index}`),
        ),
      );
      expect(new Set(kept).size).toBe(1);
    });
  });

  describe('the change signal', () => {
    test('tells other processes of changed plans, ended keys and lifted bans', async () => {
      await using backend = await open();
      const { accounts, keys, bans } = backend;
      const owner = await account(backend);
      const [first, second] = [await keptKey(backend, owner.id), await keptKey(backend, owner.id)];
      const recorded = ban(first);
      await bans.record(recorded);
      const ended = { id: second.id, expiresAt: NOON + HOUR };
      const changes = [
        () => accounts.setSubscription(owner.id, subscribe('pro'), Date.now(), 'test'),
        () => keys.revoke(first.id, NOON, 'test'),
        () => keys.replace(ended, apiKey(owner.id), digest(), { live: 9 }, NOON, 'test'),
        () => bans.lift(recorded.id, 'ada', NOON),
      ];
      for (const change of changes) expect(await tells(backend, change)).toBe(true);
    });

    test('names the account, key or ban that changed, in the order of the changes', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const { accounts, keys, bans } = backend;
      const owner = await account(backend);
      const [first, second] = [await keptKey(backend, owner.id), await keptKey(backend, owner.id)];
      const recorded = ban(first);
      await bans.record(recorded);
      const seen = await other.changes.revision();
      expect(await other.changes.since(seen)).toEqual({ revision: seen, changes: [] });
      await accounts.setSubscription(owner.id, subscribe('pro'), NOON, 'test');
      const ended = { id: second.id, expiresAt: NOON + HOUR };
      await keys.replace(ended, apiKey(owner.id), digest(), { live: 9 }, NOON, 'test');
      await bans.lift(recorded.id, 'ada', NOON);
      await keys.revoke(first.id, NOON, 'test');
      await accounts.delete(owner.id, NOON, 'test');
      const changed = [
        { kind: 'account', id: owner.id },
        { kind: 'key', id: second.id },
        { kind: 'ban', id: recorded.id },
        { kind: 'key', id: first.id },
        { kind: 'account', id: owner.id },
      ] as const;
      // Each change has an entry in the audit log, which open pages show.
      const audited: Change = { kind: 'audit', id: owner.id };
      const each = changed.flatMap((change) => [change, audited]);
      // The keys of a deleted account end before the account.
      const keysEnded: Change = { kind: 'account', id: owner.id };
      const expected = [...each.slice(0, 8), keysEnded, ...each.slice(8)];
      const revision = seen + BigInt(expected.length);
      expect(await other.changes.since(seen)).toEqual({ revision, changes: expected });
      expect(await other.changes.since(seen + 8n)).toEqual({
        revision,
        changes: expected.slice(8),
      });
    });

    test('tells every change once to a reader that looks while others change', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const owners = await Promise.all(
        Array.from({ length: 40 }, (_, index) => account(backend, `owner${index}@example.com`)),
      );
      const seen: string[] = [];
      let { revision } = await other.changes.since(0n);
      let pending = true;
      const changing = Promise.all(
        owners.map(({ id }, index) =>
          (index % 2 ? backend : other).accounts.setSubscription(
            id,
            subscribe('pro'),
            NOON,
            'test',
          ),
        ),
      ).finally(() => {
        pending = false;
      });
      const inspect = async () => {
        const { changes, ...next } = await other.changes.since(revision);
        if (changes === 'everything') throw new Error('the reader fell behind');
        seen.push(...changes.filter(({ kind }) => kind === 'account').map(({ id }) => id));
        ({ revision } = next);
        await Bun.sleep(0);
      };
      while (pending) await inspect();
      await changing;
      await inspect();
      expect(seen.toSorted()).toEqual(owners.map(({ id }) => id).toSorted());
    });

    test('tells a reader to apply everything that a process of an earlier release changed', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const seen = await backend.changes.revision();
      // Earlier releases count changes without recording them.
      await backend.run('accounts', 'UPDATE revision SET value = value + 1');
      const revision = seen + 1n;
      expect(await backend.changes.since(seen)).toEqual({ revision, changes: 'everything' });
      await backend.accounts.setSubscription(id, subscribe('pro'), NOON, 'test');
      const { changes } = await backend.changes.since(revision);
      expect(changes).toEqual([
        { kind: 'account', id },
        { kind: 'audit', id },
      ]);
      expect((await backend.changes.since(seen)).changes).toBe('everything');
    });

    test('tells a reader that missed more changes than are kept to apply everything', async () => {
      await using backend = await open();
      const { id } = await account(backend);
      const seen = await backend.changes.revision();
      const change = () => backend.accounts.setSubscription(id, subscribe('pro'), NOON, 'test');
      await change();
      // Each change is recorded together with its entry in the audit log.
      for (let recorded = 0; recorded < CHANGES_KEPT; recorded += 20) {
        // Few at once: they wait for the same row, and a statement fails if it takes too long.
        await Promise.all(Array.from({ length: 10 }, change));
      }
      const revision = seen + 2n + BigInt(CHANGES_KEPT);
      expect(await backend.changes.since(seen)).toEqual({ revision, changes: 'everything' });
      const { changes } = await backend.changes.since(seen + 2n);
      expect(changes).toHaveLength(CHANGES_KEPT);
      // After a restore the store may be older than what a reader has seen.
      const restored = await backend.changes.since(revision + 5n);
      expect(restored).toEqual({ revision, changes: 'everything' });
    });

    test('tells of accounts and keys that are made, for open pages', async () => {
      await using backend = await open();
      const seen = await backend.changes.revision();
      const { id } = await account(backend);
      await keptKey(backend, id);
      const audited: Change = { kind: 'audit', id };
      expect((await backend.changes.since(seen)).changes).toEqual([audited, audited]);
    });

    test('is silent about what requests change', async () => {
      await using backend = await open();
      const owner = await account(backend);
      const key = await keptKey(backend, owner.id);
      const changes = [
        () => backend.keys.touch([[key.id, NOON]]),
        () => backend.bans.record(ban(key)),
        () => backend.keys.revoke('key_unknown', NOON, 'test'),
      ];
      for (const change of changes) expect(await tells(backend, change)).toBe(false);
    });
  });
}
