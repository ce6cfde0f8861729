/** Carries the client's address, as the service determined it, to better-auth. */
export const ADDRESS_HEADER = 'x-client-address';

const MAX_USER_AGENT_LENGTH = 300;

/**
 * The only headers of a request that are passed to better-auth.
 * @param address of the client; required if the request may begin a session.
 */
export function clientHeaders(sent: Headers, address = ''): Headers {
  return new Headers({
    [ADDRESS_HEADER]: address,
    cookie: sent.get('cookie') ?? '',
    'user-agent': (sent.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_LENGTH),
  });
}
