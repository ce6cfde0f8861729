import { randomBytes } from 'node:crypto';
import { createAuthEndpoint } from 'better-auth/api';

/**
 * Tokens of links, which better-auth stores as digests. These endpoints are not served over HTTP.
 * The kind of a link is `reset-password`, with the id of an account as its value, or `sign-up`,
 * with an e-mail address.
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
    /**
     * The value of a link, which is used up; `undefined` if the link has expired or was already
     * used.
     */
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

/**
 * 128 bits, as 32 hexadecimal digits. Links contain it in their fragment, which appears in no log.
 */
function newToken(): string {
  return randomBytes(16).toString('hex');
}

/** The format that better-auth's /reset-password uses. */
function identifierOf(kind: string, token: string): string {
  return `${kind}:${token}`;
}
