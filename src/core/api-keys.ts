import type { Awaitable } from '../lib/awaitable.ts';
import type { Actor } from './audit.ts';
import type { Environment } from './environments.ts';
import type { Limits } from './plans.ts';
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

export interface KeyRow {
  readonly credential: AuthenticatedKey;
  readonly digest: Buffer;
}

/** Finds keys by the digest of their text. May raise `StorageUnavailable`. */
export interface KeySource {
  findByDigest(digest: Buffer): Awaitable<KeyRow | undefined>;
}

/** Remembers what a source said, until it is told to forget. */
export interface KeyCache extends KeySource {
  /** What is remembered, without asking the source. */
  recall(digest: Buffer): AuthenticatedKey | undefined;
  /** Drops everything remembered: a key, an account or a plan changed. */
  forget(): void;
}

/** API keys; changes go on the audit log as those of accounts do. Every call may raise `StorageUnavailable`. */
export interface ApiKeyStore extends KeySource {
  /** Refuses with `too_many` when the account has `most` live keys at `now` (epoch ms). */
  insert(
    key: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many'>;
  /**
   * Ends the old key at `old.expiresAt`, never later than it would, and adds its successor, in one
   * transaction. Refuses with `not_live` when the old key has ended before, and with `too_many` as
   * `insert` does.
   */
  replace(
    old: { readonly id: string; readonly expiresAt: number },
    successor: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many' | 'not_live'>;
  find(id: string): Awaitable<ApiKey | undefined>;
  /** All keys of an account, oldest first. */
  list(accountId: string): Awaitable<ApiKey[]>;
  /** `false` when there is no such key, or it was revoked before. */
  revoke(id: string, now: number, by: Actor): Promise<boolean>;
  /** Notes when keys were last used (epoch ms). */
  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void>;
  /** Whether any key exists. */
  any(): Awaitable<boolean>;
}

/** What a key is called in the log: enough to find it, too little to use it. */
export function describeKey(
  key: Pick<ApiKey, 'id' | 'environment' | 'name' | 'prefix' | 'lastFour'>,
): string {
  return `${key.environment} key "${key.name}" (${key.prefix}…${key.lastFour}, ${key.id})`;
}
