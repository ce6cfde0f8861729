import { type ApiErrorBody, type ErrorCode, messageFor } from '../../core/errors.ts';
import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import { MAX_SEGMENTS } from '../connection/serve-options.ts';
import { CROSS_ORIGIN } from './cross-origin.ts';
import { problemReply, type Reply } from './reply.ts';

const written = new WeakMap<ApiErrorBody, Reply>();

/**
 * The reply to a request without a valid key, with the challenge of a 401. Made once for each problem, so
 * that refusing a request costs no more than serving it.
 */
export function challengeReply(problem: ApiErrorBody): Reply {
  const known = written.get(problem);
  if (known) return known;
  const challenge = CHALLENGES[problem.code];
  const reply = problemReply(problem, challenge ? { 'WWW-Authenticate': challenge } : undefined);
  written.set(problem, reply);
  return reply;
}

/** The challenge of RFC 6750, 3.1, to a request without a bearer token: it names no error. */
export const PLAIN_CHALLENGE = 'Bearer realm="petstore"';

const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  missing_api_key: PLAIN_CHALLENGE,
  invalid_api_key: 'Bearer realm="petstore", error="invalid_token"',
};

/**
 * The reply to a caller that has exceeded its limits, or whose key is banned.
 * @param caller with the key of the request, if it was valid: some quotas, such as the sandbox's, have no key.
 */
export function limitReply(
  { key }: { readonly key?: KeyRecord | undefined },
  { outcome, day }: RateLimitResult,
): Reply {
  if (outcome === 'banned') return BANNED;
  if (!key) return LIMITED_ADDRESS;
  return day.remaining === 0 ? LIMITED_DAY : LIMITED_MINUTE;
}

const BANNED = problemReply({ code: 'api_key_banned', message: messageFor('api_key_banned') });

const LIMITED_ADDRESS = limited(
  'Too many requests without a valid API key. Send a valid one, or wait for the seconds in Retry-After.',
);
const LIMITED_MINUTE = limited(messageFor('rate_limited'));
const LIMITED_DAY = limited(
  'Too many requests on this day (UTC). Wait for the seconds in Retry-After, then go on.',
);

function limited(message: string): Reply {
  return problemReply({ code: 'rate_limited', message });
}

export const BAD_HOST: ApiErrorBody = {
  code: 'invalid_parameter',
  message: 'The Host header is missing or malformed. Send it once, as host:port.',
};

export const BAD_TARGET: ApiErrorBody = {
  code: 'invalid_parameter',
  message:
    'The request target is malformed: it has a backslash, which is written as %5C, a bad percent-encoding, ' +
    `several empty segments, or more than ${MAX_SEGMENTS} segments.`,
};

export const INTERNAL_ERROR: ApiErrorBody = {
  code: 'internal_error',
  message: messageFor('internal_error'),
};

/** A response outside of every API, without its limits; pages of any origin may read it. */
export function bareResponse(problem: ApiErrorBody): Response {
  const { status, body } = problemReply(problem);
  const headers = { 'Content-Type': 'application/json', ...CROSS_ORIGIN };
  return new Response(body, { status, headers });
}
