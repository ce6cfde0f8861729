import type { Awaitable } from '../../lib/awaitable.ts';
import type { Environment } from '../environments.ts';
import type { ApiErrorBody } from '../errors.ts';
import type { RateLimitResult } from '../limits/rate-limit.ts';

/** The requests of an account that each process records per minute and environment; then only some refusals and errors. */
export const RECORDED_PER_MINUTE = 1_000;

/** The maximum number of requests that are kept for one account. */
export const KEPT_PER_ACCOUNT = 10_000;

/** How many requests of an account are added between two trims of its log. */
export const ADDED_BETWEEN_TRIMS = 250;

/** The part of `KEPT_PER_ACCOUNT` that is reserved for successful requests. */
export const KEPT_SUCCESSES = 2_000;

/** An entry of the request log: one request of an account. */
export interface LoggedRequest {
  /** The id of the entry; sorts by time. */
  readonly id: string;
  readonly accountId: string;
  /** When the request arrived, epoch ms. */
  readonly at: number;
  /** Its `X-Request-Id`. */
  readonly requestId: string;
  readonly environment: Environment;
  readonly keyId: string;
  readonly method: string;
  /** Path and query as sent; everything that looks like an API key is hidden. */
  readonly path: string;
  readonly status: number;
  /** The code of the error in the reply. */
  readonly code: string | undefined;
  /** The message of the error, without the parts of the request body that it quotes. */
  readonly message: string | undefined;
  /** From the arrival of the request to its reply, in µs. */
  readonly durationMicros: number;
  /** Size of the reply's content, in bytes. */
  readonly replyBytes: number;
  /** The client's address. */
  readonly address: string;
  readonly userAgent: string | undefined;
  /** The name of the simulation that was applied to the request; only in staging. */
  readonly simulation: string | undefined;
  /** Whether the reply repeats that of an earlier request with the same `Idempotency-Key`. */
  readonly isReplayed: boolean;
  readonly limits: LoggedLimits;
  /** How many requests with this key, before this one or shortly after it, were not recorded. */
  readonly notRecorded: number;
}

/** The limits as shown in the headers of the reply. */
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

/** Selects requests of an account. */
export interface RequestFilter {
  readonly environment?: Environment | undefined;
  readonly keyId?: string | undefined;
  /** Lowest and highest status. */
  readonly status?: readonly [lowest: number, highest: number] | undefined;
  readonly code?: string | undefined;
  /** A part of the path or the query, ignoring case. */
  readonly path?: string | undefined;
  /** Inclusive, epoch ms. */
  readonly from?: number | undefined;
  /** Inclusive, epoch ms. */
  readonly to?: number | undefined;
  readonly requestId?: string | undefined;
}

/** The request log. Every call may raise `StorageUnavailable`. */
export interface RequestLogStore {
  /** Adds these requests, except those of deleted accounts. May be retried: adds each request only once. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Requests of an account, newest first. @param before only requests older than this entry. */
  page(
    accountId: string,
    filter: RequestFilter,
    limit: number,
    before?: string,
  ): Awaitable<LoggedRequest[]>;
  /** The latest requests with this `X-Request-Id`, of all accounts. */
  find(requestId: string, limit: number): Awaitable<LoggedRequest[]>;
  /** Deletes the requests of an account in excess of `KEPT_PER_ACCOUNT`: oldest first, successes before errors. */
  trim(accountId: string): Promise<void>;
  forgetAccount(accountId: string): Promise<void>;
  forgetEnvironments(environments: readonly Environment[]): Promise<void>;
  /** Deletes requests before this time (epoch ms). */
  prune(before: number): Promise<void>;
}

/** The recorded requests of an account in one environment. Updated in place. */
export interface LoggedAccount {
  /**
   * The end of the minute that began with the first request after the previous minute, on the elapsed scale. The limits
   * count minutes in the same way.
   */
  minuteEndsAt: number;
  /** In this minute. */
  recorded: number;
  /** Requests saved since the last trim. */
  untrimmed: number;
}

/** The key of a request. */
export interface LoggedKey {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  /** Set by the recorder at the first recorded request, so that it looks the account up only once. */
  logged?: LoggedAccount;
  /** The number of requests that were not recorded since the latest entry. */
  unrecorded?: number;
}

/** A sent reply to a request of an account. */
export interface SentReply {
  readonly at: number;
  readonly requestId: string;
  readonly key: LoggedKey;
  readonly method: string;
  /** The full URL. */
  readonly url: string;
  readonly status: number;
  readonly problem: ApiErrorBody<string> | undefined;
  /** ms */
  readonly took: number;
  readonly replyBytes: number;
  readonly address: string;
  readonly userAgent: string | null;
  readonly simulation: string | undefined;
  readonly isReplayed: boolean;
  readonly limits: RateLimitResult;
  /** The time of the request on the account's clock, epoch ms. */
  readonly now: number;
  /** Seconds in the `Retry-After` of the reply, if it has one. */
  readonly retryAfter: string | undefined;
}

/** Selects which replies are recorded. No call waits. */
export interface RequestRecorder {
  /**
   * Counts a reply, and records it unless there are too many.
   * @param at when the request arrived, on the elapsed scale.
   * @param describe returns the reply; called immediately, and only if it is recorded.
   */
  record(key: LoggedKey, at: number, status: number, describe: () => SentReply): void;
  /** Whether a reply could be recorded, whatever its status. @param at when the request arrived, as above. */
  mayRecord(key: LoggedKey, at: number): boolean;
}
