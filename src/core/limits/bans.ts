import { DAY, type Instant, SECOND } from '../../lib/clock.ts';

/** Refusals within this time after a 429, in ms, are not counted: their requests were already in flight. */
export const GRACE = 2 * SECOND;

export interface BanPolicy {
  /** The number of refused requests in one exhausted window, after the grace, that starts a ban; at least 1. */
  readonly after: number;
  /** Length of a first ban, in ms. */
  readonly base: number;
  /** The longest ban, in ms. */
  readonly maximum: number;
}

export interface Ban {
  /** On the elapsed scale, ms. */
  readonly startsAt: number;
  /** On the elapsed scale, ms. */
  readonly endsAt: number;
  /** 1 for a first ban; each further ban within 24 h of the end of the previous one adds 1. */
  readonly level: number;
}

/** The refusals of an API key that may lead to a ban. */
export interface Strikes {
  /** Refusals before this time are not counted (elapsed, ms). */
  readonly graceEndsAt: number;
  /** End of the exhausted window in which refusals are counted (elapsed, ms). */
  readonly windowEndsAt: number;
  readonly refusals: number;
  /** The latest ban, active or ended. */
  readonly ban: Ban | undefined;
}

/** The ban that is active at this time, if any. */
export function activeBan(strikes: Strikes | undefined, now: Instant): Ban | undefined {
  const ban = strikes?.ban;
  return ban && now.elapsed < ban.endsAt ? ban : undefined;
}

/**
 * Records one refused request, and starts a ban when the number set by the policy is reached.
 * @param windowEndsIn milliseconds until the exhausted window resets.
 */
export function recordRefusal(
  strikes: Strikes | undefined,
  now: Instant,
  windowEndsIn: number,
  policy: BanPolicy,
): Strikes {
  const ban = strikes?.ban;
  // A raised limit or a changed clock can end the window of the strikes earlier: then another one refuses now.
  const isOver = (windowEndsAt: number) =>
    now.elapsed >= windowEndsAt || now.elapsed + windowEndsIn + GRACE < windowEndsAt;
  if (!strikes || isOver(strikes.windowEndsAt)) {
    return {
      graceEndsAt: now.elapsed + GRACE,
      windowEndsAt: now.elapsed + windowEndsIn,
      refusals: 0,
      ban,
    };
  }
  if (now.elapsed < strikes.graceEndsAt) return strikes;
  const refusals = strikes.refusals + 1;
  if (refusals < policy.after) return { ...strikes, refusals };
  return { graceEndsAt: 0, windowEndsAt: 0, refusals: 0, ban: nextBan(ban, now, policy) };
}

/** Whether no refusals are being counted, and the latest ban no longer makes the next one longer. */
export function areStrikesExpired(strikes: Strikes, now: Instant): boolean {
  const isBanRecent = strikes.ban && now.elapsed < strikes.ban.endsAt + DAY;
  return !isBanRecent && now.elapsed >= strikes.windowEndsAt;
}

function nextBan(last: Ban | undefined, now: Instant, policy: BanPolicy): Ban {
  const level = last && now.elapsed < last.endsAt + DAY ? last.level + 1 : 1;
  const length = Math.min(policy.maximum, policy.base * 2 ** (level - 1));
  return { startsAt: now.elapsed, endsAt: now.elapsed + length, level };
}
