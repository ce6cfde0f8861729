import type { Actor } from './audit.ts';
import type { SecondFactor } from './second-factors.ts';

/** A browser in which the holder of an account is signed in. Times are epoch ms. */
export interface SessionRecord {
  readonly id: string;
  readonly createdAt: number;
  /** Accurate to a day. */
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  readonly ipAddress: string | undefined;
  readonly userAgent: string | undefined;
  /** What the session was proven with beside a password, if anything. */
  readonly secondFactor: SecondFactor | undefined;
}

/** Sessions as operators see them. Every call may raise `StorageUnavailable`. */
export interface SessionStore {
  /** Those of an account that have not expired at `now` (epoch ms), the latest first. */
  ofAccount(accountId: string, now: number): Promise<SessionRecord[]>;
  /** Ends all sessions of an account, on record; gives how many there were. */
  endAll(accountId: string, now: number, by: Actor): Promise<number>;
}
