import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../../src/core/plans.ts';
import { HOUR } from '../../../src/lib/clock.ts';
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

/** Whether another process is told that something changed. */
async function tells(backend: Backend, change: () => Promise<unknown>): Promise<boolean> {
  await using other = await backend.another();
  const before = await other.settings.revision();
  await change();
  const after = await other.settings.revision();
  expect(after).toBeGreaterThanOrEqual(before);
  return after > before;
}

/** What servers of one store agree on, whichever database keeps it. */
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
        () => keys.replace(ended, apiKey(owner.id), digest(), 9, NOON, 'test'),
        () => bans.lift(recorded.id, 'ada', NOON),
      ];
      for (const change of changes) expect(await tells(backend, change)).toBe(true);
    });

    test('is silent about what no server can have in memory', async () => {
      await using backend = await open();
      const owner = await account(backend);
      const key = await keptKey(backend, owner.id);
      const changes = [
        () => account(backend, 'new@example.com'),
        () => keptKey(backend, owner.id),
        () => backend.keys.touch([[key.id, NOON]]),
        () => backend.bans.record(ban(key)),
        () => backend.keys.revoke('key_unknown', NOON, 'test'),
      ];
      for (const change of changes) expect(await tells(backend, change)).toBe(false);
    });
  });
}
