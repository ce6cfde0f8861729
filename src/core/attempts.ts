import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Limits } from './plans.ts';
/** Who tries something, and how often that may be. */
export interface AttemptCounter {
  readonly caller: string;
  readonly limits: Limits;
}

/** Counts attempts, such as to sign in, in a minute and a day; best in one place for all processes. */
export interface AttemptCounts {
  /** Counts one attempt in each of the counters, or in none and tells how long to wait, in ms. */
  take(counters: readonly AttemptCounter[], now: Instant): Awaitable<number | undefined>;
  /** Takes one attempt that was counted back from each. */
  giveBack(counters: readonly AttemptCounter[]): Awaitable<void>;
}
