import { describe, expect, test } from 'bun:test';
import { account, apiKey, digest, keptKey, NOON, type OpenBackend } from './backend.ts';

/** Tests of the counts of requests with a simulation, for every database. */
export function simulationStoreSuite(open: OpenBackend): void {
  describe('a store of simulated requests', () => {
    test('gives a key back with what its requests meet', async () => {
      await using backend = await open();
      const owner = await account(backend);
      const kept = digest();
      const key = apiKey(owner.id, { environment: 'staging', simulate: 'unavailable;times=2' });
      await backend.keys.insert(key, kept, { live: 1 }, NOON, 'test');
      expect(await backend.keys.find(key.id)).toEqual(key);
      const found = await backend.keys.findByDigest(kept);
      expect(found?.key.simulate).toBe('unavailable;times=2');
    });

    test('numbers the requests of each counter and each account, from 1 on', async () => {
      await using backend = await open();
      const [one, two] = [await account(backend), await account(backend, 'other@example.com')];
      const count = (accountId: string, counter: string) =>
        backend.simulations.count(accountId, counter, undefined);
      expect(await count(one.id, 'first')).toBe(1);
      expect(await count(one.id, 'first')).toBe(2);
      expect(await count(one.id, 'second')).toBe(1);
      expect(await count(two.id, 'first')).toBe(1);
    });

    test('counts no more requests than asked for, also from two processes at once', async () => {
      await using backend = await open();
      await using other = await backend.another();
      const owner = await account(backend);
      const counted = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? backend : other).simulations.count(owner.id, 'limited', 7),
        ),
      );
      const numbers = counted.filter((number) => number !== undefined);
      expect(numbers.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await backend.simulations.count(owner.id, 'limited', 7)).toBeUndefined();
    });

    test('drops the numbers of a key that is pruned, and those of a deleted account', async () => {
      await using backend = await open();
      const owner = await account(backend);
      const key = await keptKey(backend, owner.id, { expiresAt: NOON + 1 });
      const { simulations } = backend;
      for (const counter of [key.id, 'account']) await simulations.count(owner.id, counter, 1);
      await backend.keys.prune(NOON + 2, NOON + 2, NOON + 2);
      expect(await simulations.count(owner.id, key.id, 1)).toBe(1);
      expect(await simulations.count(owner.id, 'account', 1)).toBeUndefined();
      await backend.accounts.delete(owner.id, NOON, 'test');
      expect(await simulations.count(owner.id, 'account', 1)).toBeUndefined();
    });
  });
}
