import { LRUCache } from 'lru-cache';
import type { Environment } from '../core/environments.ts';
import type { CurrentUsage, CurrentWindow } from '../core/limits/current-usage.ts';
import type { Limiter } from '../core/limits/limiter.ts';
import { takeQuota, unusedQuota } from '../core/limits/quota.ts';
import type { RateLimitResult, WindowUsage } from '../core/limits/rate-limit.ts';
import { NO_SANDBOX } from '../core/sandbox/sandbox.ts';
import { type Clock, later, SECOND } from '../lib/clock.ts';
import type { Stores } from '../storage/stores.ts';
import { quotaFrom } from './memory/saved-quotas.ts';

/** The maximum number of windows whose latest reading is remembered. */
const MOST_READINGS = 10_000;

/**
 * Reads the usage from this process's limiter if it has one; otherwise from the quotas saved by the process
 * that counts, which are at most a second old.
 */
export function currentUsageFrom(
  limiters: ReadonlyMap<Environment, Limiter>,
  stores: Stores,
  clock: Clock,
): CurrentUsage {
  const readings = new Readings();
  return async ({ id: accountId, limits }, environment) => {
    const isStaging = environment === 'staging';
    const { clockOffset } = isStaging ? await stores.sandboxes.find(accountId) : NO_SANDBOX;
    const id = `account:${accountId}`;
    const limiter = limiters.get(environment);
    const saved = limiter ? undefined : await stores.environment(environment).quotas.find(id);
    const real = clock.now();
    const now = later(real, clockOffset);
    const result: RateLimitResult = limiter
      ? await limiter.peek({ id, limits, key: undefined, clockOffset }, now)
      : takeQuota(saved ? quotaFrom(saved, now) : unusedQuota(), limits, now, 0);
    const read = (name: 'minute' | 'day') =>
      readings.read(`${environment} ${name} ${clockOffset} ${id}`, result[name], real.wall);
    return { minute: read('minute'), day: read('day') };
  };
}

/**
 * The latest reading of each window. Two readings of the same reset can differ by milliseconds, because the two
 * clocks tick at different times, and by a second after rounding; the first reading is kept.
 */
class Readings {
  readonly #resets = new LRUCache<string, number>({ max: MOST_READINGS });

  /** @param now epoch ms. */
  read(name: string, { limit, remaining, resetIn }: WindowUsage, now: number): CurrentWindow {
    const resetsAt = Math.ceil((now + resetIn) / SECOND) * SECOND;
    const known = this.#resets.get(name);
    if (known !== undefined && Math.abs(known - resetsAt) <= SECOND) {
      return { limit, remaining, resetsAt: known };
    }
    this.#resets.set(name, resetsAt);
    return { limit, remaining, resetsAt };
  }
}
