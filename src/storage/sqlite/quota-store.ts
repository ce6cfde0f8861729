import type { QuotaStore, SavedQuota } from '../../core/quota.ts';
import { chunks } from '../../lib/chunks.ts';
import type { SqliteFile } from './file.ts';

/** Quotas written in one change: some 2 ms, a commit included. */
const AT_ONCE = 2_000;

/** Doubles hold every number here exactly, and are read in a fraction of the time of a bigint. */
const FIND = `SELECT caller, CAST(minute_ends_at AS REAL) AS minuteEndsAt,
  CAST(minute_used AS REAL) AS minuteUsed, CAST(day AS REAL) AS day,
  CAST(day_used AS REAL) AS dayUsed FROM quotas WHERE caller = ?`;

/** Keeps the quotas in use of one environment. */
export class SqliteQuotaStore implements QuotaStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  find(caller: string): SavedQuota | undefined {
    return this.#file.get<SavedQuota>(FIND, caller);
  }

  async save(quotas: readonly SavedQuota[]): Promise<void> {
    // In the order of the table, so that each chunk changes pages of its own and none is written twice.
    const inOrder = quotas.toSorted((a, b) => (a.caller < b.caller ? -1 : 1));
    for (const input of chunks(inOrder, AT_ONCE))
      await this.#file.write({ name: 'saveQuotas', input });
  }

  async drop(callers: readonly string[]): Promise<void> {
    for (const input of chunks(callers)) await this.#file.write({ name: 'dropQuotas', input });
  }

  prune(now: number): Promise<void> {
    return this.#file.write({ name: 'pruneQuotas', input: now });
  }
}
