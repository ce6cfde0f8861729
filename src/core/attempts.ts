import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Limits } from './plans.ts';
import type { RateLimitResult } from './rate-limit.ts';

/** A limit on the attempts of one caller. */
export interface AttemptCounter {
  /** A kind, a colon, and who it is: `address:203.0.113.7`. There are few kinds. */
  readonly caller: string;
  readonly limits: Limits;
}

/**
 * Limits attempts, such as to sign in, and requests to the dashboard, by minute and by day; with Redis
 * across all processes.
 */
export interface AttemptCounts {
  /**
   * Counts one attempt in all of the counters, or in none.
   * @param counters at least one.
   * @returns what the tightest of them says.
   */
  take(counters: readonly AttemptCounter[], now: Instant): Awaitable<RateLimitResult>;
  /** Takes back one counted attempt from each of the counters. */
  giveBack(counters: readonly AttemptCounter[]): Awaitable<void>;
}
