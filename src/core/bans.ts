import { DAY, type Instant, SECOND } from '../lib/clock.ts';

/** Refusals that follow a 429 this closely were already under way and are forgiven. */
export const GRACE = 2 * SECOND;

export interface BanPolicy {
  /** Refused requests within one exhausted window, after the grace, that bring a ban; at least 1. */
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
  /** 1 for a first ban; each further ban within 24 h of the last one's end adds 1. */
  readonly level: number;
}

/** How an API key has behaved towards refusals. A key without one has a clean record. */
export interface Strikes {
  /** Refusals before this moment do not count (elapsed, ms). */
  readonly graceEndsAt: number;
  /** End of the exhausted window in which refusals are counted (elapsed, ms). */
  readonly windowEndsAt: number;
  readonly refusals: number;
  /** The latest ban, in force or past. */
  readonly ban: Ban | undefined;
}

/** The ban in force at this moment, if any. */
export function activeBan(conduct: Strikes | undefined, now: Instant): Ban | undefined {
  const ban = conduct?.ban;
  return ban && now.elapsed < ban.endsAt ? ban : undefined;
}

/**
 * Notes one refused request; the one that reaches the policy's number begins a ban.
 * @param windowEndsIn milliseconds until the exhausted window resets.
 */
export function recordRefusal(
  conduct: Strikes | undefined,
  now: Instant,
  windowEndsIn: number,
  policy: BanPolicy,
): Strikes {
  const ban = conduct?.ban;
  if (!conduct || now.elapsed >= conduct.windowEndsAt) {
    return {
      graceEndsAt: now.elapsed + GRACE,
      windowEndsAt: now.elapsed + windowEndsIn,
      refusals: 0,
      ban,
    };
  }
  if (now.elapsed < conduct.graceEndsAt) return conduct;
  const refusals = conduct.refusals + 1;
  if (refusals < policy.after) return { ...conduct, refusals };
  return { graceEndsAt: 0, windowEndsAt: 0, refusals: 0, ban: nextBan(ban, now, policy) };
}

/** Whether a conduct still matters: refusals being counted, or a ban that the next one builds on. */
export function isForgotten(conduct: Strikes, now: Instant): boolean {
  const remembered = conduct.ban && now.elapsed < conduct.ban.endsAt + DAY;
  return !remembered && now.elapsed >= conduct.windowEndsAt;
}

function nextBan(last: Ban | undefined, now: Instant, policy: BanPolicy): Ban {
  const level = last && now.elapsed < last.endsAt + DAY ? last.level + 1 : 1;
  const length = Math.min(policy.maximum, policy.base * 2 ** (level - 1));
  return { startsAt: now.elapsed, endsAt: now.elapsed + length, level };
}
