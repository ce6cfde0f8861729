import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { ApiKey } from './api-keys.ts';
import type { Limits } from './plans.ts';
import type { RateLimitResult } from './rate-limit.ts';

/** Whose quota a request is taken from. */
export interface QuotaCaller {
  /** `account:…` or `address:…`; never an unverified token. */
  readonly id: string;
  readonly limits: Limits;
  /** The key that would be banned; none for an address. */
  readonly key: Pick<ApiKey, 'id' | 'accountId' | 'environment'> | undefined;
}

/**
 * The rate limiter of one environment: exact, also under concurrency. Never fails: an adapter whose
 * store is unavailable decides by itself.
 */
export interface Limiter {
  /** Takes the request from the caller's quota if it is admitted. */
  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult>;
  /** The same decision, without taking anything. */
  peek(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult>;
}
