import { LRUCache } from 'lru-cache';
import type { Limits } from '../../core/limits/plans.ts';
import { type QuotaState, takeQuota, unusedQuota } from '../../core/limits/quota.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { Instant } from '../../lib/clock.ts';
import { REFERENCE_PATHS } from '../reference/paths.ts';
import { SEARCH_PATH } from '../shared/search.ts';
import { ASSETS } from './asset-files.ts';

/**
 * The units that a request counts, in proportion to its CPU time: an asset takes up to 0.05 ms, a
 * search up to 3 ms.
 */
export const PAGE_COSTS = {
  /** A file, or a page of the reference, which is sent as it is stored. */
  stored: 1,
  /** A page that is rendered for the request, and any other address. */
  rendered: 5,
  search: 100,
} as const;

type PageCost = (typeof PAGE_COSTS)[keyof typeof PAGE_COSTS];

/**
 * Units of one client address: 300 searches a minute, or 1,000 first visits of a page with all of
 * its assets. Either takes about 1 s of CPU time.
 */
const PAGE_LIMITS: Limits = { perMinute: 30_000, perDay: 10_000_000 };

/** Maximum number of addresses in memory; above it the least recently seen is dropped. */
const MOST_ADDRESSES = 100_000;

/**
 * Limits the requests of a client address to pages, documents and assets, which need no session.
 * Each process counts its own requests, even with Redis: the limit protects the CPU time of this
 * process, and a look-up in Redis would cost more than most of these replies.
 */
export class PageLimits {
  readonly #quotas = new LRUCache<string, QuotaState>({ max: MOST_ADDRESSES });

  /**
   * Counts a request, unless the units of its address are used up. The last admitted request may
   * cost more than what is left.
   */
  take(address: string, cost: PageCost, now: Instant): RateLimitResult {
    const known = this.#quotas.get(address);
    const quota = known ?? unusedQuota();
    if (!known) this.#quotas.set(address, quota);
    return takeQuota(quota, PAGE_LIMITS, now, cost);
  }
}

/** @param path below the dashboard's address. */
export function pageCost(path: string): PageCost {
  if (path === SEARCH_PATH) return PAGE_COSTS.search;
  const isStored = path.startsWith(ASSETS) || REFERENCE_PATHS.has(path);
  return isStored ? PAGE_COSTS.stored : PAGE_COSTS.rendered;
}
