import { DAY } from '../core/clock.ts';
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

  load(now: number): SavedQuota[] {
    return this.#file
      .all<QuotaRow>(
        'SELECT * FROM quotas WHERE day >= ? OR minute_ends_at > ?',
        Math.floor(now / DAY),
        now,
      )
      .map((row) => ({
        caller: row.caller,
        minuteEndsAt: Number(row.minute_ends_at),
        minuteUsed: Number(row.minute_used),
        day: Number(row.day),
        dayUsed: Number(row.day_used),
      }));
  }

  async save(quotas: readonly SavedQuota[]): Promise<void> {
    for (const input of chunks(quotas)) await this.#file.write({ name: 'saveQuotas', input });
  }

  async drop(callers: readonly string[]): Promise<void> {
    for (const input of chunks(callers)) await this.#file.write({ name: 'dropQuotas', input });
  }

  prune(now: number): Promise<void> {
    return this.#file.write({ name: 'pruneQuotas', input: now });
  }
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, index) =>
    items.slice(index * CHUNK, (index + 1) * CHUNK),
  );
}
