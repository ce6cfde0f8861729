import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../core/accounts.ts';
import type { Change } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import { StorageUnavailable } from '../core/errors.ts';
import { type NodeLost, saveByNode, type Unsaved } from '../core/node-lost.ts';
import {
  ADDED_BETWEEN_TRIMS,
  type LoggedKey,
  type LoggedRequest,
  RECORDED_PER_SECOND,
  type RequestLogStore,
  type RequestRecorder,
  type SentReply,
} from '../core/request-log.ts';
import { CHUNK } from '../lib/chunks.ts';
import { type Clock, MINUTE, SECOND } from '../lib/clock.ts';
import { HeldBackRequests } from './held-back-requests.ts';
import { loggedRequest } from './logged-request.ts';
import { RANKS, type Rank, RecordingBudget, zeros } from './recording-budget.ts';

/** The maximum number of replies waiting in memory to be saved; for successful replies, half of it. */
export const WAITING_CAPACITY = 5_000;

/** A reply to a request that arrived longer ago than this, in ms, means that the clock was set back. */
const SLOWEST_REPLY = MINUTE;

/** The maximum number of accounts whose added requests are counted. */
const COUNTED_ACCOUNTS = 50_000;

/** The replies to an account in one second. */
interface Bucket {
  readonly replies: SentReply[];
  readonly accountId: string;
  /** Whole seconds since the Unix epoch. */
  readonly second: number;
  /** All replies that the budget allowed, recorded or not. */
  seen: number;
  /** `seen` by rank. */
  readonly seenByRank: [number, number, number];
  /** The recorded replies by rank. */
  readonly heldByRank: [number, number, number];
}

interface Options {
  readonly store: RequestLogStore;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly clock: Clock;
  /** Called with the number of requests that could not be recorded. */
  readonly onDropped: (count: number) => void;
}

/**
 * Records the requests that this process receives: at most 20 a second for each account, errors and rate-limited
 * requests first and a random sample of the rest, within a budget for all accounts together. They wait in memory
 * until their second is over, and are saved by a background job. When too many are waiting because the store is
 * slow or fails, further requests are dropped.
 */
export class RequestLogRecorder implements RequestRecorder {
  readonly #options: Options;
  /** Buckets of the current second, by account. */
  readonly #open = new Map<string, Bucket>();
  /** Buckets of completed seconds. */
  #closed: Bucket[] = [];
  /** Replies in the open and closed buckets. */
  #held = 0;
  /** Requests sent to the store but not confirmed; they are sent again. */
  #sending: readonly LoggedRequest[] = [];
  readonly #heldBack: HeldBackRequests;
  /** The latest second in which a request arrived, in whole seconds since the Unix epoch. */
  #second = 0;
  /** For all accounts together. */
  readonly #budget = new RecordingBudget();
  /** Requests added since the last trim, by account. */
  readonly #added = new LRUCache<string, number>({ max: COUNTED_ACCOUNTS });
  /** Accounts that changed and may have been deleted. */
  readonly #changedAccounts = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
    this.#heldBack = new HeldBackRequests(options);
  }

  record(key: LoggedKey, at: number, status: number, describe: () => SentReply): void {
    const rank = rankOf(status);
    const bucket = this.#bucketFor(key, this.#secondOf(at), rank);
    if (!bucket) return;
    bucket.seen += 1;
    bucket.seenByRank[rank] += 1;
    const index = indexFor(bucket, rank);
    if (index === undefined) return;
    if (index === bucket.replies.length) this.#held += 1;
    bucket.heldByRank[rank] += 1;
    bucket.replies[index] = describe();
  }

  /**
   * Saves the completed seconds. May raise `StorageUnavailable`; the next call then tries again. If some nodes of the
   * store are lost, saves the requests of the others.
   */
  async save(): Promise<void> {
    const now = Math.floor(this.#options.clock.now().wall / SECOND);
    this.#close(({ second }) => second !== now);
    await this.#sendAll();
    for (const id of this.#changedAccounts) await this.#forgetIfGone(id);
  }

  /** Saves everything. */
  async saveAll(): Promise<void> {
    this.#close(() => true);
    this.#heldBack.sendNow();
    await this.#sendAll();
  }

  /** Called after changes: the recorded requests of deleted accounts are deleted after the next save. */
  noteChanges(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything') return;
    for (const { kind, id } of changes) if (kind === 'account') this.#changedAccounts.add(id);
  }

  /** Drops the recorded requests of an environment that are not in the store yet. */
  forget(environment: Environment): void {
    this.#close(() => true);
    const closed = this.#closed;
    this.#closed = [];
    for (const bucket of closed) {
      const kept = bucket.replies.filter(({ key }) => key.environment !== environment);
      const forgotten = bucket.replies.length - kept.length;
      this.#held -= forgotten;
      if (kept.length === 0) continue;
      this.#closed.push({ ...bucket, replies: kept, seen: bucket.seen - forgotten });
    }
    const isKept = (each: LoggedRequest) => each.environment !== environment;
    this.#sending = this.#sending.filter(isKept);
    this.#heldBack.filter(isKept);
  }

  /** The second in which a reply counts: the latest one, so that slow replies do not begin an earlier one again. */
  #secondOf(at: number): number {
    const second = Math.floor(at / SECOND);
    const isClockSetBack = second < this.#second - SLOWEST_REPLY / SECOND;
    if (second > this.#second || isClockSetBack) this.#second = second;
    return this.#second;
  }

  #hasRoom(rank: Rank): boolean {
    const waiting = this.#held + this.#sending.length;
    return waiting < (rank === RANKS.rest ? WAITING_CAPACITY / 2 : WAITING_CAPACITY);
  }

  /** The bucket of a reply; `undefined`, after counting the reply, if there are too many. */
  #bucketFor(key: LoggedKey, second: number, rank: Rank): Bucket | undefined {
    // Most requests of a busy process end here, before anything is looked up.
    if (rank === RANKS.rest && !this.#budget.takes(second, rank)) return skip(key);
    const { accountId } = key;
    const known = this.#open.get(accountId);
    const isOpen = known?.second === second;
    // In a full bucket a reply replaces another one or is not recorded, so it needs no budget.
    const isFull = isOpen && known.replies.length === RECORDED_PER_SECOND;
    if (!isFull && rank !== RANKS.rest && !this.#budget.takes(second, rank)) return skip(key);
    if (!isFull && !this.#hasRoom(rank)) {
      this.#options.onDropped(1);
      return undefined;
    }
    return isOpen ? known : this.#begin(accountId, second, known);
  }

  #begin(accountId: string, second: number, former: Bucket | undefined): Bucket {
    if (former) this.#closed.push(former);
    const counts = { seen: 0, seenByRank: zeros(), heldByRank: zeros() };
    const bucket: Bucket = { accountId, second, replies: [], ...counts };
    this.#open.set(accountId, bucket);
    return bucket;
  }

  #close(isOver: (bucket: Bucket) => boolean): void {
    for (const bucket of this.#open.values()) {
      if (!isOver(bucket)) continue;
      this.#open.delete(bucket.accountId);
      this.#closed.push(bucket);
    }
  }

  async #sendAll(): Promise<void> {
    let lost: NodeLost | undefined;
    for (;;) {
      if (this.#sending.length === 0) this.#sending = this.#heldBack.take() ?? this.#nextBatch();
      if (this.#sending.length === 0) break;
      lost = (await this.#send(this.#sending)) ?? lost;
    }
    if (lost) throw lost;
  }

  /** Returns an error if nodes are lost. */
  async #send(requests: readonly LoggedRequest[]): Promise<NodeLost | undefined> {
    const { store } = this.#options;
    const unsaved = await this.#add(requests);
    this.#sending = [];
    this.#heldBack.add(unsaved.items);
    const missing = new Set(unsaved.items);
    const saved = requests.filter((each) => !missing.has(each));
    for (const [accountId, added] of countByAccount(saved)) {
      const sum = (this.#added.get(accountId) ?? 0) + added;
      this.#added.set(accountId, sum < ADDED_BETWEEN_TRIMS ? sum : 0);
      if (sum >= ADDED_BETWEEN_TRIMS) await store.trim(accountId);
    }
    return unsaved.error;
  }

  async #add(requests: readonly LoggedRequest[]): Promise<Unsaved<LoggedRequest>> {
    const { store, onDropped } = this.#options;
    try {
      return await saveByNode(requests, (some) => store.add(some));
    } catch (error) {
      // Any error other than an unavailable store would occur again.
      if (error instanceof StorageUnavailable) throw error;
      onDropped(requests.length);
      this.#sending = [];
      throw error;
    }
  }

  #nextBatch(): LoggedRequest[] {
    const batch: LoggedRequest[] = [];
    let taken = 0;
    for (const { replies, seen } of this.#closed) {
      if (batch.length >= CHUNK) break;
      taken += 1;
      const notRecorded = seen - replies.length + takeSkipped(replies);
      replies.sort(byTime);
      for (const [index, reply] of replies.entries()) {
        batch.push(loggedRequest(reply, index === replies.length - 1 ? notRecorded : 0));
      }
    }
    this.#closed = this.#closed.slice(taken);
    this.#held -= batch.length;
    return batch;
  }

  async #forgetIfGone(accountId: string): Promise<void> {
    const { accounts, store } = this.#options;
    if (!(await accounts.find(accountId))) await store.forgetAccount(accountId);
    this.#changedAccounts.delete(accountId);
  }
}

/** The index in the bucket for a reply of this rank; `undefined` if it is not recorded. */
function indexFor(bucket: Bucket, rank: Rank): number | undefined {
  const { replies, heldByRank, seenByRank } = bucket;
  if (replies.length < RECORDED_PER_SECOND) return replies.length;
  const lowest = heldByRank.findIndex((held) => held > 0);
  if (lowest > rank) return undefined;
  const held = heldByRank[lowest] ?? 0;
  // All replies of one rank are recorded with the same probability (reservoir sampling).
  if (lowest === rank && Math.random() * (seenByRank[rank] ?? 0) >= held) return undefined;
  const chosen = Math.floor(Math.random() * held);
  heldByRank[lowest] = held - 1;
  return indexOfRank(replies, lowest, chosen);
}

/** The index of the reply of this rank that has exactly `before` replies of the same rank before it. */
function indexOfRank(replies: readonly SentReply[], rank: number, before: number): number {
  let passed = 0;
  return replies.findIndex(({ status }) => {
    if (rankOf(status) !== rank) return false;
    passed += 1;
    return passed > before;
  });
}

function rankOf(status: number): Rank {
  if (status < 400) return RANKS.rest;
  return status === 429 ? RANKS.refusal : RANKS.error;
}

/** Counts a request that the budget did not allow. */
function skip(key: LoggedKey): undefined {
  key.unrecorded = (key.unrecorded ?? 0) + 1;
}

/** The number of skipped requests of the keys of these replies; resets the counts. */
function takeSkipped(replies: readonly SentReply[]): number {
  let count = 0;
  for (const { key } of replies) {
    count += key.unrecorded ?? 0;
    key.unrecorded = 0;
  }
  return count;
}

function byTime(a: SentReply, b: SentReply): number {
  return a.at - b.at;
}

function countByAccount(requests: readonly LoggedRequest[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { accountId } of requests) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return counts;
}
