import type { Awaitable } from '../lib/awaitable.ts';
import { type Instant, later } from '../lib/clock.ts';
import type { BanRecord } from './ban-records.ts';
import type { Limiter } from './limiter.ts';
import type { UsedRequests } from './quota.ts';
import type { LimiterOrder } from './sandbox-store.ts';

/** A limiter whose state can be set. Every call may raise `StorageUnavailable`. */
export interface AdjustableLimiter extends Limiter {
  /** Sets what an account has used of the windows in force. */
  setUsed(account: LimitedAccount, used: UsedRequests, now: Instant): Awaitable<void>;
  /** Clears the strikes of a chain of keys, and ends its ban. */
  forgive(account: LimitedAccount, chainId: string): Awaitable<void>;
  /** Forgets what an account has used, and the strikes and bans of all its keys. */
  forget(account: LimitedAccount): Awaitable<void>;
  /** Applies a ban on record, unless the chain has a later one. @param now by the service's clock. */
  restore(bans: readonly BanRecord[], now: Instant): Awaitable<void>;
  /** Waits until every ban that has begun here is on record. */
  recordBans(): Promise<void>;
}

/** An account as a limiter finds what it has of it. */
export interface LimitedAccount {
  readonly id: string;
  /** As in `QuotaCaller`. */
  readonly clockOffset: number;
}

/** Changes what a limiter has of an account. @param now by the service's clock. */
export function applyOrder(
  limiter: AdjustableLimiter,
  account: LimitedAccount,
  order: LimiterOrder,
  now: Instant,
): Awaitable<void> {
  switch (order.kind) {
    case 'set_used':
      return limiter.setUsed(account, order.used, later(now, account.clockOffset));
    case 'forgive':
      return limiter.forgive(account, order.chainId);
    case 'forget':
      return limiter.forget(account);
  }
}
