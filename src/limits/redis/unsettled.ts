import type { RateLimitResult } from '../../core/rate-limit.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import { DAY, type Instant, SECOND } from '../../lib/clock.ts';

/** Callers whose requests are remembered for Redis at once; past it the oldest is forgotten. */
const CAPACITY = 100_000;

/** What one caller was admitted while Redis was away. Times are epoch ms. */
export interface Counts {
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  /** Days since the Unix epoch. */
  readonly day: number;
  readonly dayUsed: number;
}

/** What was admitted while Redis was away, and is to be added to what it counted. */
export class Unsettled {
  readonly #counts = new BoundedMap<string, Counts>(CAPACITY);

  /** Counts a request of this caller that was admitted. */
  add(caller: string, { minute, day }: RateLimitResult, now: Instant): void {
    const before = this.#counts.get(caller);
    const minuteEndsAt = Math.ceil(now.wall + minute.resetIn);
    const today = Math.round((now.wall + day.resetIn) / DAY) - 1;
    const isSameMinute = before && Math.abs(before.minuteEndsAt - minuteEndsAt) < SECOND;
    this.#counts.put(caller, {
      minuteEndsAt,
      minuteUsed: (isSameMinute ? before.minuteUsed : 0) + 1,
      day: today,
      dayUsed: (before?.day === today ? before.dayUsed : 0) + 1,
    });
  }

  /** Takes back what could not be settled. */
  putBack(caller: string, counts: Counts): void {
    const since = this.#counts.get(caller);
    if (!since) {
      this.#counts.put(caller, counts);
      return;
    }
    const isSameMinute = Math.abs(since.minuteEndsAt - counts.minuteEndsAt) < SECOND;
    this.#counts.put(caller, {
      ...since,
      minuteUsed: since.minuteUsed + (isSameMinute ? counts.minuteUsed : 0),
      dayUsed: since.dayUsed + (since.day === counts.day ? counts.dayUsed : 0),
    });
  }

  /** Takes up to so many callers out, the oldest first. */
  take(most: number): [caller: string, counts: Counts][] {
    const taken = [...this.#counts.entries().take(most)];
    for (const [caller] of taken) this.#counts.delete(caller);
    return taken;
  }
}
