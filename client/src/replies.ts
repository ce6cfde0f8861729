import { ApiError, type ErrorCode, InvalidReplyError } from './errors.ts';
import type { Reply } from './exchange.ts';
import { isInt64 } from './int64.ts';
import { parseJson } from './json.ts';
import { readRateLimit } from './rate-limit.ts';
import { readRetryAfter } from './retry-after.ts';
import type { Message, Order, OrderStatus, Pet, PetStatus } from './types.ts';

/**
 * Reads the body of a successful reply.
 *
 * @throws {InvalidReplyError} when it is not JSON, or `isExpected` does not accept it.
 */
export function readBody<Body>(
  reply: Reply,
  isExpected: (value: unknown) => value is Body,
  expected: string,
): Body {
  const { headers } = reply;
  let value: unknown;
  try {
    value = parseJson(reply.body);
  } catch (cause) {
    const reason = cause instanceof RangeError ? cause.message : 'it is not JSON';
    throw new InvalidReplyError(`Cannot read the reply: ${reason}`, { cause, headers });
  }
  if (isExpected(value)) return value;
  throw new InvalidReplyError(`The reply (HTTP ${reply.status}) is not ${expected}`, { headers });
}

/**
 * Checks a reply that has no body.
 *
 * @throws {InvalidReplyError} when a success has one, and so does not come from the service.
 */
export function requireNoContent({ status, ok, headers }: Reply): void {
  if (status === 204 || !ok) return;
  throw new InvalidReplyError(`The reply (HTTP ${status}) is not one without content`, { headers });
}

/**
 * Makes the error for a failed reply, whether or not the service wrote its body.
 *
 * @param isRetry whether it answers a repeated request.
 */
export function readApiError(reply: Reply, nowMs: number, isRetry: boolean): ApiError {
  const { status, headers } = reply;
  return new ApiError({
    ...readErrorBody(reply),
    status,
    headers,
    rateLimit: readRateLimit(headers, nowMs),
    retryAfterMs: readRetryAfter(headers.get('Retry-After'), nowMs),
    isRetry,
  });
}

/** Whether `value` is an animal. */
export function isPet(value: unknown): value is Pet {
  return (
    isObject<keyof Pet>(value) &&
    isInt64(value.id) &&
    typeof value.name === 'string' &&
    isInt64(value.categoryId) &&
    isPetStatus(value.status)
  );
}

/** Whether `value` is a list of animals. */
export function isPetList(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}

/** Whether `value` is the status of an animal. */
export function isPetStatus(value: unknown): value is PetStatus {
  return value === 'available' || value === 'pending' || value === 'sold';
}

/** Whether `value` is an order. */
export function isOrder(value: unknown): value is Order {
  return (
    isObject<keyof Order>(value) &&
    isInt64(value.id) &&
    isInt64(value.petId) &&
    isOrderStatus(value.status) &&
    typeof value.createdAt === 'string' &&
    typeof value.updatedAt === 'string'
  );
}

/** Whether `value` is a list of orders. */
export function isOrderList(value: unknown): value is Order[] {
  return Array.isArray(value) && value.every(isOrder);
}

/** Whether `value` is the status of an order. */
export function isOrderStatus(value: unknown): value is OrderStatus {
  return (
    value === 'placed' || value === 'approved' || value === 'delivered' || value === 'cancelled'
  );
}

/** Whether `value` is an accepted message. */
export function isMessage(value: unknown): value is Message {
  return (
    isObject<keyof Message>(value) &&
    typeof value.id === 'string' &&
    typeof value.message === 'string' &&
    typeof value.status === 'string' &&
    typeof value.createdAt === 'string'
  );
}

function isObject<Field extends string>(
  value: unknown,
): value is { readonly [Name in Field]?: unknown } {
  return typeof value === 'object' && value !== null;
}

interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
}

function isErrorBody(value: unknown): value is ErrorBody {
  return (
    isObject<keyof ErrorBody>(value) &&
    typeof value.code === 'string' &&
    typeof value.message === 'string'
  );
}

function readErrorBody(reply: Reply): ErrorBody {
  try {
    const { code, message } = readBody(reply, isErrorBody, 'an error of the service');
    return { code, message };
  } catch {
    const message = `HTTP ${reply.status}, without an error body of the service`;
    return { code: codeOfStatus(reply.status), message };
  }
}

/** The code for a reply that the service itself did not write, such as a proxy's error page. */
function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 401:
      return 'invalid_api_key';
    case 404:
      return 'not_found';
    case 405:
      return 'method_not_allowed';
    case 412:
      return 'precondition_failed';
    case 413:
      return 'body_too_large';
    case 429:
      return 'rate_limited';
    case 500:
      return 'internal_error';
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    default:
      return `http_${status}`;
  }
}
