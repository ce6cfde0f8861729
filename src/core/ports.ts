import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/clock.ts';
import type { Account, ApiKey, AuthenticatedKey, BanRecord, Role } from './accounts.ts';
import type { Verdict } from './admission.ts';
import type { Actor, AuditEntry, AuditRecord } from './audit.ts';
import type { Environment } from './environments.ts';
import type { Message } from './messages.ts';
import type { NewPet, Pet, PetPage, PetQuery } from './pets.ts';
import type { Limits, Subscription } from './plans.ts';
import type { UsageRecord } from './usage.ts';

/** What makes a creation safe to send again: replies are remembered by it for 24 hours. */
export interface IdempotentRequest {
  readonly accountId: string;
  /** The client's Idempotency-Key; 1 to 255 characters. */
  readonly key: string;
  /** Digest of what was asked for; the same key with another one is a mismatch. */
  readonly fingerprint: string;
}

export type CreateOutcome =
  | { readonly kind: 'created' | 'replayed'; readonly pet: Pet }
  /** The same key came with another body before. */
  | { readonly kind: 'mismatch' }
  /** A request with the same key is still being carried out. */
  | { readonly kind: 'conflict' };

/** The animals of one environment. Every call may raise `StorageUnavailable`. */
export interface PetStore {
  list(query: PetQuery): Awaitable<PetPage>;
  get(id: number): Awaitable<Pet | undefined>;
  /** Resolves once the animal, and what makes it replayable, are durable in one transaction. */
  create(pet: NewPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome>;
  /** Adds many animals in one transaction. */
  import(pets: readonly NewPet[]): Promise<void>;
  /** Drops the idempotent requests whose 24 hours are over. */
  forgetRequests(now: Instant): Promise<void>;
}

/**
 * Accounts and their plans. What changes something puts it on the audit log in the same transaction:
 * `by` whom and when (`now`, epoch ms). Every call may raise `StorageUnavailable`.
 */
export interface AccountStore {
  /** `undefined` when the address is taken. */
  create(
    email: string,
    subscription: Subscription,
    now: number,
    by: Actor,
  ): Promise<Account | undefined>;
  /**
   * A Free account with a password, made by its holder; nobody has confirmed the address yet.
   * `undefined` when the address is taken.
   */
  signUp(email: string, passwordHash: string, now: number): Promise<Account | undefined>;
  /** With all that belongs to it; keys that are remembered have to be forgotten then. */
  delete(id: string, now: number, by: Actor): Promise<void>;
  find(id: string): Awaitable<Account | undefined>;
  findByEmail(email: string): Awaitable<Account | undefined>;
  list(): Awaitable<Account[]>;
  /** Accounts whose address contains the text, without case; by address, `limit` at the most. */
  search(text: string, limit: number): Awaitable<Account[]>;
  setSubscription(id: string, subscription: Subscription, now: number, by: Actor): Promise<void>;
  setRole(id: string, role: Role, now: number, by: Actor): Promise<void>;
}

/** What was changed on purpose, by whom. Every call may raise `StorageUnavailable`. */
export interface AuditLog {
  record(entry: AuditEntry): Promise<void>;
  /** The newest first; those before the entry of this number, when it is given. */
  list(limit: number, before?: number): Awaitable<AuditRecord[]>;
}

/** The durable queue of messages, and the inboxes. Every call may raise `StorageUnavailable`. */
export interface MessageStore {
  /**
   * Resolves once the message is durable. Where the same account and environment have one under the same
   * idempotency key already, that one stays, and is given. Asked for again the message is there once; a
   * message of an account that is gone meanwhile is dropped.
   */
  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined>;
  /**
   * Moves up to `limit` queued messages to their inboxes, the oldest of each account first; gives how
   * many. A message is in its inbox once, however often and wherever this is called; accounts whose
   * messages somebody else is delivering just now are passed over.
   */
  deliver(now: number, limit: number): Promise<number>;
  /** Messages that are not delivered yet. */
  queued(): Awaitable<number>;
  /** Messages of an account, the newest first. */
  list(accountId: string, limit: number): Awaitable<Message[]>;
  /** Drops what was delivered before this moment (epoch ms). */
  forget(before: number): Promise<void>;
}

/** Tells one batch from all others; those of one source come one after the other. */
export interface BatchMark {
  readonly source: string;
  /** Higher than that of the source's batch before. */
  readonly number: number;
}

/** Requests counted by hour. Every call may raise `StorageUnavailable`. */
export interface UsageStore {
  /**
   * Adds to what is counted already; all of it, or nothing when it fails. Where the answer may be lost
   * although it was done, a batch with a mark may be sent again as it was: it is added once.
   */
  add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void>;
  /** An account's hours from this one on (hours since the Unix epoch), in both environments. */
  since(accountId: string, hour: number): Awaitable<UsageRecord[]>;
  /** Drops the hours before this one. */
  forget(hour: number): Promise<void>;
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

/** Bans on record. Every call may raise `StorageUnavailable`. */
export interface BanStore {
  record(ban: BanRecord): Promise<void>;
  /** Bans in force at `now` (epoch ms), the oldest first. */
  active(now: number): Awaitable<BanRecord[]>;
  /** For each key its latest ban that ended after `since` (epoch ms) and was not lifted. */
  latest(since: number): Awaitable<BanRecord[]>;
  /** Lifted bans that would still be in force at `now` (epoch ms). */
  lifted(now: number): Awaitable<BanRecord[]>;
  /** `false` when there is no such ban in force. */
  lift(id: string, by: Actor, now: number): Promise<boolean>;
  /** An account's bans that ended, or end, after `since` (epoch ms), the latest first. */
  ofAccount(accountId: string, since: number): Awaitable<BanRecord[]>;
}

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

/** A caller's used quota as it is kept across a restart. Times are epoch ms. */
export interface SavedQuota {
  readonly caller: string;
  readonly minuteEndsAt: number;
  readonly minuteUsed: number;
  readonly day: number;
  readonly dayUsed: number;
}

/** Keeps quotas for the next process. Every call may raise `StorageUnavailable`. */
export interface QuotaStore {
  /** What is kept for one caller, over or not; a limiter asks once for each, when it first comes. */
  find(caller: string): Awaitable<SavedQuota | undefined>;
  save(quotas: readonly SavedQuota[]): Promise<void>;
  /** Drops the quotas of these callers. */
  drop(callers: readonly string[]): Promise<void>;
  /** Drops the quotas whose day and minute are over at `now` (epoch ms). */
  prune(now: number): Promise<void>;
}

/** Small facts kept with the accounts. Every call may raise `StorageUnavailable`. */
export interface Settings {
  /** Keeps the value the first time; gives back what is kept. */
  keep(name: string, value: string): Promise<string>;
  find(name: string): Awaitable<string | undefined>;
}

/** Tells processes that share a store of changes by the others. May raise `StorageUnavailable`. */
export interface ChangeSignal {
  /** Goes up when an account, a key or a ban changes in a way that caches must hear of. */
  revision(): Awaitable<bigint>;
}

/** What lets a process count the requests of an environment. */
export interface Lease {
  /**
   * Tells others that this process goes on, to be called every second; `false` when one has taken
   * over meanwhile. Not there where the operating system knows who goes on. May raise
   * `StorageUnavailable`.
   */
  renew?(): Promise<boolean>;
  /** Lets others count. */
  release(): Awaitable<void>;
}

/** Keeps processes that would each count by themselves from the same data. */
export interface Leases {
  /**
   * A process counts `alone`, or `together` with others in one place. `undefined` when another process
   * counts in a way that does not go with this. May raise `StorageUnavailable`.
   */
  claim(environment: Environment, how: 'alone' | 'together'): Awaitable<Lease | undefined>;
}

/** Who tries something, and how often that may be. */
export interface AttemptCounter {
  readonly caller: string;
  readonly limits: Limits;
}

/** Counts attempts, such as to sign in, in a minute and a day; best in one place for all processes. */
export interface AttemptCounts {
  /** Counts one attempt in each of the counters, or in none and tells how long to wait, in ms. */
  take(counters: readonly AttemptCounter[], now: Instant): Awaitable<number | undefined>;
  /** Takes one attempt that was counted back from each. */
  giveBack(counters: readonly AttemptCounter[]): Awaitable<void>;
}
