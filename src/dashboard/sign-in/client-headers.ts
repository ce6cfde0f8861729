/** Carries the client's address, as the service determined it, to better-auth. */
export const ADDRESS_HEADER = 'x-client-address';

const MAX_USER_AGENT_LENGTH = 300;

/** Browsers store fewer cookies for one host. Further ones are ignored. */
const MOST_COOKIES = 200;

/** Maximum number of the service's own cookies that are passed on; it sets fewer. */
const MOST_OWN_COOKIES = 10;

const OWN_COOKIE = /^\s*(?:__Host-)?petstore[\w.-]*=/;

/**
 * The only headers of a request that are passed to better-auth.
 * @param signatures replaces signatures of previous secrets.
 * @param address of the client; required if the request may begin a session.
 */
export function clientHeaders(
  sent: Headers,
  signatures: { translate(cookies: string): string },
  address = '',
): Headers {
  return new Headers({
    [ADDRESS_HEADER]: address,
    cookie: signatures.translate(ownCookies(sent.get('cookie') ?? '')),
    'user-agent': (sent.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_LENGTH),
  });
}

/**
 * The service's own cookies of a `Cookie` header: better-auth reads the header several times, and
 * takes long to parse cookies of other applications.
 */
function ownCookies(header: string): string {
  const own = header.split(';', MOST_COOKIES).filter((cookie) => OWN_COOKIE.test(cookie));
  return own.slice(0, MOST_OWN_COOKIES).join(';');
}
