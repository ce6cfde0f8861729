import type { QuotaState, QuotaStore, SavedQuota } from '../../core/limits/quota.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { type Instant, later, MINUTE } from '../../lib/clock.ts';

/**
 * Quotas saved by earlier processes. Each is read at the first request of its caller, so that the time to start
 * does not depend on their number. May raise `StorageUnavailable`.
 */
export class SavedQuotas {
  readonly #store: Pick<QuotaStore, 'find'>;
  readonly #startedAt: Instant;

  /**
   * @param startedAt when this process started its limiter. Saved times are converted relative to it: setting the
   * clock afterwards must not change the length of a minute.
   */
  constructor(store: Pick<QuotaStore, 'find'>, startedAt: Instant) {
    this.#store = store;
    this.#startedAt = startedAt;
  }

  /**
   * `undefined` when nothing was saved.
   * @param clockOffset as in `QuotaCaller`.
   */
  find(caller: string, clockOffset = 0): Awaitable<QuotaState | undefined> {
    const found = this.#store.find(caller);
    if (!(found instanceof Promise)) return found && this.#read(found, clockOffset);
    return found.then((saved) => saved && this.#read(saved, clockOffset));
  }

  #read(saved: SavedQuota, clockOffset: number): QuotaState {
    return quotaFrom(saved, later(this.#startedAt, clockOffset));
  }
}

/** A saved quota on the elapsed scale of this process. */
export function quotaFrom(
  { minuteEndsAt, minuteUsed, day, dayUsed }: SavedQuota,
  { wall, elapsed }: Instant,
): QuotaState {
  // A clock that was set back in the meantime must not prolong the minute.
  const minuteLeft = Math.min(MINUTE, minuteEndsAt - wall);
  return { minuteEndsAt: elapsed + minuteLeft, minuteUsed, day, dayUsed };
}
