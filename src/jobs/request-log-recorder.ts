import { LRUCache } from 'lru-cache';
import type { AccountStore } from '../core/accounts/accounts.ts';
import type { Change } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import { StorageUnavailable } from '../core/errors.ts';
import {
  ADDED_BETWEEN_TRIMS,
  type LoggedAccount,
  type LoggedKey,
  type LoggedRequest,
  RECORDED_PER_MINUTE,
  type RequestLogStore,
  type RequestRecorder,
  type SentReply,
} from '../core/requests/request-log.ts';
import { CHUNK } from '../lib/chunks.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import { loggedRequest } from './logged-request.ts';

/** The maximum number of requests of all accounts together that a process records per second, on average. */
export const RECORDED_PER_SECOND = 1_000;

/** The maximum number of requests recorded at once, after some seconds with fewer than `RECORDED_PER_SECOND`. */
export const BURST = 5 * RECORDED_PER_SECOND;

/** The maximum number of replies waiting in memory to be saved: those of a burst and of five more seconds. */
export const WAITING_CAPACITY = 10_000;

/** Refusals and errors recorded beyond the first requests of a minute, and errors recorded beyond these. */
export const MORE_PER_MINUTE = 100;

/** The part of `BURST` and of `WAITING_CAPACITY` for refusals and errors only, and another part for errors only. */
export const RESERVED = 500;

/** The maximum number of accounts of which several keys are counted together. */
const KNOWN_ACCOUNTS = 20_000;

interface Options {
  readonly store: RequestLogStore;
  readonly accounts: Pick<AccountStore, 'find'>;
  /** Called with the number of requests that could not be recorded because the store is slow or fails. */
  readonly onDropped: (count: number) => void;
}

/**
 * Records the first 1,000 requests of each account and environment in a minute. If all accounts together send too
 * many, it records an evenly spaced sample. Errors may use more of each limit than refusals, and refusals more than
 * the rest. Replies wait in memory until a background job saves them; when too many are waiting because the store is
 * slow or fails, further ones are dropped.
 */
export class RequestLogRecorder implements RequestRecorder {
  readonly #options: Options;
  readonly #accounts: Readonly<Record<Environment, LRUCache<string, LoggedAccount>>> = {
    production: new LRUCache({ max: KNOWN_ACCOUNTS }),
    staging: new LRUCache({ max: KNOWN_ACCOUNTS }),
  };
  /** How many requests may be recorded now; grows by `RECORDED_PER_SECOND` up to `BURST`. */
  #allowed = BURST;
  /** When `#allowed` last grew, on the elapsed scale. */
  #grownAt = Number.NEGATIVE_INFINITY;
  #waiting: SentReply[] = [];
  /** Requests sent to the store but not confirmed; they are sent again. */
  #sending: readonly LoggedRequest[] = [];
  readonly #untrimmedAccounts = new Set<string>();
  /** Accounts that changed and may have been deleted. */
  readonly #changedAccounts = new Set<string>();

  constructor(options: Options) {
    this.#options = options;
  }

  record(key: LoggedKey, at: number, status: number, describe: () => SentReply): void {
    const rank = rankOf(status);
    // The rate comes first, because in a busy process most requests exceed it.
    if (this.#isAllowed(at, rank) && this.#isAmongFirst(key, at, rank) && this.#hasRoom(rank)) {
      this.#allowed -= 1;
      this.#waiting.push(describe());
    } else {
      key.unrecorded = (key.unrecorded ?? 0) + 1;
    }
  }

  mayRecord(key: LoggedKey, at: number): boolean {
    return this.#isAllowed(at, RANKS.error) && this.#hasLeft(this.#accountOf(key), at, RANKS.error);
  }

  /** Saves what is waiting. May raise `StorageUnavailable`; the next call then tries again. */
  async save(): Promise<void> {
    const { store } = this.#options;
    if (this.#sending.length > 0) await this.#send();
    // Replies that arrive in the meantime are left to the next call.
    for (let left = this.#waiting.length; left > 0; left -= CHUNK) {
      this.#sending = this.#nextBatch();
      await this.#send();
    }
    for (const id of this.#untrimmedAccounts) {
      await store.trim(id);
      this.#untrimmedAccounts.delete(id);
    }
    for (const id of this.#changedAccounts) await this.#forgetIfGone(id);
  }

  /** Called after changes: the recorded requests of deleted accounts are deleted after the next save. */
  noteChanges(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything') return;
    for (const { kind, id } of changes) if (kind === 'account') this.#changedAccounts.add(id);
  }

  /** Drops the requests of an environment that are not in the store yet. The minutes of its accounts begin anew. */
  forget(environment: Environment): void {
    this.#waiting = this.#waiting.filter(({ key }) => key.environment !== environment);
    this.#sending = this.#sending.filter((request) => request.environment !== environment);
    this.#accounts[environment].forEach((account) => {
      account.minuteEndsAt = 0;
    });
  }

  /** Whether the rate of the process allows a reply. */
  #isAllowed(at: number, rank: Rank): boolean {
    if (at > this.#grownAt) {
      const grown = this.#allowed + ((at - this.#grownAt) * RECORDED_PER_SECOND) / SECOND;
      this.#allowed = Math.min(BURST, grown);
      this.#grownAt = at;
    }
    return this.#allowed >= 1 + reservedFrom(rank);
  }

  /** Whether a reply is among the first ones of its account's minute; counts it if it is. */
  #isAmongFirst(key: LoggedKey, at: number, rank: Rank): boolean {
    const account = this.#accountOf(key);
    if (!this.#hasLeft(account, at, rank)) return false;
    account.recorded += 1;
    return true;
  }

  /** Whether another reply of the account may be recorded in its minute, which begins anew once it has ended. */
  #hasLeft(account: LoggedAccount, at: number, rank: Rank): boolean {
    if (at >= account.minuteEndsAt) {
      account.minuteEndsAt = at + MINUTE;
      account.recorded = 0;
    }
    return account.recorded < RECORDED_PER_MINUTE + rank * MORE_PER_MINUTE;
  }

  #hasRoom(rank: Rank): boolean {
    const waiting = this.#waiting.length + this.#sending.length;
    if (waiting < WAITING_CAPACITY - reservedFrom(rank)) return true;
    this.#options.onDropped(1);
    return false;
  }

  #accountOf(key: LoggedKey): LoggedAccount {
    if (key.logged) return key.logged;
    const accounts = this.#accounts[key.environment];
    const known = accounts.get(key.accountId);
    key.logged = known ?? { minuteEndsAt: 0, recorded: 0, untrimmed: 0 };
    if (!known) accounts.set(key.accountId, key.logged);
    return key.logged;
  }

  #nextBatch(): LoggedRequest[] {
    return this.#waiting.splice(0, CHUNK).map((reply) => {
      const { key } = reply;
      const account = this.#accountOf(key);
      account.untrimmed = (account.untrimmed + 1) % ADDED_BETWEEN_TRIMS;
      if (account.untrimmed === 0) this.#untrimmedAccounts.add(key.accountId);
      const notRecorded = key.unrecorded ?? 0;
      key.unrecorded = 0;
      return loggedRequest(reply, notRecorded);
    });
  }

  async #send(): Promise<void> {
    const requests = this.#sending;
    try {
      await this.#options.store.add(requests);
    } catch (error) {
      // Any error other than an unavailable store would occur again.
      if (error instanceof StorageUnavailable) throw error;
      this.#options.onDropped(requests.length);
      this.#sending = [];
      throw error;
    }
    this.#sending = [];
  }

  async #forgetIfGone(accountId: string): Promise<void> {
    const { accounts, store } = this.#options;
    if (!(await accounts.find(accountId))) await store.forgetAccount(accountId);
    this.#changedAccounts.delete(accountId);
  }
}

/** Priorities when not all replies can be recorded: errors, then refusals by the rate limiter, then the rest. */
const RANKS = { rest: 0, refusal: 1, error: 2 } as const;
type Rank = (typeof RANKS)[keyof typeof RANKS];

/** What a reply must leave of `BURST` and `WAITING_CAPACITY` to those of higher ranks. */
function reservedFrom(rank: Rank): number {
  return (RANKS.error - rank) * RESERVED;
}

function rankOf(status: number): Rank {
  if (status < 400) return RANKS.rest;
  return status === 429 ? RANKS.refusal : RANKS.error;
}
