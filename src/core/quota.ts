import type { Awaitable } from '../lib/awaitable.ts';
import { DAY, type Instant, MINUTE } from '../lib/clock.ts';
import type { Limits } from './plans.ts';

/** What a caller has used of both windows. A caller without one has used nothing. */
export interface QuotaState {
  /** End of the minute window, on the elapsed scale (ms). */
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  /** The UTC day that `dayUsed` counts, in days since the Unix epoch. */
  readonly day: number;
  readonly dayUsed: number;
}

/** What a caller has used of whom nothing is known: nothing. */
export const NOTHING_USED: QuotaState = { minuteEndsAt: 0, minuteUsed: 0, day: 0, dayUsed: 0 };

/** How a window stands after a decision. */
export interface WindowStanding {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until the window resets; always positive. */
  readonly resetIn: number;
}

export interface QuotaDecision {
  readonly admitted: boolean;
  readonly minute: WindowStanding;
  readonly day: WindowStanding;
  /** What to keep for the caller's next request; the state given when nothing was counted. */
  readonly state: QuotaState | undefined;
}

/**
 * Takes `cost` requests (1, or 0 to only look) from both fixed windows, or from neither.
 *
 * The minute is measured on the elapsed scale from the first request that it admitted. The day is
 * the UTC date of the wall clock: after a step back over midnight the later date stays in force, so
 * that a day is never served twice.
 */
export function decideQuota(
  state: QuotaState | undefined,
  limits: Limits,
  now: Instant,
  cost: 0 | 1,
): QuotaDecision {
  const today = Math.floor(now.wall / DAY);
  const sameDay = state !== undefined && (state.day === today || state.day === today + 1);
  const sameMinute = state !== undefined && now.elapsed < state.minuteEndsAt;
  const day = sameDay ? state.day : today;
  const dayUsed = sameDay ? state.dayUsed : 0;
  const minuteEndsAt = sameMinute ? state.minuteEndsAt : now.elapsed + MINUTE;
  const minuteUsed = sameMinute ? state.minuteUsed : 0;

  const admitted = minuteUsed < limits.perMinute && dayUsed < limits.perDay;
  const counted = admitted ? cost : 0;
  return {
    admitted,
    minute: standing(limits.perMinute, minuteUsed + counted, minuteEndsAt - now.elapsed),
    day: standing(limits.perDay, dayUsed + counted, (day + 1) * DAY - now.wall),
    state:
      counted === 0
        ? state
        : { minuteEndsAt, minuteUsed: minuteUsed + counted, day, dayUsed: dayUsed + counted },
  };
}

/** Whether a state still says anything at this moment; what does not may be forgotten. */
export function isSpent(state: QuotaState, now: Instant): boolean {
  return now.elapsed >= state.minuteEndsAt && state.day < Math.floor(now.wall / DAY);
}

/** What two counts of one caller come to that did not know of one another. */
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

/**
 * The window that a reply speaks of: the one with fewer requests remaining, the minute on a tie.
 * On a refusal only exhausted windows count, and of two the one that resets later.
 */
export function governingWindow({
  admitted,
  minute,
  day,
}: Omit<QuotaDecision, 'state'>): WindowStanding {
  if (!admitted && minute.remaining === 0 && day.remaining === 0) {
    return day.resetIn > minute.resetIn ? day : minute;
  }
  return day.remaining < minute.remaining ? day : minute;
}

function standing(limit: number, used: number, resetIn: number): WindowStanding {
  return { limit, remaining: Math.max(0, limit - used), resetIn };
}

/** A caller's used quota as it is kept across a restart. Times are epoch ms. */
export interface SavedQuota {
  readonly caller: string;
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  readonly day: number;
  readonly dayUsed: number;
}

/** Keeps quotas for the next process. Every call may raise `StorageUnavailable`. */
export interface QuotaStore {
  /** What is kept for one caller, over or not; a limiter asks once for each, when it first comes. */
  find(caller: string): Awaitable<SavedQuota | undefined>;
  save(quotas: readonly SavedQuota[]): Promise<void>;
  /** Drops the quotas of these callers. */
  drop(callers: readonly string[]): Promise<void>;
  /** Drops the quotas whose day and minute are over at `now` (epoch ms). */
  prune(now: number): Promise<void>;
}
