import { randomBytes } from 'node:crypto';
import { createAuthEndpoint } from 'better-auth/api';

/** Tokens of links, which better-auth stores as digests. No router serves these endpoints. */
export function linkEndpoints(expiry: () => Date) {
  const serverOnly = { SERVER_ONLY: true } as const;
  return {
    createResetToken: createAuthEndpoint(
      '/reset-tokens/:accountId',
      { method: 'POST', metadata: serverOnly },
      async ({ context: { internalAdapter }, params }) => {
        const token = newToken();
        const identifier = resetIdentifier(token);
        const link = { identifier, value: params.accountId, expiresAt: expiry() };
        await internalAdapter.createVerificationValue(link);
        return token;
      },
    ),
    findResetTokenHolder: createAuthEndpoint(
      '/reset-tokens/:token/holder',
      { method: 'GET', metadata: serverOnly },
      async ({ context: { internalAdapter }, params }) => {
        const found = await internalAdapter.findVerificationValue(resetIdentifier(params.token));
        return found && internalAdapter.findUserById(found.value);
      },
    ),
    createSignUpToken: createAuthEndpoint(
      '/sign-up-tokens/:email',
      { method: 'POST', metadata: serverOnly },
      async ({ context: { internalAdapter }, params }) => {
        const token = newToken();
        const identifier = signUpIdentifier(token);
        const link = { identifier, value: params.email, expiresAt: expiry() };
        await internalAdapter.createVerificationValue(link);
        return token;
      },
    ),
    /** The address that a link confirms; `undefined` for an unknown token. The link may have expired. */
    findSignUpAddress: createAuthEndpoint(
      '/sign-up-tokens/:token',
      { method: 'GET', metadata: serverOnly },
      async ({ context: { internalAdapter }, params }) => {
        const found = await internalAdapter.findVerificationValue(signUpIdentifier(params.token));
        return found?.value;
      },
    ),
    /** The address that a link confirms, once; `undefined` when it has expired or was used. */
    consumeSignUpToken: createAuthEndpoint(
      '/sign-up-tokens/:token',
      { method: 'DELETE', metadata: serverOnly },
      async ({ context: { internalAdapter }, params }) => {
        const used = await internalAdapter.consumeVerificationValue(signUpIdentifier(params.token));
        return used?.value;
      },
    ),
  };
}

/** 128 bits, in digits and letters alone, so that logs hide it where it is part of a path. */
function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** Where better-auth's /reset-password looks a token up. */
function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

function signUpIdentifier(token: string): string {
  return `sign-up:${token}`;
}
