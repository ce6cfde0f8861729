import type { RateLimit } from './rate-limit.ts';

/** The error codes that this version of the client knows; the service may add others. */
export type KnownErrorCode =
  | 'invalid_json'
  | 'invalid_body'
  | 'invalid_parameter'
  | 'unsupported_content_type'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'not_owner'
  | 'pet_not_found'
  | 'order_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'idempotency_conflict'
  | 'invalid_transition'
  | 'pet_unavailable'
  | 'pet_reserved'
  | 'operation_removed'
  | 'precondition_failed'
  | 'body_too_large'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'api_key_banned'
  | 'internal_error'
  | 'unavailable';

/** Any error code: the known ones, and those that a later version of the service may add. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** The details of the reply in an {@link ApiError}. */
export type ApiErrorDetails = Pick<
  ApiError,
  'code' | 'message' | 'status' | 'headers' | 'rateLimit' | 'retryAfterMs'
> &
  Partial<Pick<ApiError, 'isRetry'>>;

/** Base class of every error about the service or the connection to it. */
export class PetstoreError extends Error {
  static {
    PetstoreError.prototype.name = 'PetstoreError';
  }
}

/** The service, or a proxy in front of it, answered with an error. */
export class ApiError extends PetstoreError {
  static {
    ApiError.prototype.name = 'ApiError';
  }

  /** Machine-readable; made from the HTTP status when the reply has no error body of the service. */
  readonly code: ErrorCode;
  /** HTTP status of the reply. */
  readonly status: number;
  /** Headers of the reply. */
  readonly headers: Headers;
  /** The request's id in the service's log (`X-Request-Id`): give it when you report a problem. */
  readonly requestId: string | undefined;
  /** The caller's quota that the reply reported. */
  readonly rateLimit: RateLimit | undefined;
  /** Milliseconds that the service asked to wait (`Retry-After`), counted from the reply. */
  readonly retryAfterMs: number | undefined;
  /**
   * Whether the call had sent the request before. An earlier attempt whose reply was lost may have been carried
   * out, and be the cause of this error: a 412 to a repeated change, for example.
   */
  readonly isRetry: boolean;

  constructor(details: ApiErrorDetails, options?: ErrorOptions) {
    super(details.message, options);
    this.code = details.code;
    this.status = details.status;
    this.headers = details.headers;
    this.requestId = details.headers.get('X-Request-Id') ?? undefined;
    this.rateLimit = details.rateLimit;
    this.retryAfterMs = details.retryAfterMs;
    this.isRetry = details.isRetry ?? false;
  }
}

/**
 * The service asked for a longer wait than the client's `maxRetryWaitMs`: come back at `retryAt`.
 * Requests before that are refused, and repeating them can get the API key banned.
 */
export class RetryLaterError extends ApiError {
  static {
    RetryLaterError.prototype.name = 'RetryLaterError';
  }

  /** When a request can succeed again, by this machine's clock. */
  readonly retryAt: Date;
  /** The error that the service answered with. */
  override readonly cause: ApiError;

  constructor(cause: ApiError, retryAt: Date) {
    super(cause);
    this.cause = cause;
    this.retryAt = retryAt;
  }
}

/** No complete reply arrived: no connection, or it broke. `cause` is the error of `fetch`. */
export class NetworkError extends PetstoreError {
  static {
    NetworkError.prototype.name = 'NetworkError';
  }
}

/** No complete reply arrived within `timeoutMs`. */
export class TimeoutError extends PetstoreError {
  static {
    TimeoutError.prototype.name = 'TimeoutError';
  }

  /** The timeout of the attempt in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, timeoutMs: number) {
    super(message);
    this.timeoutMs = timeoutMs;
  }
}

/** A reply that reports success does not match the service's contract. */
export class InvalidReplyError extends PetstoreError {
  static {
    InvalidReplyError.prototype.name = 'InvalidReplyError';
  }

  /** The request's id in the service's log (`X-Request-Id`): give it when you report a problem. */
  readonly requestId: string | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly headers?: Headers }) {
    super(message, options);
    this.requestId = options?.headers?.get('X-Request-Id') ?? undefined;
  }
}

/**
 * Whether `error` is an {@link ApiError}, with one of `codes` when any are given:
 *
 * ```ts
 * if (isApiError(error, 'pet_not_found')) return undefined;
 * ```
 */
export function isApiError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is ApiError & { readonly code: Code } {
  return (
    error instanceof ApiError && (codes.length === 0 || codes.some((code) => code === error.code))
  );
}
