import { describe, expect, test } from 'bun:test';
import { DAY } from '../../src/core/clock.ts';
import type { QuotaJournal, SavedQuota } from '../../src/core/ports.ts';
import { NOON, type OpenBackend } from './backend.ts';

const TODAY = Math.floor(NOON / DAY);

function quota(caller: string, fields: Partial<SavedQuota> = {}): SavedQuota {
  return { caller, minuteEndsAt: NOON, minuteUsed: 1, day: TODAY, dayUsed: 2, ...fields };
}

async function all(journal: QuotaJournal, now: number): Promise<SavedQuota[]> {
  return [...(await journal.load(now))];
}

async function load(journal: QuotaJournal): Promise<SavedQuota[]> {
  return (await all(journal, NOON)).toSorted((one, other) => (one.caller < other.caller ? -1 : 1));
}

/** What a journal of quotas does, whichever database keeps it. */
export function quotaJournalSuite(open: OpenBackend): void {
  describe('a quota journal', () => {
    test('holds nothing at first', async () => {
      await using backend = await open();
      expect(await all(backend.quotas(), 0)).toEqual([]);
      await backend.quotas().save([]);
      await backend.quotas().drop([]);
      expect(await all(backend.quotas(), 0)).toEqual([]);
    });

    test('gives back what was saved last, to whoever opens it next', async () => {
      await using backend = await open();
      const ada = quota('account:acct_1');
      const address = quota('address:2001:db8::/64', { dayUsed: 1_000_000_000 });
      await backend.quotas().save([ada, address]);
      await backend.quotas().save([{ ...ada, minuteUsed: 9, dayUsed: 11 }]);
      await using other = await backend.another();
      expect(await load(other.quotas())).toEqual([{ ...ada, minuteUsed: 9, dayUsed: 11 }, address]);
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
      expect(await load(backend.quotas())).toEqual(quotas);
    });

    test('gives what is not over: of today, of later, and a minute that began before midnight', async () => {
      await using backend = await open();
      const over = quota('a', { day: TODAY - 1 });
      const current = [
        quota('b', { day: TODAY - 1, minuteEndsAt: NOON + 1 }),
        quota('c'),
        quota('d', { day: TODAY + 1 }),
      ];
      await backend.quotas().save([over, ...current]);
      expect(await load(backend.quotas())).toEqual(current);
      await backend.quotas().prune(NOON);
      const left = await all(backend.quotas(), 0);
      expect(left.map(({ caller }) => caller).sort()).toEqual(['b', 'c', 'd']);
    });

    test('drops the callers that it is told, and no other', async () => {
      await using backend = await open();
      const quotas = Array.from({ length: 1_501 }, (_, index) => quota(`address:${index}`));
      const [kept, ...dropped] = quotas;
      await backend.quotas().save(quotas);
      await backend.quotas().drop([...dropped.map(({ caller }) => caller), 'address:unknown']);
      expect(await load(backend.quotas())).toEqual(kept ? [kept] : []);
    });

    test("keeps the callers of one environment apart from the other's", async () => {
      await using backend = await open();
      await backend.quotas('production').save([quota('a', { dayUsed: 1 })]);
      await backend.quotas('staging').save([quota('a', { dayUsed: 7 })]);
      expect(await all(backend.quotas('production'), NOON)).toEqual([quota('a', { dayUsed: 1 })]);
      expect(await all(backend.quotas('staging'), NOON)).toEqual([quota('a', { dayUsed: 7 })]);
    });
  });
}
