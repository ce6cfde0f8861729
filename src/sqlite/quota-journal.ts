import { chunks } from '../core/chunks.ts';
import { DAY } from '../core/clock.ts';
import type { QuotaJournal, SavedQuota } from '../core/ports.ts';
import type { SqliteFile } from './file.ts';

interface QuotaRow {
  caller: string;
  minute_ends_at: bigint;
  minute_used: bigint;
  day: bigint;
  day_used: bigint;
}

/** Keeps the quotas in use of one environment. */
export class SqliteQuotaJournal implements QuotaJournal {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  load(now: number): SavedQuota[] {
    return this.#file
      .all<QuotaRow>(
        'SELECT * FROM quotas WHERE day >= ? OR minute_ends_at > ?',
        Math.floor(now / DAY),
        now,
      )
      .map(quotaFromRow);
  }

  find(caller: string): SavedQuota | undefined {
    const row = this.#file.get<QuotaRow>('SELECT * FROM quotas WHERE caller = ?', caller);
    return row && quotaFromRow(row);
  }

  async save(quotas: readonly SavedQuota[]): Promise<void> {
    // In the order of the table, so that each chunk changes pages of its own and none is written twice.
    const inOrder = quotas.toSorted((a, b) => (a.caller < b.caller ? -1 : 1));
    for (const input of chunks(inOrder)) await this.#file.write({ name: 'saveQuotas', input });
  }

  async drop(callers: readonly string[]): Promise<void> {
    for (const input of chunks(callers)) await this.#file.write({ name: 'dropQuotas', input });
  }

  prune(now: number): Promise<void> {
    return this.#file.write({ name: 'pruneQuotas', input: now });
  }
}

function quotaFromRow(row: QuotaRow): SavedQuota {
  return {
    caller: row.caller,
    minuteEndsAt: Number(row.minute_ends_at),
    minuteUsed: Number(row.minute_used),
    day: Number(row.day),
    dayUsed: Number(row.day_used),
  };
}
