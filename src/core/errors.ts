/**
 * Every error code that a reply may carry, with its HTTP status and what it means.
 * The contract's schemas, the OpenAPI document and the replies all derive from this table.
 */
export const ERRORS = {
  invalid_json: { status: 400, meaning: 'The body is not strict JSON in UTF-8.' },
  invalid_body: { status: 400, meaning: 'A field of the body is missing or has an invalid value.' },
  invalid_parameter: { status: 400, meaning: 'A parameter or header has an invalid value.' },
  unsupported_content_type: { status: 400, meaning: 'The body is not sent as application/json.' },
  missing_api_key: { status: 401, meaning: 'The request carries no API key.' },
  invalid_api_key: {
    status: 401,
    meaning: 'The API key is unknown, expired, revoked or misplaced.',
  },
  pet_not_found: { status: 404, meaning: 'No animal has this id.' },
  not_found: { status: 404, meaning: 'Nothing is served at this path.' },
  method_not_allowed: { status: 405, meaning: 'The path does not serve this method.' },
  idempotency_conflict: {
    status: 409,
    meaning: 'A request with the same Idempotency-Key is still in flight.',
  },
  operation_removed: { status: 410, meaning: 'The operation was removed on its sunset date.' },
  body_too_large: { status: 413, meaning: 'The body is larger than 64 KiB.' },
  idempotency_mismatch: {
    status: 422,
    meaning: 'The Idempotency-Key was used before with another body.',
  },
  rate_limited: { status: 429, meaning: 'The minute or the day has no request left.' },
  api_key_banned: { status: 429, meaning: 'The API key is banned for a while.' },
  internal_error: { status: 500, meaning: 'The service failed to answer.' },
  unavailable: { status: 503, meaning: 'The service cannot answer just now.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** An error as the client reads it. The message names the field and says what to do next. */
export interface Problem<Code extends string = ErrorCode> {
  readonly code: Code;
  readonly message: string;
}

interface ApiErrorOptions extends ErrorOptions {
  /** Headers that the reply has besides those of every error. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error reply, thrown. `message` is public; `cause` is private: it is logged, never sent.
 * @typeParam Code the codes of one API; those of the contract unless another table is named.
 */
export class ApiError<Code extends string = ErrorCode> extends Error implements Problem<Code> {
  override readonly name = 'ApiError';
  readonly code: Code;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: NoInfer<Code>,
    message: string,
    { headers = {}, ...rest }: ApiErrorOptions = {},
  ) {
    super(message, rest);
    this.code = code;
    this.headers = headers;
  }
}

/** The store cannot read or write at the moment: a full disk, a full queue, a lock held too long. */
export class StorageUnavailable extends ApiError {
  constructor(cause: unknown) {
    super('unavailable', 'The store cannot do this just now. Try again in a moment.', { cause });
  }
}

/** The message of an error, in one line. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** A request of an operator that cannot be fulfilled; shown without a stack trace. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** A setting, a file or a port that has to be corrected before the service can start. */
export class SetupError extends OperatorError {
  override readonly name = 'SetupError';
}
