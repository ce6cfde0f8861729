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
  /** The second factor that the session was proven with, if any. */
  readonly secondFactor: SecondFactor | undefined;
}

/** Sessions, for operators. Every call may raise `StorageUnavailable`. */
export interface SessionStore {
  /** The sessions of an account that have not expired at `now` (epoch ms), latest first. */
  ofAccount(accountId: string, now: number): Promise<SessionRecord[]>;
  /** Ends all sessions of an account, with an audit entry. @returns how many there were. */
  endAll(accountId: string, now: number, by: Actor): Promise<number>;
}
