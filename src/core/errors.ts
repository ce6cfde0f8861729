/**
 * Every error code that a reply may carry, with its HTTP status, what it means, and the message that a
 * reply usually has, where `{name}` stands for a value (`messageFor`); without one it is the meaning. The contract's schemas, the
 * OpenAPI documents with their examples, and the replies all derive from this table.
 */
export const ERRORS = {
  invalid_json: {
    status: 400,
    meaning: 'The body is not strict JSON in UTF-8.',
    message: 'The body is not valid JSON. Check quotes and commas.',
  },
  invalid_body: {
    status: 400,
    meaning: 'A field of the body is missing or has an invalid value.',
    message: '"{field}" is required: send {expectation}.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter or header has an invalid value.',
    message: 'The parameter "{parameter}" {problem}.',
  },
  unsupported_content_type: {
    status: 400,
    meaning: 'The body is not sent as application/json.',
    message: 'Send the body as JSON, with the header "Content-Type: application/json".',
  },
  missing_api_key: {
    status: 401,
    meaning: 'The request carries no API key.',
    message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    meaning: 'The API key is unknown, expired, revoked or misplaced, or its account is suspended.',
    message: 'This is not an API key of this service. Check it for typos.',
  },
  pet_not_found: {
    status: 404,
    meaning: 'No animal has this id.',
    message: 'No animal has the id {petId}. List animals to see their ids.',
  },
  not_found: {
    status: 404,
    meaning: 'Nothing is served at this path.',
    message: 'Nothing is served at this path. The API is described at {document}.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not serve this method.',
    message: 'This path does not serve {method}. It serves {allow}.',
  },
  idempotency_conflict: {
    status: 409,
    meaning: 'A request with the same Idempotency-Key is still in flight.',
    message: 'A request with this Idempotency-Key is in flight. Send it again in a moment.',
  },
  operation_removed: {
    status: 410,
    meaning: 'The operation was removed on its sunset date.',
    message: '{operation} was removed. Use {successor} instead.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 64 KiB.',
    message: 'The body is larger than {maximum} KiB. Send less.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'The Idempotency-Key was used before with another body.',
    message: 'This Idempotency-Key was used for another {noun}. Use a new key for a new {noun}.',
  },
  rate_limited: {
    status: 429,
    meaning: 'The minute or the day has no request left.',
    message: 'Too many requests in this minute. Wait for the seconds in Retry-After, then go on.',
  },
  api_key_banned: {
    status: 429,
    meaning: 'The API key is banned for a while.',
    message:
      'This API key is banned for a while, as keys are that keep sending after a 429. Wait for the seconds in Retry-After.',
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed to answer.',
    message: 'The service failed to answer. Try again; if it goes on, tell the operator.',
  },
  unavailable: {
    status: 503,
    meaning: 'The service cannot answer just now.',
    message: 'The store cannot do this just now. Try again in a moment.',
  },
} as const satisfies Record<string, { status: number; meaning: string; message?: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The message of the table, with these values in place of the names in braces. */
export function messageFor(
  code: ErrorCode,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const entry: { readonly meaning: string; readonly message?: string } = ERRORS[code];
  const { message = entry.meaning } = entry;
  return message.replaceAll(/\{(\w+)\}/g, (name, key: string) => String(values[key] ?? name));
}

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

/** An error reply with the message of the table, thrown. */
export function apiError(
  code: ErrorCode,
  values?: Readonly<Record<string, string | number>>,
): ApiError {
  return new ApiError(code, messageFor(code, values));
}

/** The store cannot read or write at the moment: a full disk, a full queue, a lock held too long. */
export class StorageUnavailable extends ApiError {
  constructor(cause: unknown) {
    super('unavailable', messageFor('unavailable'), { cause });
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
