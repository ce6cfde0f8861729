import { createAuthEndpoint } from 'better-auth/api';
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';

/**
 * Length of an app's secret, in characters of an alphabet of 64: 144 bits (RFC 4226, section 4,
 * asks for 128).
 */
const SECRET_LENGTH = 24;

/**
 * Endpoints that give the routes of second factors access to better-auth's context. They are not
 * served over HTTP.
 */
export function factorEndpoints() {
  const serverOnly = { SERVER_ONLY: true } as const;
  return {
    /** A new secret for an authenticator app, in plain text and encrypted for storage. */
    createTotpSecret: createAuthEndpoint(
      '/totp-secrets',
      { method: 'POST', metadata: serverOnly },
      async ({ context }) => {
        const secret = generateRandomString(SECRET_LENGTH);
        const encrypted = await symmetricEncrypt({ key: context.secretConfig, data: secret });
        return { secret, encrypted };
      },
    ),
    decryptTotpSecret: createAuthEndpoint(
      '/totp-secrets/:encrypted',
      { method: 'GET', metadata: serverOnly },
      ({ context, params }) =>
        symmetricDecrypt({ key: context.secretConfig, data: params.encrypted }),
    ),
    /** The account whose password was given and whose second factor is pending. */
    findChallengedAccount: createAuthEndpoint(
      '/two-factor-challenge',
      { method: 'GET', metadata: serverOnly },
      async (context) => {
        const { createAuthCookie, secret, internalAdapter } = context.context;
        const cookie = createAuthCookie(CHALLENGE_COOKIE);
        const identifier = await context.getSignedCookie(cookie.name, secret);
        const found = identifier && (await internalAdapter.findVerificationValue(identifier));
        return found ? found.value : undefined;
      },
    ),
  };
}

/** The name of the cookie that better-auth's plugin sets after the password. */
export const CHALLENGE_COOKIE = 'two_factor';
