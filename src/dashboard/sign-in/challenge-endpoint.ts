import { createAuthEndpoint } from 'better-auth/api';

/** The name of the cookie that better-auth's plugin sets after the password. */
export const CHALLENGE_COOKIE = 'two_factor';

/**
 * The account whose password was given and whose second factor is pending. An endpoint, because only
 * endpoints can read signed cookies; it is not served over HTTP.
 */
export const findChallengedAccount = createAuthEndpoint(
  '/two-factor-challenge',
  { method: 'GET', metadata: { SERVER_ONLY: true } },
  async (context) => {
    const { createAuthCookie, secret, internalAdapter } = context.context;
    const cookie = createAuthCookie(CHALLENGE_COOKIE);
    const identifier = await context.getSignedCookie(cookie.name, secret);
    const found = identifier && (await internalAdapter.findVerificationValue(identifier));
    return found ? found.value : undefined;
  },
);
