import type { Environment } from './environments.ts';
import type { Limits, Subscription } from './plans.ts';

const LONGEST_EMAIL = 254;

const EMAIL =
  /^(?!\.)(?!.*\.\.)[\w'+.-]*[\w+-]@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/;

/** Whether a text can be an account's address: one that mail reaches and that may sign in. */
export function isEmailAddress(text: string): boolean {
  return text.length <= LONGEST_EMAIL && EMAIL.test(text);
}

/** What an account may do in the dashboard: its own things, or also what operators do. */
export type Role = 'customer' | 'operator';

/** Whoever holds API keys; quotas belong to it, so that more keys do not buy more quota. */
export interface Account extends Subscription {
  readonly id: string;
  /** Unique, compared without case. */
  readonly email: string;
  readonly role: Role;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** The longest name of an API key, in characters. */
export const KEY_NAME_MAX_LENGTH = 100;

/** What is known of an API key; not its text, nor the digest of that. All times are epoch ms. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly name: string;
  /** First characters of the key, up to the random part. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** Written at most once a minute. */
  readonly lastUsedAt: number | undefined;
}

/** A ban on record. All times are epoch ms. */
export interface BanRecord {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly level: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly liftedAt: number | undefined;
  /** Who lifted it. */
  readonly liftedBy: string | undefined;
}

/**
 * What requests need to know of a key and of its account. Remembered by the hundred thousand: no more
 * than that.
 */
export interface AuthenticatedKey
  extends Pick<ApiKey, 'id' | 'accountId' | 'environment' | 'expiresAt' | 'revokedAt'> {
  /** Who its requests are counted on: `account:…`. */
  readonly caller: string;
  readonly limits: Limits;
  /** Moves on with each use that is to be written. */
  lastUsedAt: number | undefined;
}

/** Live, or why not. */
export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: number): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  return key.expiresAt !== undefined && key.expiresAt <= now ? 'expired' : 'active';
}
