import type { Ban } from './bans.ts';

/** What is left of one window after a decision. */
export interface WindowUsage {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window resets; always positive. */
  readonly resetIn: number;
}

/** The outcome of the limits for one request, and what its reply says about them. */
export interface RateLimitResult {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** The limit of the window that the reply describes. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the limit resets or the ban ends, whichever is later. */
  readonly resetIn: number;
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The ban that this very request caused. */
  readonly startedBan?: Ban | undefined;
}

/** The result that follows from the two windows alone. @param hasRoom whether both had room. */
export function windowsResult(
  hasRoom: boolean,
  minute: WindowUsage,
  day: WindowUsage,
): RateLimitResult {
  const { limit, remaining, resetIn } = describedWindow(hasRoom, minute, day);
  const outcome = hasRoom ? 'admitted' : 'limited';
  return { outcome, limit, remaining, resetIn, minute, day };
}

/**
 * The result for a banned key.
 * @param windows what the windows alone would have given.
 * @param banEndsIn milliseconds until the ban ends.
 * @param startedBan the ban, where this very request caused it.
 */
export function bannedResult(
  windows: RateLimitResult,
  banEndsIn: number,
  startedBan?: Ban,
): RateLimitResult {
  const { outcome, limit, resetIn, minute, day } = windows;
  // Waiting for the ban alone could lead into a window that is still exhausted.
  const wait = outcome === 'admitted' ? banEndsIn : Math.max(banEndsIn, resetIn);
  return { outcome: 'banned', limit, remaining: 0, resetIn: wait, minute, day, startedBan };
}

/**
 * The window that a reply describes: the one with fewer requests remaining, the minute on a tie. When
 * both are exhausted, a refusal describes the one that resets later.
 */
export function describedWindow(
  hasRoom: boolean,
  minute: WindowUsage,
  day: WindowUsage,
): WindowUsage {
  if (!hasRoom && minute.remaining === 0 && day.remaining === 0) {
    return day.resetIn > minute.resetIn ? day : minute;
  }
  return day.remaining < minute.remaining ? day : minute;
}

/**
 * The result that decides where several limits apply to a request: of those that are exhausted the one
 * that resets last; otherwise the one with the fewest requests remaining, the first on a tie.
 * @param results at least one.
 */
export function tightestResult(results: readonly RateLimitResult[]): RateLimitResult {
  const refused = results.filter(({ outcome }) => outcome !== 'admitted');
  if (refused.length > 0) return refused.reduce((a, b) => (b.resetIn > a.resetIn ? b : a));
  return results.reduce((a, b) => (b.remaining < a.remaining ? b : a));
}
