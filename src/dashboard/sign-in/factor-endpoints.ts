import { createAuthEndpoint } from 'better-auth/api';
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';

/** Characters of an app's secret, from an alphabet of 64: 144 bits (RFC 4226, section 4, asks for 128). */
const SECRET_LENGTH = 24;

/** What the routes of second factors need of better-auth's context. No router serves these endpoints. */
export function factorEndpoints() {
  const serverOnly = { SERVER_ONLY: true } as const;
  return {
    /** A new secret of an authenticator app, as it is and encrypted for the store. */
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
    /** The account whose password was given, and which is yet to give its second factor. */
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

/** The name that better-auth's plugin gives the cookie that follows the password. */
export const CHALLENGE_COOKIE = 'two_factor';
