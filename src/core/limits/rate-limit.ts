import type { Ban } from './bans.ts';

/** The state of one window after a decision. */
export interface WindowUsage {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window resets; always positive. */
  readonly resetIn: number;
}

/** The rate limiter's decision on one request, and the figures for the headers of its reply. */
export interface RateLimitResult {
  readonly outcome: 'admitted' | 'limited' | 'banned';
  /** The limit of the window that the reply describes. */
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the limit resets or the ban ends, whichever is later. */
  readonly resetIn: number;
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The ban that this request caused. */
  readonly startedBan?: Ban | undefined;
}

/** The result of the two windows, without bans. @param hasRoom whether both had requests remaining. */
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
 * @param windows the result of the windows alone.
 * @param banEndsIn milliseconds until the ban ends.
 * @param startedBan the ban, if this request caused it.
 */
export function bannedResult(
  windows: RateLimitResult,
  banEndsIn: number,
  startedBan?: Ban,
): RateLimitResult {
  const { outcome, limit, resetIn, minute, day } = windows;
  // When the ban ends, a window may still be exhausted.
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
 * The most restrictive of several results for one request: if any are exhausted, the one of them that resets
 * last; otherwise the one with the fewest requests remaining, the first on a tie.
 * @param results at least one.
 */
export function tightestResult(results: readonly RateLimitResult[]): RateLimitResult {
  const refused = results.filter(({ outcome }) => outcome !== 'admitted');
  if (refused.length > 0) return refused.reduce((a, b) => (b.resetIn > a.resetIn ? b : a));
  return results.reduce((a, b) => (b.remaining < a.remaining ? b : a));
}
