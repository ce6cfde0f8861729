import type { Instant } from '../../lib/clock.ts';
import { activeBan, type BanPolicy, recordRefusal, type Strikes } from './bans.ts';
import type { Limits } from './plans.ts';
import { type QuotaState, takeQuota } from './quota.ts';
import { bannedResult, type RateLimitResult } from './rate-limit.ts';

/** The recorded refusals of an API key. Updated in place. */
export interface KeyStrikes {
  strikes: Strikes | undefined;
}

/**
 * Decides whether to admit one request: checks the ban first, then both windows together. Updates `quota` and
 * `key` in place. The same state, time and limits always give the same result.
 * @param quota of the account, or of the client address.
 * @param key none for callers that are never banned.
 * @param cost 1 to take the request from the quota, 0 to check without changing anything.
 */
export function admit(
  quota: QuotaState,
  key: KeyStrikes | undefined,
  limits: Limits,
  policy: BanPolicy,
  now: Instant,
  cost: 0 | 1,
): RateLimitResult {
  const ban = activeBan(key?.strikes, now);
  if (ban) {
    return bannedResult(takeQuota(quota, limits, now, 0), ban.endsAt - now.elapsed);
  }
  const result = takeQuota(quota, limits, now, cost);
  if (result.outcome === 'admitted' || cost === 0 || !key) return result;
  key.strikes = recordRefusal(key.strikes, now, result.resetIn, policy);
  const started = activeBan(key.strikes, now);
  return started ? bannedResult(result, started.endsAt - now.elapsed, started) : result;
}
