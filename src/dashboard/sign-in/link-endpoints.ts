import { randomBytes } from 'node:crypto';
import { createAuthEndpoint } from 'better-auth/api';

/**
 * Tokens of links, which better-auth stores as digests. No router serves these endpoints. The kind of a link
 * is `reset-password`, with the id of an account as its value, or `sign-up`, with an e-mail address.
 */
export function linkEndpoints(expiry: () => Date) {
  const serverOnly = { SERVER_ONLY: true } as const;
  return {
    createLinkToken: createAuthEndpoint(
      '/link-tokens/:kind/:value',
      { method: 'POST', metadata: serverOnly },
      async ({ context: { internalAdapter }, params: { kind, value } }) => {
        const token = newToken();
        const identifier = identifierOf(kind, token);
        await internalAdapter.createVerificationValue({ identifier, value, expiresAt: expiry() });
        return token;
      },
    ),
    /** The value of a link; `undefined` for an unknown token. The link may have expired. */
    findLinkValue: createAuthEndpoint(
      '/link-tokens/:kind/:token',
      { method: 'GET', metadata: serverOnly },
      async ({ context: { internalAdapter }, params: { kind, token } }) => {
        const found = await internalAdapter.findVerificationValue(identifierOf(kind, token));
        return found?.value;
      },
    ),
    /** The value of a link, once; `undefined` when it has expired or was used. */
    consumeLink: createAuthEndpoint(
      '/link-tokens/:kind/:token',
      { method: 'DELETE', metadata: serverOnly },
      async ({ context: { internalAdapter }, params: { kind, token } }) => {
        const used = await internalAdapter.consumeVerificationValue(identifierOf(kind, token));
        return used?.value;
      },
    ),
  };
}

/** 128 bits, as 32 hexadecimal digits. Links have it in their fragment, which reaches no log. */
function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** better-auth's /reset-password looks its tokens up by this form. */
function identifierOf(kind: string, token: string): string {
  return `${kind}:${token}`;
}
