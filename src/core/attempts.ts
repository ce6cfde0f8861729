import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Limits } from './plans.ts';
/** A limit on the attempts of one caller. */
export interface AttemptCounter {
  readonly caller: string;
  readonly limits: Limits;
}

/** Limits attempts, such as to sign in, by minute and by day; with Redis across all processes. */
export interface AttemptCounts {
  /** Counts one attempt in all of the counters; or in none, and returns how long to wait, in ms. */
  take(counters: readonly AttemptCounter[], now: Instant): Awaitable<number | undefined>;
  /** Takes back one counted attempt from each of the counters. */
  giveBack(counters: readonly AttemptCounter[]): Awaitable<void>;
}
