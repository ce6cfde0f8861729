import type { KeyRecord } from '../core/api-keys.ts';
import { messageFor, type Problem } from '../core/errors.ts';
import type { QuotaCaller } from '../core/limiter.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Api } from './api.ts';
import { publicReply } from './dispatch.ts';
import { BAD_HOST, BAD_TARGET, challengeReply, PLAIN_CHALLENGE } from './error-replies.ts';
import { problemReply, type Reply } from './reply.ts';
import type { ApiTarget } from './targets.ts';

/** Who sent a request: an account with a valid key, or an address and the reply to it. */
export type Caller = AuthenticatedCaller | UnauthenticatedCaller;

/** An account with a valid key. */
export interface AuthenticatedCaller {
  readonly quota: QuotaCaller;
  readonly key: KeyRecord;
  readonly isFree?: undefined;
}

/** A caller that reaches no operation. */
export interface UnauthenticatedCaller {
  readonly quota: QuotaCaller;
  readonly key?: undefined;
  /** What is answered unless the limits refuse the request. */
  readonly reply: Awaitable<Reply>;
  /** Whether the request takes nothing from the quota of the address, and is never refused by it. */
  readonly isFree: boolean;
}

// The scheme is case-insensitive (RFC 9110, 11.1). A header given twice arrives joined by a comma
// and a space, which this refuses.
const BEARER = /^Bearer +([!-~]+)$/i;
/**
 * Credentials of another scheme: its name, a space, and more, or the name alone. No name of a scheme has an
 * underscore, as API keys have.
 */
const OTHER_SCHEME_CREDENTIALS =
  /^(?!Bearer(?: |$))(?:[\w!#$%&'*+.^`|~-]+ +[!-~]|[a-z][\da-z-]*$)/i;

/**
 * Finds out who sent a request to the API. May raise `StorageUnavailable`.
 * @param address returns the client's address; called only when there is no valid key.
 */
export function identify(
  { api, path, match, problem }: ApiTarget,
  request: Request,
  address: () => string,
): Awaitable<Caller> {
  if (problem !== BAD_HOST && problem !== BAD_TARGET) {
    const reply = publicReply(api, request, path, match);
    if (reply !== undefined) return uncharged(api, address, reply);
  }
  if (problem) return unauthenticated(api, address, problemReply(problem));
  return authenticate(api, request.headers.get('authorization'), address);
}

/** A request that is answered without an operation, and takes nothing from a quota. */
export function uncharged(
  api: Api,
  address: () => string,
  reply: Awaitable<Reply>,
): UnauthenticatedCaller {
  return { quota: addressCaller(api, address), reply, isFree: true };
}

/** As `uncharged`, and taken from the quota of the client's address. */
function unauthenticated(api: Api, address: () => string, reply: Reply): UnauthenticatedCaller {
  return { quota: addressCaller(api, address), reply, isFree: false };
}

/** The token of an Authorization header (RFC 6750); `undefined` when it holds anything else. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

/** Finds the caller by the Authorization header (RFC 6750). */
function authenticate(
  api: Api,
  authorization: string | null,
  address: () => string,
): Awaitable<Caller> {
  if (authorization === null) return unauthenticated(api, address, challengeReply(MISSING));
  const token = bearerToken(authorization);
  if (token === undefined) return unauthenticated(api, address, malformedReply(authorization));
  const key = api.keyRing.authenticate(token, api.accepts, api.isSandbox);
  if (key instanceof Promise) return key.then((found) => callerOf(api, found, address));
  return callerOf(api, key, address);
}

function malformedReply(authorization: string): Reply {
  if (!OTHER_SCHEME_CREDENTIALS.test(authorization)) return challengeReply(MALFORMED);
  return challengeReply(OTHER_SCHEME, PLAIN_CHALLENGE);
}

/** The client's address as a caller. */
export function addressCaller(api: Api, address: () => string): QuotaCaller {
  return { id: `address:${address()}`, limits: api.anonymousLimits, key: undefined };
}

function callerOf(api: Api, key: KeyRecord | Problem, address: () => string): Caller {
  if ('code' in key) return unauthenticated(api, address, challengeReply(key));
  return { quota: api.quotaOf(key), key };
}

const MISSING: Problem = {
  code: 'missing_api_key',
  message: messageFor('missing_api_key'),
};

const MALFORMED: Problem = {
  code: 'invalid_api_key',
  message: 'The Authorization header must be exactly "Bearer <API_KEY>", given once.',
};

/** An object of its own: its challenge names no error. */
const OTHER_SCHEME: Problem = { ...MALFORMED };
