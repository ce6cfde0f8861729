import type { Awaitable } from '../lib/awaitable.ts';
import type { Actor } from './audit.ts';
import type { Environment } from './environments.ts';
import type { QuotaCaller } from './limiter.ts';
import type { Limits } from './plans.ts';
import type { Sandbox } from './sandbox.ts';
import type { KeyUsage } from './usage.ts';

/** The longest name of an API key, in characters. */
export const KEY_NAME_MAX_LENGTH = 100;

/** What is known of an API key; not its text, nor the digest of that. All times are epoch ms. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  /**
   * The first key of its chain of rotations; its own id where it was not made by a rotation. Strikes and
   * bans belong to the chain, so that no rotation sheds them.
   */
  readonly chainId: string;
  readonly environment: Environment;
  readonly name: string;
  /** First characters of the key, up to the random part. */
  readonly prefix: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /**
   * How much the account's clock was moved forward since the key was made, in ms, which brings its end so
   * much nearer; only in staging, 0 unless given.
   */
  readonly clockMoved?: number | undefined;
  readonly revokedAt: number | undefined;
  /** Written at most once a minute. */
  readonly lastUsedAt: number | undefined;
  /** What its requests meet (`parseKeySimulation`); only keys of staging have it. */
  readonly simulate: string | undefined;
  /** Set for a key that a page made to try the API, which ends within the hour. */
  readonly isTemporary?: true | undefined;
  /** The key that was rotated to it. */
  readonly predecessorId?: string | undefined;
}

/** Which keys of an account are meant. What is left out may be anything. */
export interface KeyFilter {
  /** Part of the name, in any case, or the last four characters. */
  readonly text?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Whether they are live at `now` (epoch ms). */
  readonly live?: { readonly is: boolean; readonly now: number } | undefined;
}

/** What requests need of a key and of its account. */
export interface AuthenticatedKey
  extends Pick<
    ApiKey,
    | ('id' | 'accountId' | 'chainId' | 'environment')
    | ('expiresAt' | 'clockMoved' | 'revokedAt' | 'simulate')
  > {
  /** Its account as the rate limiter names it: `account:…`. */
  readonly caller: string;
  readonly limits: Limits;
  /** Whether its account is suspended. */
  readonly isSuspended: boolean;
  /** What its account has set in the sandbox; only for keys of staging. */
  readonly sandbox: Sandbox | undefined;
  readonly lastUsedAt: number | undefined;
}

/**
 * An API key in memory: one look-up by its digest finds everything that a request with it needs.
 * Updated in place.
 */
export interface KeyRecord extends AuthenticatedKey {
  lastUsedAt: number | undefined;
  /** Whose quota its requests are taken from. */
  readonly quota: QuotaCaller;
  /** Set by the usage recorder at the first request, so that it looks the key up only once. */
  usage?: KeyUsage;
  /** Requests that the request log has no entry of, since its latest entry for the key. */
  unrecorded?: number;
}

/** Live, or why not. */
export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(
  key: Pick<ApiKey, 'expiresAt' | 'clockMoved' | 'revokedAt'>,
  now: number,
): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  const expiresAt = expiryOf(key);
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** When a key expires by the service's clock, as the account's clock is now. */
export function expiryOf({
  expiresAt,
  clockMoved = 0,
}: Pick<ApiKey, 'expiresAt' | 'clockMoved'>): number | undefined {
  return expiresAt === undefined ? undefined : expiresAt - clockMoved;
}

export interface KeyRow {
  readonly credential: AuthenticatedKey;
  readonly digest: Buffer;
}

/** Finds keys by the digest of their text. May raise `StorageUnavailable`. */
export interface KeySource {
  findByDigest(digest: Buffer): Awaitable<KeyRow | undefined>;
}

/** The API keys in memory. */
export interface KeyCache {
  /** @param digest each byte as one character (latin1). */
  get(digest: string): KeyRecord | undefined;
  /** Reads a key that is not in memory from the store. May raise `StorageUnavailable`. */
  load(digest: string): Awaitable<KeyRecord | undefined>;
  /** Drops all keys, so that the next request of each reads it again. */
  forgetAll(): void;
  /** Drops keys that were changed, or whose account was. */
  forget(changed: { readonly keys?: Iterable<string>; readonly accounts?: Iterable<string> }): void;
}

/** How many keys an account may have. */
export interface KeyBounds {
  /** That are live at the same time. */
  readonly live: number;
  /** That are made in one UTC day, ended ones included; any number where it is left out. */
  readonly perDay?: number | undefined;
}

/** A key's place in the list of its account. */
export type KeyPosition = Pick<ApiKey, 'createdAt' | 'id'>;

/** What changes of the keys of an account without anybody changing it. */
export interface KeyActivity {
  readonly live: number;
  /** Epoch ms. */
  readonly lastUsedAt: number | undefined;
}

/** API keys; changes go on the audit log as those of accounts do. Every call may raise `StorageUnavailable`. */
export interface ApiKeyStore extends KeySource {
  /** Refuses with `too_many` or `too_many_today` when the account is at one of the bounds at `now` (epoch ms). */
  insert(
    key: ApiKey,
    digest: Buffer,
    bounds: KeyBounds,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many' | 'too_many_today'>;
  /**
   * Ends the old key at `old.expiresAt`, never later than it would, and adds its successor, in one
   * transaction. Refuses with `not_live` when the old key has ended before, and otherwise as `insert`
   * does.
   */
  replace(
    old: { readonly id: string; readonly expiresAt: number },
    successor: ApiKey,
    digest: Buffer,
    bounds: KeyBounds,
    now: number,
    by: Actor,
  ): Promise<'kept' | 'too_many' | 'too_many_today' | 'not_live'>;
  find(id: string): Awaitable<ApiKey | undefined>;
  /** The keys with these ids, in no order; unknown ids are left out. */
  findAll(ids: readonly string[]): Awaitable<ApiKey[]>;
  /** All keys of an account, oldest first. */
  list(accountId: string): Awaitable<ApiKey[]>;
  /** The latest keys of an account, newest first; only those that come after `from` in that order, if given. */
  page(
    accountId: string,
    limit: number,
    from?: KeyPosition,
    filter?: KeyFilter,
  ): Awaitable<ApiKey[]>;
  /** The keys of an account that those with these ids were rotated to, oldest first. */
  successors(accountId: string, ids: readonly string[]): Awaitable<ApiKey[]>;
  /** `false` when there is no such key. */
  rename(id: string, name: string, now: number, by: Actor): Promise<boolean>;
  /** How many keys of an account are live at `now`, and when one of them was last used; times are epoch ms. */
  activity(accountId: string, now: number): Awaitable<KeyActivity>;
  /** `false` when there is no such key, or it was revoked before. */
  revoke(id: string, now: number, by: Actor): Promise<boolean>;
  /** Notes when keys were last used (epoch ms). */
  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void>;
  /**
   * Removes keys that ended before `before` (epoch ms), and temporary ones a day after they ended, with their
   * bans; the audit log tells when they ended. Keys whose bans end after `bannedUntil` (epoch ms) stay.
   * @param now epoch ms.
   */
  prune(before: number, bannedUntil: number, now: number): Promise<void>;
  /** Whether any key exists. */
  any(): Awaitable<boolean>;
}

/** What a key is called in the log: enough to find it, too little to use it. */
export function describeKey(
  key: Pick<ApiKey, 'id' | 'environment' | 'name' | 'prefix' | 'lastFour'>,
): string {
  return `${key.environment} key "${key.name}" (${key.prefix}…${key.lastFour}, ${key.id})`;
}
