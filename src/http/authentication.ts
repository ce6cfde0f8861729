import { type ApiErrorBody, messageFor } from '../core/errors.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import type { QuotaCaller } from '../core/limits/limiter.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Api } from './api.ts';
import { challengeReply, PLAIN_CHALLENGE } from './reply/error-replies.ts';
import { problemReply, type Reply } from './reply/reply.ts';
import type { ApiTarget } from './target/targets.ts';

/** The sender of a request: an account with a valid key, or a client address, which may use no operation. */
export type Caller = AuthenticatedCaller | UnauthenticatedCaller;

export interface AuthenticatedCaller {
  readonly quota: QuotaCaller;
  readonly key: KeyRecord;
}

interface UnauthenticatedCaller {
  readonly quota: QuotaCaller;
  readonly key?: undefined;
  /** The reply, unless the limits of the address refuse the request. */
  readonly reply: Reply;
}

// The scheme is case-insensitive (RFC 9110, 11.1). A header given twice arrives joined by a comma
// and a space, which this refuses.
const BEARER = /^Bearer +([!-~]+)$/i;
/**
 * Credentials of another scheme: the name of the scheme, alone or followed by a space and more text. API keys
 * contain an underscore; names of schemes do not.
 */
const OTHER_SCHEME_CREDENTIALS =
  /^(?!Bearer(?: |$))(?:[\w!#$%&'*+.^`|~-]+ +[!-~]|[a-z][\da-z-]*$)/i;

/**
 * Identifies the sender of a request to the API by its Authorization header (RFC 6750). May throw
 * `StorageUnavailable`.
 * @param address returns the client's address; called only when there is no valid key.
 */
export function authenticate(
  { api, problem }: ApiTarget,
  request: Request,
  address: () => string,
): Awaitable<Caller> {
  if (problem) return unauthenticated(api, address, problemReply(problem));
  const authorization = request.headers.get('authorization');
  if (authorization === null) return unauthenticated(api, address, challengeReply(MISSING));
  const token = bearerToken(authorization);
  if (token === undefined) return unauthenticated(api, address, malformedReply(authorization));
  const key = api.apiKeyService.authenticate(token, api.accepts, api.isRealTime);
  if (!(key instanceof Promise)) return callerOf(api, key, address);
  address();
  return key.then((found) => callerOf(api, found, address));
}

function callerOf(api: Api, key: KeyRecord | ApiErrorBody, address: () => string): Caller {
  if ('code' in key) return unauthenticated(api, address, challengeReply(key));
  return { quota: api.quotaOf(key), key };
}

/** A caller that is identified by its address alone. */
export function unauthenticated(
  api: Api,
  address: () => string,
  reply: Reply,
): UnauthenticatedCaller {
  return { quota: addressCaller(api, address), reply };
}

/** The client's address as a caller. */
export function addressCaller(api: Api, address: () => string): QuotaCaller {
  return { id: `address:${address()}`, limits: api.anonymousLimits, key: undefined };
}

/** The token of an Authorization header (RFC 6750); `undefined` when it holds anything else. */
export function bearerToken(authorization: string): string | undefined {
  return BEARER.exec(authorization)?.[1];
}

function malformedReply(authorization: string): Reply {
  if (!OTHER_SCHEME_CREDENTIALS.test(authorization)) return challengeReply(MALFORMED);
  return OTHER_SCHEME;
}

const MISSING: ApiErrorBody = {
  code: 'missing_api_key',
  message: messageFor('missing_api_key'),
};

const MALFORMED: ApiErrorBody = {
  code: 'invalid_api_key',
  message: 'The Authorization header must be exactly "Bearer <API_KEY>", given once.',
};

const OTHER_SCHEME = problemReply(MALFORMED, { 'WWW-Authenticate': PLAIN_CHALLENGE });
