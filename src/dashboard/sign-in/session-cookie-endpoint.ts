import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { generateRandomString } from 'better-auth/crypto';

/** Length of a session's token, in characters of an alphabet of 62, as better-auth makes them. */
const TOKEN_LENGTH = 32;

/** A new token for a session that gains rights. */
export function newSessionToken(): string {
  return generateRandomString(TOKEN_LENGTH);
}

/**
 * Sets the cookie of the session with this token. An endpoint, because only endpoints can sign cookies; it is not
 * served over HTTP. Sets no cookie if the session has ended meanwhile.
 */
export const replaceSessionCookie = createAuthEndpoint(
  '/petstore-session-cookie',
  { method: 'GET', metadata: { SERVER_ONLY: true } },
  async (context) => {
    const session = await context.context.internalAdapter.findSession(
      String(context.query?.['token']),
    );
    if (session) await setSessionCookie(context, session);
  },
);
