import type { Account } from '../core/accounts.ts';
import type { Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limiter.ts';
import { takeQuota, unusedQuota } from '../core/quota.ts';
import type { RateLimitResult } from '../core/rate-limit.ts';
import type { Clock } from '../lib/clock.ts';
import type { Stores } from '../storage/stores.ts';
import { quotaFrom } from './memory/saved-quotas.ts';

/** How an account stands in both windows of an environment just now. */
export type CurrentUsage = (account: Account, environment: Environment) => Promise<RateLimitResult>;

/**
 * Asks this process's limiter where it has one; elsewhere what the process that counts has saved,
 * which is at most a second old.
 */
export function currentUsageFrom(
  limiters: ReadonlyMap<Environment, Limiter>,
  stores: Stores,
  clock: Clock,
): CurrentUsage {
  return async (account, environment) => {
    const now = clock.now();
    const { limits } = account;
    const id = `account:${account.id}`;
    const limiter = limiters.get(environment);
    if (limiter) return limiter.peek({ id, limits, key: undefined }, now);
    const saved = await stores.environment(environment).quotas.find(id);
    return takeQuota(saved ? quotaFrom(saved, now) : unusedQuota(), limits, now, 0);
  };
}
