import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Limits } from './plans.ts';
import type { RateLimitResult } from './rate-limit.ts';

/** A limit on the attempts of one caller. */
export interface AttemptCounter {
  /** A kind and an identifier, separated by a colon: `address:203.0.113.7`. There are only a few kinds. */
  readonly caller: string;
  readonly limits: Limits;
  /** The number of attempts that this one counts as; 1 unless given. */
  readonly cost?: number;
}

/**
 * Limits attempts, such as sign-ins, and requests to the dashboard, per minute and per day; with Redis,
 * across all processes.
 */
export interface AttemptLimiter {
  /**
   * Counts one attempt in all counters, or in none.
   * @param counters at least one.
   * @returns the result of the most restrictive one.
   */
  take(counters: readonly AttemptCounter[], now: Instant): Awaitable<RateLimitResult>;
  /** Subtracts one attempt from each counter. */
  giveBack(counters: readonly AttemptCounter[]): Awaitable<void>;
}
