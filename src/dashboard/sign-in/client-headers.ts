/** Carries the client's address, as the service determined it, to better-auth. */
export const ADDRESS_HEADER = 'x-client-address';

const MAX_USER_AGENT_LENGTH = 300;

/**
 * The headers that better-auth sees. No other header of the request influences it.
 * @param address of the client; needed where a session may begin.
 */
export function clientHeaders(sent: Headers, address = ''): Headers {
  return new Headers({
    [ADDRESS_HEADER]: address,
    cookie: sent.get('cookie') ?? '',
    'user-agent': (sent.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_LENGTH),
  });
}
