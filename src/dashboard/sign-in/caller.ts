/** Carries the client's address, as the service knows it, to better-auth. */
export const ADDRESS_HEADER = 'x-client-address';

/** Characters of a browser's name that are kept. */
const LONGEST_USER_AGENT = 300;

/**
 * The headers that better-auth gets to see: a client's others have no say there.
 * @param address of the client; needed where a session may begin.
 */
export function callerHeaders(sent: Headers, address = ''): Headers {
  return new Headers({
    [ADDRESS_HEADER]: address,
    cookie: sent.get('cookie') ?? '',
    'user-agent': (sent.get('user-agent') ?? '').slice(0, LONGEST_USER_AGENT),
  });
}
