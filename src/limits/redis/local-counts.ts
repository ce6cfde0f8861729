import { LRUCache } from 'lru-cache';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import { DAY, type Instant, SECOND } from '../../lib/clock.ts';

/** The maximum number of callers with counts; above it the least recently used is dropped. */
const CAPACITY = 100_000;

/** Requests of one caller that were admitted locally. Times are epoch ms on the caller's clock. */
export interface Counts {
  /** As in `QuotaCaller`. */
  readonly clockOffset: number;
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  /** Days since the Unix epoch. */
  readonly day: number;
  readonly dayUsed: number;
}

/** Requests that were admitted locally while Redis was unavailable, to be added to the counts in Redis later. */
export class LocalCounts {
  readonly #counts = new LRUCache<string, Counts>({ max: CAPACITY });

  /** Counts one admitted request of this caller. @param clockOffset as in `QuotaCaller`. */
  add(caller: string, { minute, day }: RateLimitResult, now: Instant, clockOffset = 0): void {
    const before = this.#counts.get(caller);
    const minuteEndsAt = Math.ceil(now.wall + minute.resetIn);
    const today = Math.round((now.wall + day.resetIn) / DAY) - 1;
    const isSameMinute = before && Math.abs(before.minuteEndsAt - minuteEndsAt) < SECOND;
    this.#counts.set(caller, {
      clockOffset,
      minuteEndsAt,
      minuteUsed: (isSameMinute ? before.minuteUsed : 0) + 1,
      day: today,
      dayUsed: (before?.day === today ? before.dayUsed : 0) + 1,
    });
  }

  /** Puts back taken counts that could not be added in Redis. */
  putBack(caller: string, counts: Counts): void {
    const since = this.#counts.get(caller);
    if (!since) {
      this.#counts.set(caller, counts);
      return;
    }
    const isSameMinute = Math.abs(since.minuteEndsAt - counts.minuteEndsAt) < SECOND;
    this.#counts.set(caller, {
      ...since,
      minuteUsed: since.minuteUsed + (isSameMinute ? counts.minuteUsed : 0),
      dayUsed: since.dayUsed + (since.day === counts.day ? counts.dayUsed : 0),
    });
  }

  /** Drops the counts of a caller. */
  drop(caller: string): void {
    this.#counts.delete(caller);
  }

  clear(): void {
    this.#counts.clear();
  }

  /** Removes and returns the counts of up to `limit` callers, least recently used first. */
  take(limit: number): [caller: string, counts: Counts][] {
    const callers = [...this.#counts.rkeys().take(limit)];
    return callers.flatMap((caller) => {
      const counts = this.#counts.get(caller);
      this.#counts.delete(caller);
      return counts ? [[caller, counts]] : [];
    });
  }
}
