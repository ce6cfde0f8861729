import { describe, expect, test } from 'bun:test';
import type { QuotaStore, SavedQuota } from '../../../src/core/limits/quota.ts';
import { chunks } from '../../../src/lib/chunks.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { NOON, type OpenBackend } from './backend.ts';

const TODAY = Math.floor(NOON / DAY);

function quota(caller: string, fields: Partial<SavedQuota> = {}): SavedQuota {
  return { caller, minuteEndsAt: NOON, minuteUsed: 1, day: TODAY, dayUsed: 2, ...fields };
}

/** Few enough for the time limit of a look-up, also on a busy machine. */
const LOOKED_UP_AT_ONCE = 50;

/** The stored quotas of the callers of these quotas. */
async function kept(store: QuotaStore, quotas: readonly SavedQuota[]): Promise<SavedQuota[]> {
  const found: Array<SavedQuota | undefined> = [];
  for (const some of chunks(quotas, LOOKED_UP_AT_ONCE)) {
    found.push(...(await Promise.all(some.map(({ caller }) => store.find(caller)))));
  }
  return found.filter((each) => each !== undefined);
}

/** Tests of a quota store, for every database. */
export function quotaStoreSuite(open: OpenBackend): void {
  describe('a quota store', () => {
    test('holds nothing at first', async () => {
      await using backend = await open();
      expect(await backend.quotas().find('account:acct_1')).toBeUndefined();
      await backend.quotas().save([]);
      await backend.quotas().drop([]);
      expect(await backend.quotas().find('account:acct_1')).toBeUndefined();
    });

    test('gives back what was saved last, to whoever opens it next', async () => {
      await using backend = await open();
      const ada = quota('account:acct_1');
      const address = quota('address:2001:db8::/64', { dayUsed: 1_000_000_000 });
      await backend.quotas().save([ada, address]);
      const later = { ...ada, minuteUsed: 9, dayUsed: 11 };
      await backend.quotas().save([later]);
      await using other = await backend.another();
      expect(await kept(other.quotas(), [ada, address])).toEqual([later, address]);
    });

    test('finds one caller as it was saved last, over or not', async () => {
      await using backend = await open();
      const ada = quota('account:acct_1', { day: TODAY - 1 });
      await backend.quotas().save([ada, quota('account:acct_2')]);
      await backend.quotas().save([{ ...ada, minuteUsed: 9 }]);
      expect(await backend.quotas().find(ada.caller)).toEqual({ ...ada, minuteUsed: 9 });
      expect(await backend.quotas().find('account:acct_3')).toBeUndefined();
      expect(await backend.quotas('staging').find(ada.caller)).toBeUndefined();
    });

    test('takes thousands of callers at once', async () => {
      await using backend = await open();
      const quotas = Array.from({ length: 2_001 }, (_, index) =>
        quota(`address:${String(index).padStart(4, '0')}`, { dayUsed: index }),
      );
      await backend.quotas().save(quotas);
      expect(await kept(backend.quotas(), quotas)).toEqual(quotas);
    });

    test('prunes expired windows: none of today, none later, no minute that began before midnight', async () => {
      await using backend = await open();
      const over = quota('a', { day: TODAY - 1 });
      const current = [
        quota('b', { day: TODAY - 1, minuteEndsAt: NOON + 1 }),
        quota('c'),
        quota('d', { day: TODAY + 1 }),
      ];
      await backend.quotas().save([over, ...current]);
      await backend.quotas().prune(NOON);
      expect(await kept(backend.quotas(), [over, ...current])).toEqual(current);
    });

    test('drops the given callers, and no other', async () => {
      await using backend = await open();
      const quotas = Array.from({ length: 1_501 }, (_, index) => quota(`address:${index}`));
      const [left, ...dropped] = quotas;
      await backend.quotas().save(quotas);
      await backend.quotas().drop([...dropped.map(({ caller }) => caller), 'address:unknown']);
      expect(await kept(backend.quotas(), quotas)).toEqual(left ? [left] : []);
    });

    test("keeps the callers of one environment apart from the other's", async () => {
      await using backend = await open();
      await backend.quotas('production').save([quota('a', { dayUsed: 1 })]);
      await backend.quotas('staging').save([quota('a', { dayUsed: 7 })]);
      expect(await backend.quotas('production').find('a')).toEqual(quota('a', { dayUsed: 1 }));
      expect(await backend.quotas('staging').find('a')).toEqual(quota('a', { dayUsed: 7 }));
    });
  });
}
