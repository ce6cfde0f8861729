import type { Instant } from '../lib/clock.ts';
import { activeBan, type BanPolicy, recordRefusal, type Strikes } from './bans.ts';
import type { Limits } from './plans.ts';
import { type QuotaState, takeQuota } from './quota.ts';
import { bannedResult, type RateLimitResult } from './rate-limit.ts';

/** What is remembered of an API key's refusals. Updated in place. */
export interface KeyStrikes {
  strikes: Strikes | undefined;
}

/**
 * Decides one request: the ban first, then both windows together. Updates `quota` and `key` in place;
 * the same state, moment and limits always give the same result.
 * @param quota of the account, or of the client address.
 * @param key none for callers that are never banned.
 * @param cost 1 to take the request, 0 to only look, which changes nothing.
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
