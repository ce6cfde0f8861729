import type { Awaitable } from '../../lib/awaitable.ts';
import { isPrintableLine } from '../../lib/unprintable.ts';
import type { Actor } from '../accounts/audit.ts';
import type { Environment } from '../environments.ts';
import type { QuotaCaller } from '../limits/limiter.ts';
import type { Limits } from '../limits/plans.ts';
import type { LoggedAccount } from '../requests/request-log.ts';
import type { KeyUsage } from '../requests/usage.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';

/** The longest name of an API key, in characters. */
export const KEY_NAME_MAX_LENGTH = 100;

/** What the name of a key must be, for users. */
export const KEY_NAME_RULE = `1 to ${KEY_NAME_MAX_LENGTH} characters on one line, without invisible characters and direction marks`;

/** The name without the white space around it; `undefined` when it is invalid. */
export function parseKeyName(text: string): string | undefined {
  return isPrintableLine(text, KEY_NAME_MAX_LENGTH) ? text.trim() : undefined;
}

/** An API key, without its text and digest. All times are epoch ms. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  /**
   * The id of the first key of its rotation chain; its own id if it was not created by a rotation. Strikes
   * and bans belong to the chain, so a rotation does not clear them.
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
   * How far the account's clock was moved forward since the key was created, in ms; the key expires earlier
   * by this amount. Only in staging; 0 when omitted.
   */
  readonly clockMoved?: number | undefined;
  readonly revokedAt: number | undefined;
  /** Written at most once a minute. */
  readonly lastUsedAt: number | undefined;
  /** The simulation that applies to its requests (`parseKeySimulation`); only for staging keys. */
  readonly simulate: string | undefined;
  /** Set for a key that a web page created for trying the API; it expires within the hour. */
  readonly isTemporary?: true | undefined;
  /** The key that this one replaced by rotation. */
  readonly predecessorId?: string | undefined;
}

/** A key to add. */
export interface NewApiKey extends ApiKey {
  /** Id of the secret that its digest was made with; the first one of the store if omitted. */
  readonly secretId?: string | undefined;
}

/** A key whose digest moves to another secret. Digests are hexadecimal digits. */
export interface MovedKey {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Selects keys of an account. Omitted fields match any key. */
export interface KeyFilter {
  /** Part of the name, ignoring case, or the last four characters. */
  readonly text?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Whether they are live at `now` (epoch ms). */
  readonly live?: { readonly is: boolean; readonly now: number } | undefined;
  /** Whether the reference made them to try an operation. */
  readonly isTemporary?: boolean | undefined;
}

/** The data of a key and its account that requests need. */
export interface AuthenticatedKey
  extends Pick<
    ApiKey,
    | ('id' | 'accountId' | 'chainId' | 'environment')
    | ('expiresAt' | 'clockMoved' | 'revokedAt' | 'simulate')
  > {
  /** The rate limiter's name for its account: `account:…`. */
  readonly caller: string;
  readonly limits: Limits;
  /** Whether its account is suspended. */
  readonly isSuspended: boolean;
  /** The sandbox settings of its account; only for staging keys. */
  readonly sandbox: Sandbox | undefined;
  readonly lastUsedAt: number | undefined;
}

/**
 * An API key in memory: one look-up by its digest finds everything that a request with it needs.
 * Updated in place.
 */
export interface KeyRecord extends AuthenticatedKey {
  lastUsedAt: number | undefined;
  /** The caller whose quota its requests are taken from. */
  readonly quota: QuotaCaller;
  /** Set by the usage recorder at the first request, so that it looks the key up only once. */
  usage?: KeyUsage;
  /** Set by the request log at the first recorded request. */
  logged?: LoggedAccount;
  /** The number of requests that were not recorded since the latest request log entry for the key. */
  unrecorded?: number;
  /** The stored digest, if it was made with a previous secret when the key was read. */
  readonly formerDigest?: Buffer;
}

/** The state of a key. */
export type KeyState = 'active' | 'expired' | 'revoked';

export function keyState(
  key: Pick<ApiKey, 'expiresAt' | 'clockMoved' | 'revokedAt'>,
  now: number,
): KeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  const expiresAt = expiryOf(key);
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

/** When a key expires on the service's clock, given the current offset of the account's clock. */
export function expiryOf({
  expiresAt,
  clockMoved = 0,
}: Pick<ApiKey, 'expiresAt' | 'clockMoved'>): number | undefined {
  return expiresAt === undefined ? undefined : expiresAt - clockMoved;
}

/** A key as a store finds it, with the digest of its text. */
export interface KeyRow {
  readonly key: AuthenticatedKey;
  readonly digest: Buffer;
}

/** Finds keys by the digest of their text. May raise `StorageUnavailable`. */
export interface KeySource {
  /**
   * @param digests of one text with different secrets; all are looked up in one snapshot, because the key may move from
   * one secret to another at the same time.
   */
  findByDigest(...digests: Buffer[]): Awaitable<KeyRow | undefined>;
}

/** The API keys in memory. */
export interface KeyCache {
  /** @param digest each byte as one character (latin1). */
  get(digest: string): KeyRecord | undefined;
  /**
   * Reads a key that is not in memory from the store. May raise `StorageUnavailable`.
   * @param others digests of the same text with previous secrets.
   */
  load(digest: string, others?: readonly string[]): Awaitable<KeyRecord | undefined>;
  /** Drops all keys, so that the next request with each key reads it again. */
  forgetAll(): void;
  /** Drops these keys and the keys of these accounts. */
  forget(changed: { readonly keys?: Iterable<string>; readonly accounts?: Iterable<string> }): void;
}

/** The maximum numbers of keys of an account. */
export interface KeyBounds {
  /** Live at the same time. */
  readonly live: number;
  /** Created in one UTC day, including keys that have ended; unlimited when omitted. */
  readonly perDay?: number | undefined;
}

/** A key's place in the list of its account. */
export type KeyPosition = Pick<ApiKey, 'createdAt' | 'id'>;

/** The state of an account's keys that changes with time and use. */
export interface KeyActivity {
  readonly live: number;
  /** Epoch ms. */
  readonly lastUsedAt: number | undefined;
}

/** The outcome of adding a key: `too_many` or `too_many_today` if the account has reached a bound. */
export type KeyInsertion = 'added' | 'too_many' | 'too_many_today';

/** API keys; changes are audited like those of accounts. Every call may raise `StorageUnavailable`. */
export interface ApiKeyStore extends KeySource {
  /** Adds the key unless the account has reached a bound at `now` (epoch ms). */
  insert(
    key: NewApiKey,
    digest: Buffer,
    bounds: KeyBounds,
    now: number,
    by: Actor,
  ): Promise<KeyInsertion>;
  /**
   * Lets the old key expire at `old.expiresAt`, or earlier if it already would, and adds its successor, in
   * one transaction. Refuses with `not_live` if the old key has already ended, and otherwise like `insert`.
   */
  replace(
    old: { readonly id: string; readonly expiresAt: number },
    successor: NewApiKey,
    digest: Buffer,
    bounds: KeyBounds,
    now: number,
    by: Actor,
  ): Promise<KeyInsertion | 'not_live'>;
  find(id: string): Awaitable<ApiKey | undefined>;
  /** The keys with these ids, in no particular order; unknown ids are omitted. */
  findAll(ids: readonly string[]): Awaitable<ApiKey[]>;
  /** All keys of an account, oldest first. */
  list(accountId: string): Awaitable<ApiKey[]>;
  /** Keys of an account, newest first; if `from` is given, only those after it in that order. */
  page(
    accountId: string,
    limit: number,
    from?: KeyPosition,
    filter?: KeyFilter,
  ): Awaitable<ApiKey[]>;
  /** The keys of an account that replaced these keys by rotation, oldest first. */
  successors(accountId: string, ids: readonly string[]): Awaitable<ApiKey[]>;
  /** `false` when there is no such key. */
  rename(id: string, name: string, now: number, by: Actor): Promise<boolean>;
  /** How many keys of an account are live at `now`, and when any of them was last used (epoch ms). */
  activity(accountId: string, now: number): Awaitable<KeyActivity>;
  /** `false` when there is no such key, or it is already revoked. */
  revoke(id: string, now: number, by: Actor): Promise<boolean>;
  /** Records when keys were last used (epoch ms). */
  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void>;
  /**
   * Stores other digests of keys, made with the secret with this fingerprint; does nothing if the store has had a later
   * secret. Keys with other digests than stated stay as they are.
   */
  move(keys: readonly MovedKey[], fingerprint: string): Promise<void>;
  /**
   * Deletes keys that ended before `before` (epoch ms), and temporary keys a day after they ended, with their
   * bans; the audit log records when they ended. Keys whose bans end after `bannedUntil` (epoch ms) are kept.
   * @param now epoch ms.
   */
  prune(before: number, bannedUntil: number, now: number): Promise<void>;
  /** Whether any key exists. */
  any(): Awaitable<boolean>;
}

/**
 * How long a key was to live when it was created, in ms; `undefined` if it was not to expire. A rotation replaces
 * the expiry of a key by the end of its overlap, but its successor has the same lifetime.
 */
export async function lifetimeOf(store: ApiKeyStore, key: ApiKey): Promise<number | undefined> {
  const [successor] = await store.successors(key.accountId, [key.id]);
  if (successor) return lifetimeOf(store, successor);
  return key.expiresAt === undefined ? undefined : key.expiresAt - key.createdAt;
}

/** Identifies a key in the audit log without revealing its text. */
export function describeKey(
  key: Pick<ApiKey, 'id' | 'environment' | 'name' | 'prefix' | 'lastFour'>,
): string {
  return `${key.environment} key "${key.name}" (${key.prefix}…${key.lastFour}, ${key.id})`;
}
