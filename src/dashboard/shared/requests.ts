import type { Environment } from '../../core/environments.ts';

/**
 * GET /api/requests?environment=&status=4xx&code=&key=&path=&from=&to=&id=&before=next -> RequestPage: the requests
 * of the account, newest first. Each filter may be left out; `status` is a status or a class, `key` the id of a key,
 * `path` a part of path or query, `from` and `to` are ISO 8601, `id` an `X-Request-Id`. With `format=json` or
 * `format=csv` all of them as a file. GET /api/operator/accounts/{id}/requests gives operators those of any account.
 */
export interface RequestPage {
  /** At most 50. */
  readonly requests: readonly RequestInfo[];
  /** Where the next page begins, `before`; `null` on the last one. */
  readonly next: string | null;
  /** What the codes of these requests mean, by code; codes of simulations may be unknown. */
  readonly errors: Readonly<Record<string, ErrorInfo>>;
  readonly kept: {
    /** 0 where the log is off. */
    readonly days: number;
    /** Requests of an account that each process records of one second. */
    readonly perSecond: number;
    /** Requests of an account in all. */
    readonly requests: number;
  };
}

export interface RequestInfo {
  /** Of the entry. */
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
  /** The headers about limits that the reply had. */
  readonly headers: Readonly<Record<string, string>>;
  /** Further requests around the same time that were not recorded. */
  readonly notRecorded: number;
}

/** What an error code means, and what to do. */
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
