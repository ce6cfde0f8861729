import type { QuotaJournal, SavedQuota } from '../core/ports.ts';
import type { SqliteFile } from './file.ts';

/** Rows written in one change, so that no creation waits long behind it. */
const CHUNK = 500;

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

  load(): SavedQuota[] {
    return this.#file.all<QuotaRow>('SELECT * FROM quotas').map((row) => ({
      caller: row.caller,
      minuteEndsAt: Number(row.minute_ends_at),
      minuteUsed: Number(row.minute_used),
      day: Number(row.day),
      dayUsed: Number(row.day_used),
    }));
  }

  async save(quotas: readonly SavedQuota[]): Promise<void> {
    for (let start = 0; start < quotas.length; start += CHUNK) {
      await this.#file.write({ name: 'saveQuotas', input: quotas.slice(start, start + CHUNK) });
    }
  }

  prune(day: number): Promise<void> {
    return this.#file.write({ name: 'pruneQuotas', input: day });
  }
}
