import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Verdict } from './admission.ts';
import type { ApiKey } from './api-keys.ts';
import type { Limits } from './plans.ts';
/** Who a request is counted on. */
export interface QuotaCaller {
  /** `account:…` or `address:…`; never an unverified token. */
  readonly id: string;
  readonly limits: Limits;
  /** The key that a ban would hit; none for an address. */
  readonly key: Pick<ApiKey, 'id' | 'accountId' | 'environment'> | undefined;
}

/**
 * Decides requests in one environment, exactly, also under concurrency. Never fails: an adapter that
 * loses its store goes on by itself.
 */
export interface Limiter {
  /** Counts the request if it is admitted. */
  take(caller: QuotaCaller, now: Instant): Awaitable<Verdict>;
  /** Looks without counting. */
  peek(caller: QuotaCaller, now: Instant): Awaitable<Verdict>;
}
