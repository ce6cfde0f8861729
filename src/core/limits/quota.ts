import type { Awaitable } from '../../lib/awaitable.ts';
import { DAY, type Instant, MINUTE } from '../../lib/clock.ts';
import type { Limits } from './plans.ts';
import { type RateLimitResult, type WindowUsage, windowsResult } from './rate-limit.ts';

/** The requests that a caller has used in both windows. Updated in place. */
export interface QuotaState {
  /** End of the minute window, on the elapsed scale (ms). */
  minuteEndsAt: number;
  minuteUsed: number;
  /** The UTC day of `dayUsed`, in days since the Unix epoch. */
  day: number;
  dayUsed: number;
}

/** The state of a caller that has used no requests. */
export function unusedQuota(): QuotaState {
  return { minuteEndsAt: 0, minuteUsed: 0, day: 0, dayUsed: 0 };
}

/**
 * Takes `cost` requests (0 to only check) from both fixed windows, or from neither if one is exhausted. The last
 * admitted request may cost more than what is left. Updates `quota` in place when the request is taken.
 *
 * The minute is measured on the elapsed scale from the first request that it admitted. The day is
 * the UTC date of the wall clock: when the clock steps back over midnight the later date stays in effect, so
 * that no day's quota is granted twice.
 */
export function takeQuota(
  quota: QuotaState,
  limits: Limits,
  now: Instant,
  cost: number,
): RateLimitResult {
  const today = Math.floor(now.wall / DAY);
  const isSameDay = isDayInForce(quota, today);
  const isSameMinute = isMinuteInForce(quota, now);
  const day = isSameDay ? quota.day : today;
  let dayUsed = isSameDay ? quota.dayUsed : 0;
  const minuteEndsAt = isSameMinute ? quota.minuteEndsAt : now.elapsed + MINUTE;
  let minuteUsed = isSameMinute ? quota.minuteUsed : 0;

  const hasRoom = minuteUsed < limits.perMinute && dayUsed < limits.perDay;
  if (hasRoom && cost > 0) {
    minuteUsed += cost;
    dayUsed += cost;
    quota.minuteEndsAt = minuteEndsAt;
    quota.minuteUsed = minuteUsed;
    quota.day = day;
    quota.dayUsed = dayUsed;
  }
  return windowsResult(
    hasRoom,
    windowUsage(limits.perMinute, minuteUsed, minuteEndsAt - now.elapsed),
    windowUsage(limits.perDay, dayUsed, (day + 1) * DAY - now.wall),
  );
}

/** New numbers of used requests for the current windows; omitted windows stay unchanged. */
export interface UsedRequests {
  readonly minute?: number | undefined;
  readonly day?: number | undefined;
}

/** Sets the used requests of the current windows, in place; an expired window is started again. */
export function setUsed(quota: QuotaState, { minute, day }: UsedRequests, now: Instant): void {
  if (minute !== undefined) {
    if (!isMinuteInForce(quota, now)) quota.minuteEndsAt = now.elapsed + MINUTE;
    quota.minuteUsed = minute;
  }
  if (day !== undefined) {
    const today = Math.floor(now.wall / DAY);
    if (!isDayInForce(quota, today)) quota.day = today;
    quota.dayUsed = day;
  }
}

/** A minute that ends two minutes from now or later was started on a sandbox's clock, before that was reset. */
function isMinuteInForce({ minuteEndsAt }: QuotaState, { elapsed }: Instant): boolean {
  return elapsed < minuteEndsAt && minuteEndsAt - elapsed < 2 * MINUTE;
}

function isDayInForce({ day }: QuotaState, today: number): boolean {
  return day === today || day === today + 1;
}

/** Whether both windows have ended, so that the state may be dropped. */
export function isQuotaExpired(state: QuotaState, now: Instant): boolean {
  return now.elapsed >= state.minuteEndsAt && state.day < Math.floor(now.wall / DAY);
}

/** Adds up two separately counted quotas of one caller. */
export function addQuotas(one: QuotaState, other: QuotaState, now: Instant): QuotaState {
  const day = Math.max(one.day, other.day);
  const both = [one, other];
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    minuteEndsAt: Math.max(one.minuteEndsAt, other.minuteEndsAt),
    minuteUsed: sum(
      both.filter((each) => now.elapsed < each.minuteEndsAt).map((each) => each.minuteUsed),
    ),
    day,
    dayUsed: sum(both.filter((each) => each.day === day).map((each) => each.dayUsed)),
  };
}

function windowUsage(limit: number, used: number, resetIn: number): WindowUsage {
  return { limit, remaining: Math.max(0, limit - used), resetIn };
}

/** A caller's used quota as it is persisted. Times are epoch ms. */
export interface SavedQuota {
  readonly caller: string;
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  readonly day: number;
  readonly dayUsed: number;
}

/** Persists quotas across restarts. Every call may raise `StorageUnavailable`. */
export interface QuotaStore {
  /** The saved quota of one caller, expired or not. A limiter reads it once for each caller. */
  find(caller: string): Awaitable<SavedQuota | undefined>;
  save(quotas: readonly SavedQuota[]): Promise<void>;
  /** Deletes the quotas of these callers. */
  drop(callers: readonly string[]): Promise<void>;
  /** Deletes the quotas whose day and minute have ended at `now` (epoch ms). */
  prune(now: number): Promise<void>;
}
