import { describe, expect, test } from 'bun:test';
import type { QuotaJournal, SavedQuota } from '../../src/core/ports.ts';
import { NOON, type OpenBackend } from './backend.ts';

function quota(caller: string, fields: Partial<SavedQuota> = {}): SavedQuota {
  return { caller, minuteEndsAt: NOON, minuteUsed: 1, day: 20_820, dayUsed: 2, ...fields };
}

async function load(journal: QuotaJournal): Promise<SavedQuota[]> {
  return (await journal.load()).toSorted((one, other) => (one.caller < other.caller ? -1 : 1));
}

/** What a journal of quotas does, whichever database keeps it. */
export function quotaJournalSuite(open: OpenBackend): void {
  describe('a quota journal', () => {
    test('holds nothing at first', async () => {
      await using backend = await open();
      expect(await backend.quotas().load()).toEqual([]);
      await backend.quotas().save([]);
      expect(await backend.quotas().load()).toEqual([]);
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

    test('takes thousands of callers at once', async () => {
      await using backend = await open();
      const quotas = Array.from({ length: 2_001 }, (_, index) =>
        quota(`address:${String(index).padStart(4, '0')}`, { dayUsed: index }),
      );
      await backend.quotas().save(quotas);
      expect(await load(backend.quotas())).toEqual(quotas);
    });

    test('drops the days before the one that it is told', async () => {
      await using backend = await open();
      const quotas = [quota('a', { day: 10 }), quota('b', { day: 11 }), quota('c', { day: 12 })];
      await backend.quotas().save(quotas);
      await backend.quotas().prune(11);
      expect(await load(backend.quotas())).toEqual(quotas.slice(1));
    });

    test("keeps the callers of one environment apart from the other's", async () => {
      await using backend = await open();
      await backend.quotas('production').save([quota('a', { dayUsed: 1 })]);
      await backend.quotas('staging').save([quota('a', { dayUsed: 7 })]);
      expect(await backend.quotas('production').load()).toEqual([quota('a', { dayUsed: 1 })]);
      expect(await backend.quotas('staging').load()).toEqual([quota('a', { dayUsed: 7 })]);
    });
  });
}
