import type { Awaitable } from '../lib/awaitable.ts';
import type { KeyRecord } from './api-keys.ts';
import type { Environment } from './environments.ts';
import type { Problem } from './errors.ts';
import type { RateLimitResult } from './rate-limit.ts';

/** The most requests of one account that are recorded of one second, by each process. */
export const RECORDED_PER_SECOND = 20;

/** The most requests of one account that are kept. */
export const KEPT_PER_ACCOUNT = 10_000;

/** So many places are kept for requests that succeeded, however many failed. */
export const KEPT_SUCCESSES = 2_000;

/** One request of an account, as the log keeps it. */
export interface LoggedRequest {
  /** Of the entry; sorts by time. */
  readonly id: string;
  readonly accountId: string;
  /** When the request arrived, epoch ms. */
  readonly at: number;
  /** Its `X-Request-Id`. */
  readonly requestId: string;
  readonly environment: Environment;
  readonly keyId: string;
  readonly method: string;
  /** Path and query, as they were sent; what has the shape of an API key is hidden. */
  readonly path: string;
  readonly status: number;
  /** The code of the error in the reply. */
  readonly code: string | undefined;
  /** The message of the error, without what it repeats of the request's body. */
  readonly message: string | undefined;
  /** From the arrival of the request to its reply, in µs. */
  readonly durationMicros: number;
  /** Size of the reply's content, in bytes. */
  readonly replyBytes: number;
  /** The client's address. */
  readonly address: string;
  readonly userAgent: string | undefined;
  /** The simulation of staging that the request met, by its name. */
  readonly simulation: string | undefined;
  /** Whether the reply was that of an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean;
  readonly limits: LoggedLimits;
  /** Requests of the account since the entry before that were not recorded; in the last entry of its second. */
  readonly notRecorded: number;
}

/** What the headers of a reply said about the limits. */
export interface LoggedLimits {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly reset: number;
  readonly minute: LoggedWindow;
  readonly day: LoggedWindow;
  /** Seconds in `Retry-After`, if there was one. */
  readonly retryAfter: number | undefined;
}

export interface LoggedWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets. */
  readonly resetIn: number;
}

/** Which requests of an account are asked for. */
export interface RequestFilter {
  readonly environment?: Environment | undefined;
  readonly keyId?: string | undefined;
  /** Lowest and highest status. */
  readonly status?: readonly [lowest: number, highest: number] | undefined;
  readonly code?: string | undefined;
  /** A part of the path or the query, whatever its case. */
  readonly path?: string | undefined;
  /** The first moment, epoch ms. */
  readonly from?: number | undefined;
  /** The last moment, epoch ms. */
  readonly to?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Requests of accounts. Every call may raise `StorageUnavailable`. */
export interface RequestLogStore {
  /** Adds these requests, those of accounts that are gone excepted. May be sent again: it adds each only once. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** The latest requests of an account, newest first. @param before the entry that the first one comes after. */
  page(
    accountId: string,
    filter: RequestFilter,
    limit: number,
    before?: string,
  ): Awaitable<LoggedRequest[]>;
  /** The latest requests with this `X-Request-Id`, of all accounts. */
  find(requestId: string, limit: number): Awaitable<LoggedRequest[]>;
  /** Deletes what an account has above `KEPT_PER_ACCOUNT`: the oldest first, successes before errors. */
  trim(accountId: string): Promise<void>;
  forgetAccount(accountId: string): Promise<void>;
  forgetEnvironments(environments: readonly Environment[]): Promise<void>;
  /** Deletes what is older than this moment (epoch ms). */
  prune(before: number): Promise<void>;
}

/** The key of a request, with its count of requests that were not recorded. */
export type LoggedKey = Pick<KeyRecord, 'id' | 'accountId' | 'environment' | 'unrecorded'>;

/** A reply to a request of an account, as it is when it is sent. */
export interface SentReply {
  readonly at: number;
  readonly requestId: string;
  readonly key: LoggedKey;
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  readonly status: number;
  readonly problem: Problem<string> | undefined;
  /** ms */
  readonly took: number;
  readonly replyBytes: number;
  readonly address: string;
  readonly userAgent: string | null;
  readonly simulation: string | undefined;
  readonly isReplayed: boolean;
  readonly limits: RateLimitResult;
  /** The moment of the request on the account's clock, epoch ms. */
  readonly now: number;
  /** Seconds in the `Retry-After` of the reply, where it has one. */
  readonly retryAfter: string | undefined;
}

/** The place of one reply among those that are recorded. */
export interface LogPlace {
  readonly replies: SentReply[];
  /** Its index in `replies`. */
  next: number;
}

/** Chooses which replies are recorded. No call waits. */
export interface RequestRecorder {
  /** Counts a reply; `undefined` when it is not recorded. The reply is put at the place at once. */
  place(key: LoggedKey, at: number, status: number): LogPlace | undefined;
}
