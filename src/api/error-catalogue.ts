import { ERRORS, type ErrorCode } from '../core/errors.ts';

/** What a reader of an error needs beyond its message. Plain text, with `code` in backticks. */
interface Advice {
  /** How requests usually come to have this error. */
  readonly cause: string;
  /** What to do about it. */
  readonly cure: string;
}

/** An error code of the API, explained. */
export interface ExplainedError extends Advice {
  readonly code: ErrorCode;
  /** The HTTP status code. */
  readonly status: number;
  /** When it happens, in one sentence. */
  readonly meaning: string;
}

const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  invalid_json: {
    cause:
      'The body is empty or cut off, has a trailing comma or single quotes, has the same member twice, is nested too deeply, or is not UTF-8.',
    cure: 'Make the body with the JSON serializer of your language, in UTF-8, and send it whole. The same request fails again.',
  },
  invalid_body: {
    cause:
      'A required field is missing, has the wrong type, such as a number in quotes, or a value out of range.',
    cure: 'Correct the field that `message` names. The same request fails again.',
  },
  invalid_parameter: {
    cause:
      'A query parameter or header has a value that is not allowed, or a parameter is given twice. A malformed address or `Host` header gets this error, too, and so does an unknown simulation.',
    cure: 'Correct the parameter or header that `message` names. To page through a list, request the address of `Link` unchanged.',
  },
  unsupported_content_type: {
    cause:
      'The header `Content-Type` is missing or is not `application/json`. `curl -d` sends a form unless told otherwise.',
    cure: 'Send `Content-Type: application/json` with every body.',
  },
  missing_api_key: {
    cause:
      'The request has no header `Authorization`: the key was not configured, the variable that holds it is empty, or a redirect or proxy dropped the header.',
    cure: 'Send `Authorization: Bearer <API_KEY>`. Keys are made on the page Keys of the dashboard.',
  },
  invalid_api_key: {
    cause:
      'The key has a typo, has expired, was revoked or rotated, belongs to the other environment, or the header is not exactly `Bearer <API_KEY>`.',
    cure: 'Read `message`: it says which of these. Compare the last four characters with the list on the page Keys, and check that address and key belong to the same environment.',
  },
  pet_not_found: {
    cause:
      'No animal has this id in this environment; or the id is not a whole number. Production and staging have separate animals.',
    cure: 'Take ids from `GET /pets` of the same environment. Handle this error as “not there”; do not repeat the request.',
  },
  not_found: {
    cause:
      'The path is misspelled, has a trailing slash, or lacks a part of the base address, such as `/v1`.',
    cure: 'Compare the address with the base address and paths in the reference.',
  },
  method_not_allowed: {
    cause: 'The path exists, and does not serve this method.',
    cure: 'Use one of the methods in the header `Allow`.',
  },
  idempotency_conflict: {
    cause:
      'A request with the same `Idempotency-Key` has not been answered yet: a client repeated it too early, or two workers share a key.',
    cure: 'Wait for the seconds in `Retry-After`, and send the same request again: it gets the reply to the first one.',
  },
  operation_removed: {
    cause: 'The operation was deprecated, and its sunset date has passed.',
    cure: 'Move to the operation that `message` and the `Link` with `rel="successor-version"` name. Repeating the request does not help.',
  },
  body_too_large: {
    cause: 'The body is larger than any valid one: most likely a file or a whole list was sent.',
    cure: 'Send one object in each request, without data that the schema does not have.',
  },
  idempotency_mismatch: {
    cause:
      'An `Idempotency-Key` was used again with other content: it is a constant, or was derived from something that is not unique.',
    cure: 'Make a new key, such as a UUID, for each thing that is created, and repeat it only together with the same body.',
  },
  rate_limited: {
    cause:
      'The account used up its requests of this minute or of this UTC day. All its keys of an environment share them. Without a valid key, the client’s address has a limit of its own.',
    cure: 'Wait for the seconds in `Retry-After`, then go on; the first request after that is admitted. Slow down when `X-RateLimit-Remaining` gets low. Going on at once leads to a ban of the key.',
  },
  api_key_banned: {
    cause:
      'The key kept sending requests after a 429 instead of waiting. In staging, a ban can also be set in the sandbox or simulated.',
    cure: 'Stop, and wait for the seconds in `Retry-After`; requests during the ban do not extend it. Then make the client wait after a 429, or the next ban lasts twice as long.',
  },
  internal_error: {
    cause: 'The service has a fault. The request is not to blame.',
    cure: 'Try again later, a creation with the same `Idempotency-Key`. If it goes on, give the operators the `X-Request-Id` of the reply.',
  },
  unavailable: {
    cause:
      'The store cannot read or write at the moment: it is overloaded, out of space or restarting.',
    cure: 'Wait for the seconds in `Retry-After`, then try again, waiting longer each time; a creation with the same `Idempotency-Key`.',
  },
};

/** The error codes of the API in the order of the contract. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERRORS).filter(isErrorCode);

/** Every error that the API answers with, explained, in the order of the contract. */
export const ERROR_CATALOGUE: readonly ExplainedError[] = ERROR_CODES.map((code) => {
  const { status, meaning } = ERRORS[code];
  return { code, status, meaning, ...ADVICE[code] };
});

/** The explanation of a code; `undefined` for one that this version does not know. */
export function explainError(code: string): ExplainedError | undefined {
  return ERROR_CATALOGUE.find((entry) => entry.code === code);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
