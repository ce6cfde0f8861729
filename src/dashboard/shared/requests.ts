import type { Environment } from '../../core/environments.ts';

/**
 * GET /api/requests?environment=&status=4xx&code=&key=&path=&from=&to=&id=&before=next ->
 * RequestPage: the requests of the account, newest first. All filters are optional: `status` is a
 * status or a class, `key` the id of a key, `path` a part of path or query, `from` and `to` are ISO
 * 8601, `id` is an `X-Request-Id`. With `entry`, the id of an entry, it is that one alone. `format=json` and `format=csv` return all matching requests as a
 * file. For operators, GET /api/operator/accounts/{id}/requests returns those of any account.
 */
export interface RequestPage {
  /** At most 50. */
  readonly requests: readonly RequestInfo[];
  /** The cursor of the next page, for `before`; `null` on the last one. */
  readonly next: string | null;
  /**
   * Explanations of the error codes of these requests, by code. Codes of simulations may be
   * missing.
   */
  readonly errors: Readonly<Record<string, ErrorInfo>>;
  readonly kept: {
    /** Retention in days; 0 if the log is off. */
    readonly days: number;
    /** Requests that each process records per minute and environment; then only some refusals and errors. */
    readonly perMinute: number;
    /** Maximum number of requests that are stored per account. */
    readonly requests: number;
  };
}

export interface RequestInfo {
  /** Id of the entry in the log. */
  readonly id: string;
  readonly at: number;
  /** Its `X-Request-Id`. */
  readonly requestId: string;
  readonly environment: Environment;
  readonly keyId: string;
  /** `null` once the key is removed. */
  readonly keyName: string | null;
  readonly keyEnding: string | null;
  readonly method: string;
  readonly path: string;
  /** The whole address. */
  readonly url: string;
  readonly status: number;
  readonly code: string | null;
  /** The message of the error. */
  readonly message: string | null;
  readonly durationMs: number;
  readonly replyBytes: number;
  readonly address: string;
  readonly userAgent: string | null;
  /** The simulation that it met. */
  readonly simulation: string | null;
  readonly replayed: boolean;
  /** The headers of the reply about limits. */
  readonly headers: Readonly<Record<string, string>>;
  /** Number of requests with the same key, before this one or shortly after it, that were not recorded. */
  readonly notRecorded: number;
}

/** The meaning and the remedy of an error code. */
export interface ErrorInfo {
  readonly meaning: string;
  readonly cause: string;
  readonly cure: string;
}

/** GET /api/operator/requests?id=X-REQUEST-ID -> { requests: FoundRequest[] }, at most 20, of all accounts. */
export interface FoundRequest {
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}
