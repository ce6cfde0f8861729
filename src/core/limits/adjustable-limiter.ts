import type { Awaitable } from '../../lib/awaitable.ts';
import { type Instant, later } from '../../lib/clock.ts';
import type { LimiterCommand } from '../sandbox/sandbox-store.ts';
import type { BanRecord } from './ban-records.ts';
import type { Limiter } from './limiter.ts';
import type { UsedRequests } from './quota.ts';

/** A limiter whose state can be set. Every call may raise `StorageUnavailable`. */
export interface AdjustableLimiter extends Limiter {
  /** Sets how many requests an account has used in the current windows. */
  setUsed(account: LimitedAccount, used: UsedRequests, now: Instant): Awaitable<void>;
  /** Clears the strikes of a key chain and ends its ban. */
  forgive(account: LimitedAccount, chainId: string): Awaitable<void>;
  /** Clears the quota usage of an account, and the strikes and bans of all its keys. */
  forget(account: LimitedAccount): Awaitable<void>;
  /** Applies stored bans, unless the key chain has a later one. @param now on the service's clock. */
  restore(bans: readonly BanRecord[], now: Instant): Awaitable<void>;
  /** Waits until every ban that this process has started is stored. */
  recordBans(): Promise<void>;
}

/** The account fields that a limiter needs to find its state. */
export interface LimitedAccount {
  readonly id: string;
  /** As in `QuotaCaller`. */
  readonly clockOffset: number;
}

/** Applies a limiter command to a limiter's state of an account. @param now on the service's clock. */
export function applyLimiterCommand(
  limiter: AdjustableLimiter,
  account: LimitedAccount,
  command: LimiterCommand,
  now: Instant,
): Awaitable<void> {
  switch (command.kind) {
    case 'set_used':
      return limiter.setUsed(account, command.used, later(now, account.clockOffset));
    case 'forgive':
      return limiter.forgive(account, command.chainId);
    case 'forget':
      return limiter.forget(account);
  }
}
