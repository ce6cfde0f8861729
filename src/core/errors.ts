import type { ErrorEntry } from './error-entry.ts';

/**
 * Every error code that a reply may carry. The contract's schemas, the OpenAPI documents with their examples, the
 * replies and the error reference (`src/api/error-catalogue.ts`) are all derived from this table.
 */
export const ERRORS = {
  invalid_json: {
    status: 400,
    meaning: 'The body is not strict JSON in UTF-8.',
    cause:
      'The body is empty or cut off, has a trailing comma or single quotes, has the same member twice, is nested too deeply, or is not UTF-8.',
    cure: 'Look at the line and column that `message` names: both count from 1, a column is one Unicode code point, and a byte order mark does not count. Create the body with the JSON serializer of your language, in UTF-8, and send all of it. The same request fails again.',
    message: 'The body is not valid JSON at {position}. Check quotes and commas there.',
  },
  invalid_body: {
    status: 400,
    meaning: 'A field of the body is missing or has an invalid value.',
    cause:
      'A required field is missing, has the wrong type, such as a number in quotes, or a value out of range.',
    cure: 'Correct the fields that `message` names: all invalid ones, or the first ten and how many more. The same request fails again.',
    message: '"{field}" is required: send {expectation}.',
  },
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter or header has an invalid value.',
    cause:
      'A query parameter or header has a value that is not allowed, or a parameter is given twice. A malformed address or `Host` header gets this error, too, and so does an unknown simulation.',
    cure: 'Correct the parameter or header that `message` names. To page through a list, request the address of `Link` unchanged.',
    message: 'The parameter "{parameter}" {problem}.',
  },
  unsupported_content_type: {
    status: 400,
    meaning: 'The body is not sent as application/json.',
    cause:
      'The header `Content-Type` is missing or is not `application/json`. `curl -d` sends a form unless told otherwise.',
    cure: 'Send `Content-Type: application/json` with every body. Some changes also take `application/merge-patch+json`.',
    message: 'Send the body as JSON, with the header {contentType}.',
  },
  missing_api_key: {
    status: 401,
    meaning: 'The request carries no API key.',
    cause:
      'The request has no header `Authorization`: the key was not configured, the variable that holds it is empty, or a redirect or proxy dropped the header.',
    cure: 'Send `Authorization: Bearer <API_KEY>`. Keys are created on the page Keys of the dashboard.',
    message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: {
    status: 401,
    meaning: 'The API key is unknown, expired, revoked or misplaced, or its account is suspended.',
    cause:
      'The key has a typo, has expired, was revoked or rotated, belongs to the other environment, its account is suspended, or the header is not exactly `Bearer <API_KEY>`.',
    cure: 'Read `message`: it says which of these. Compare the last four characters with the list on the page Keys, and check that address and key belong to the same environment.',
    message: 'This is not an API key of this service. Check it for typos.',
  },
  not_owner: {
    status: 403,
    meaning: 'The animal belongs to another account.',
    cause:
      'An animal belongs to the account that added it, and only that account may change or delete it.',
    cure: 'Use a key of the account that added the animal, or choose an animal of your own. The same request fails again.',
    message:
      'This animal belongs to another account. Only the account that added it may change or delete it.',
  },
  pet_not_found: {
    status: 404,
    meaning: 'No animal has this id.',
    cause:
      'No animal has this id in this environment; or the id is not a whole number. Production and staging have separate animals.',
    cure: 'Take ids from `GET /pets` of the same environment. Handle this error as “not there”; do not repeat the request.',
    message: 'No animal has the id {petId}. List animals to see their ids.',
  },
  order_not_found: {
    status: 404,
    meaning: 'Your account has no order with this id.',
    cause:
      'No order has this id in this environment, it belongs to another account, or the id is not a whole number.',
    cure: 'Take ids from `GET /store/orders` with a key of the account that placed the order. Do not repeat the request.',
    message: 'Your account has no order with the id {orderId}. List your orders to see their ids.',
  },
  not_found: {
    status: 404,
    meaning: 'Nothing is served at this path.',
    cause:
      'The path is misspelled, has a trailing slash, or lacks a part of the base address, such as `/v1`.',
    cure: 'Compare the address with the base address and paths in the reference.',
    message: 'Nothing is served at this path. The API is described at {document}.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not serve this method.',
    cause: 'The path exists, and does not serve this method.',
    cure: 'Use one of the methods in the header `Allow`.',
    message: 'This path does not serve {method}. It serves {allow}.',
  },
  idempotency_conflict: {
    status: 409,
    hasRetryAfter: true,
    meaning: 'A request with the same Idempotency-Key is still in flight.',
    cause:
      'A request with the same `Idempotency-Key` has not been answered yet: a client repeated it too early, or two workers share a key.',
    cure: 'Wait for the seconds in `Retry-After`, and send the same request again: it gets the reply to the first one.',
    message: 'A request with this Idempotency-Key is in flight. Send it again in a moment.',
  },
  invalid_transition: {
    status: 409,
    meaning: 'The status cannot change in this way.',
    cause:
      'The present status does not lead to the requested one: a sold animal, for example, cannot become pending.',
    cure: 'Choose one of the statuses that `message` names. The same request fails again until the status has changed.',
    message:
      'The status cannot change from {from} to {to}. From {from} it can change to {allowed}.',
  },
  pet_unavailable: {
    status: 409,
    meaning: 'The animal is not available.',
    cause:
      'Only an available animal can be ordered. It is pending, perhaps because somebody was faster, or it is sold.',
    cure: 'Order an animal of `GET /pets?status=available`. The same request succeeds only after this one is available again.',
    message:
      'The animal is {status}, and only an available one can be ordered. List those with GET /pets?status=available.',
  },
  pet_reserved: {
    status: 409,
    meaning: 'An order for the animal is open.',
    cause:
      'The animal was ordered. Until the order is delivered or cancelled, its status follows the order, and it cannot be deleted.',
    cure: 'Change only its name or category, or choose another animal. The same request succeeds only after the order has ended.',
    message:
      'An order for this animal is open. Until it ends, the status cannot be changed, and the animal cannot be deleted.',
  },
  operation_removed: {
    status: 410,
    meaning: 'The operation was removed on its sunset date.',
    cause: 'The operation was deprecated, and its sunset date has passed.',
    cure: 'Move to the operation that `message` and the `Link` with `rel="successor-version"` name. Repeating the request does not help.',
    message: '{operation} was removed. Use {successor} instead.',
  },
  precondition_failed: {
    status: 412,
    meaning: 'The version does not meet `If-Match` or `If-None-Match`.',
    cause:
      'It has changed since the reply whose `ETag` was sent as `If-Match`. A weak tag (`W/"…"`), such as that of a list or one that a proxy has weakened, never matches. Or `If-None-Match` has its tag.',
    cure: 'Read it again, check whether your change is still right, and send it with the new `ETag`.',
    message:
      'The version does not meet {header}, so nothing was changed. Read it again, and use its ETag.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The body is larger than 64 KiB.',
    cause:
      'The body is larger than one object needs: most likely a file or a whole list was sent, or a long text whose characters are all escaped as `\\u`.',
    cure: 'Send one object in each request, without fields that the schema does not have, and text in UTF-8 instead of `\\u` escapes.',
    message: 'The body is larger than {maximum} KiB. Send less.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'The Idempotency-Key was used before with another body.',
    cause:
      'An `Idempotency-Key` was used again with other content: it is a constant, or was derived from something that is not unique.',
    cure: 'Create a new key, such as a UUID, for each animal or message, and repeat it only together with the same body.',
    message: 'This Idempotency-Key was used for another {noun}. Use a new key for a new {noun}.',
  },
  rate_limited: {
    status: 429,
    hasRetryAfter: true,
    meaning: 'The minute or the day has no request left.',
    cause:
      'The account used up its requests of this minute or of this UTC day. All its keys of an environment share them. Without a valid key, the client’s address has a limit of its own.',
    cure: 'Wait for the seconds in `Retry-After`; the first request after that is admitted. Slow down when `X-RateLimit-Remaining` gets low. Requests before that lead to a ban of the key.',
    message: 'Too many requests in this minute. Wait for the seconds in Retry-After, then go on.',
  },
  api_key_banned: {
    status: 429,
    hasRetryAfter: true,
    meaning: 'The API key is banned for a while.',
    cause:
      'The key kept sending requests after a 429 instead of waiting. In staging, a ban can also be set in the sandbox or simulated.',
    cure: 'Stop, and wait for the seconds in `Retry-After`; requests during the ban do not extend it. Then make the client wait after a 429, or the next ban lasts twice as long.',
    message:
      'This API key is banned for a while, as keys are that keep sending after a 429. Wait for the seconds in Retry-After.',
  },
  internal_error: {
    status: 500,
    meaning: 'The service failed to answer.',
    cause: 'A fault of the service, not a mistake in the request.',
    cure: 'Try again later, but repeat a creation only with the same `Idempotency-Key`. If it happens again, give the operators the `X-Request-Id` of the reply.',
    message: 'The service failed to answer. Try again; if it goes on, tell the operator.',
  },
  unavailable: {
    status: 503,
    hasRetryAfter: true,
    meaning: 'The service cannot answer just now.',
    cause:
      'The store cannot read or write at the moment: it is overloaded, out of space or restarting.',
    cure: 'Wait for the seconds in `Retry-After`, then try again, waiting longer each time. Repeat a creation only with the same `Idempotency-Key`.',
    message: 'The store cannot do this just now. Try again in a moment.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

const WAITING: ReadonlySet<string> = new Set(
  Object.entries<ErrorEntry>(ERRORS).flatMap(([code, { hasRetryAfter }]) =>
    hasRetryAfter ? [code] : [],
  ),
);

/** Whether replies with this code have `Retry-After`. */
export function hasRetryAfter(code: string): boolean {
  return WAITING.has(code);
}

/** The message from the table, with the names in braces replaced by these values. */
export function messageFor(
  code: ErrorCode,
  values: Readonly<Record<string, string | number | bigint>> = {},
): string {
  const entry: { readonly meaning: string; readonly message?: string } = ERRORS[code];
  const { message = entry.meaning } = entry;
  return message.replaceAll(/\{(\w+)\}/g, (name, key: string) => String(values[key] ?? name));
}

/** An error as the client reads it. The message names the field and says what to do next. */
export interface ApiErrorBody<Code extends string = ErrorCode> {
  readonly code: Code;
  readonly message: string;
  /** The message without the parts of the request body that it quotes, if it quotes any. */
  readonly withoutBody?: string | undefined;
}

interface ApiErrorOptions extends ErrorOptions {
  readonly withoutBody?: string;
  /** Headers of the reply in addition to those of every error. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * An error that is sent as a reply. `message` is public; `cause` is private: it is logged, never sent.
 * @typeParam Code the error codes of one API; by default those of the contract.
 */
export class ApiError<Code extends string = ErrorCode> extends Error implements ApiErrorBody<Code> {
  override readonly name = 'ApiError';
  readonly code: Code;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly withoutBody: string | undefined;

  constructor(
    code: NoInfer<Code>,
    message: string,
    { headers, withoutBody, ...rest }: ApiErrorOptions = {},
  ) {
    super(message, rest);
    this.code = code;
    this.headers = headers;
    this.withoutBody = withoutBody;
  }
}

/** Creates an error with the message from the table. */
export function apiError(
  code: ErrorCode,
  values?: Readonly<Record<string, string | number | bigint>>,
): ApiError {
  return new ApiError(code, messageFor(code, values));
}

/** The store cannot read or write at the moment: a full disk, a full queue, a lock held too long. */
export class StorageUnavailable extends ApiError {
  constructor(cause: unknown) {
    super('unavailable', messageFor('unavailable'), { cause });
  }
}

/** The `code` of an error, such as `ENOENT` of an error of the system; `undefined` if it has none. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
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
