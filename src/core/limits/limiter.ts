import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Environment } from '../environments.ts';
import type { Limits } from './plans.ts';
import type { QuotaState } from './quota.ts';
import type { RateLimitResult } from './rate-limit.ts';

/** The windows of one caller in this process. Updated in place. */
export interface CallerWindows {
  /** The id of the caller. */
  readonly caller: string;
  readonly quota: QuotaState;
  /** Whether the quota changed since it was last saved. */
  isDirty: boolean;
  /** Whether the limiter no longer holds this record. */
  isDropped: boolean;
}

/** The fields of an API key that the rate limiter needs. */
export interface BannableKey {
  readonly id: string;
  readonly accountId: string;
  /** Its rotation chain, to which strikes and bans belong. */
  readonly chainId: string;
  readonly environment: Environment;
}

/** The caller whose quota a request is taken from. */
export interface QuotaCaller {
  /** `account:…` or `address:…`; never an unverified token. */
  readonly id: string;
  readonly limits: Limits;
  /** The key that may be banned; none for an address. */
  readonly key: BannableKey | undefined;
  /**
   * How far the account's clock is ahead of the service's, in ms; 0 when omitted. The instants passed to a
   * limiter with this caller are on the account's clock.
   */
  readonly clockOffset?: number | undefined;
  /** Set by the limiter at the first request, so that it looks the caller up only once. */
  windows?: CallerWindows;
}

/**
 * The rate limiter of one environment: exact, even under concurrency. Never fails: an adapter whose store is
 * unavailable decides locally.
 */
export interface Limiter {
  /** Takes the request from the caller's quota if it is admitted. */
  take(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult>;
  /** Makes the same decision without taking anything from the quota. */
  peek(caller: QuotaCaller, now: Instant): Awaitable<RateLimitResult>;
}
