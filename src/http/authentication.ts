import type { AuthenticatedKey } from '../core/api-keys.ts';
import type { Problem } from '../core/errors.ts';
import type { QuotaCaller } from '../core/limiter.ts';
import { type Awaitable, then } from '../lib/awaitable.ts';
import type { Api } from './api.ts';

/** Who sends a request: an account with a valid key, or an address and why it has no account. */
export type Caller =
  | { readonly quota: QuotaCaller; readonly key: AuthenticatedKey }
  | { readonly quota: QuotaCaller; readonly problem: Problem };

// The scheme is case-insensitive (RFC 9110, 11.1). A header given twice arrives joined by a comma
// and a space, which this refuses.
const BEARER = /^Bearer ([!-~]+)$/i;

/**
 * Tells who the caller is from the Authorization header (RFC 6750).
 * @param address the client's address; asked for only when there is no valid key.
 */
export function identifyCaller(
  site: Api,
  authorization: string | null,
  address: () => string,
): Awaitable<Caller> {
  const refuse = (problem: Problem) => ({ quota: anonymous(site, address()), problem });
  if (authorization === null) return refuse(MISSING);
  const text = BEARER.exec(authorization)?.[1];
  if (text === undefined) return refuse(MALFORMED);
  return then(site.keyRing.authenticate(text, site.accepts), (identity) =>
    'code' in identity ? refuse(identity) : known(identity),
  );
}

/** A request that no account answers for. */
export function anonymous(site: Api, address: string): QuotaCaller {
  return { id: `address:${address}`, limits: site.anonymousLimits, key: undefined };
}

function known(key: AuthenticatedKey): Caller {
  return { quota: { id: key.caller, limits: key.limits, key }, key };
}

const MISSING: Problem = {
  code: 'missing_api_key',
  message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
};

const MALFORMED: Problem = {
  code: 'invalid_api_key',
  message: 'The Authorization header must be exactly "Bearer <API_KEY>", given once.',
};
