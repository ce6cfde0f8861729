import type { Account } from '../core/accounts.ts';
import type { Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limiter.ts';
import { takeQuota, unusedQuota } from '../core/quota.ts';
import type { RateLimitResult } from '../core/rate-limit.ts';
import { NO_SANDBOX } from '../core/sandbox.ts';
import { type Clock, later } from '../lib/clock.ts';
import type { Stores } from '../storage/stores.ts';
import { quotaFrom } from './memory/saved-quotas.ts';

/** How an account stands in both windows of an environment just now. */
export type CurrentUsage = (
  account: Pick<Account, 'id' | 'limits'>,
  environment: Environment,
) => Promise<RateLimitResult>;

/**
 * Asks this process's limiter where it has one; elsewhere what the process that counts has saved,
 * which is at most a second old.
 */
export function currentUsageFrom(
  limiters: ReadonlyMap<Environment, Limiter>,
  stores: Stores,
  clock: Clock,
): CurrentUsage {
  return async ({ id: accountId, limits }, environment) => {
    const isStaging = environment === 'staging';
    const { clockOffset } = isStaging ? await stores.sandboxes.find(accountId) : NO_SANDBOX;
    const now = later(clock.now(), clockOffset);
    const id = `account:${accountId}`;
    const limiter = limiters.get(environment);
    if (limiter) return limiter.peek({ id, limits, key: undefined, clockOffset }, now);
    const saved = await stores.environment(environment).quotas.find(id);
    return takeQuota(saved ? quotaFrom(saved, now) : unusedQuota(), limits, now, 0);
  };
}
