import { randomBytes } from 'node:crypto';
import { SECOND } from '../../lib/clock.ts';
import { LINK_LASTS } from './account-plugin.ts';
import type { SignInParts } from './context.ts';

/** The value of a `reset-password` link is the id of an account; that of a `sign-up` link, an e-mail address. */
type Kind = 'reset-password' | 'sign-up';

type Parts = Pick<SignInParts, 'authContext' | 'options'>;

/**
 * Creates a link, of which better-auth stores a digest.
 * @returns its token: 128 bits, as 32 hexadecimal digits. Links contain it in their fragment, which appears in no log.
 */
export async function createLink(
  { authContext, options: { clock } }: Parts,
  kind: Kind,
  value: string,
): Promise<string> {
  const token = randomBytes(16).toString('hex');
  const expiresAt = new Date(clock.now().wall + LINK_LASTS * SECOND);
  const link = { identifier: identifierOf(kind, token), value, expiresAt };
  await authContext.internalAdapter.createVerificationValue(link);
  return token;
}

/** The value of a link; `undefined` for an unknown token. The link may have expired. */
export async function findLink(
  { authContext }: Parts,
  kind: Kind,
  token: string,
): Promise<string | undefined> {
  const identifier = identifierOf(kind, token);
  return (await authContext.internalAdapter.findVerificationValue(identifier))?.value;
}

/** The value of a link, which is used up; `undefined` if the link has expired or was already used. */
export async function consumeLink(
  { authContext }: Parts,
  kind: Kind,
  token: string,
): Promise<string | undefined> {
  const identifier = identifierOf(kind, token);
  return (await authContext.internalAdapter.consumeVerificationValue(identifier))?.value;
}

/** The format that better-auth's /reset-password uses. */
function identifierOf(kind: Kind, token: string): string {
  return `${kind}:${token}`;
}
