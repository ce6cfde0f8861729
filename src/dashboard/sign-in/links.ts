import { randomBytes } from 'node:crypto';
import { SECOND } from '../../lib/clock.ts';
import { type Auth, LINK_LASTS } from './auth.ts';
import { linkTo } from './letters.ts';
import type { SignInOptions } from './options.ts';

const IDENTIFIER = 'reset-password:';

/** A link that sets a new password, as the one that better-auth has mailed. */
export async function createResetLink(
  auth: Auth,
  { addresses, stores }: SignInOptions,
  email: string,
): Promise<string | undefined> {
  const account = await stores.accounts.findByEmail(email);
  if (!account) return undefined;
  const token = randomBytes(24).toString('base64url');
  const { internalAdapter } = await auth.$context;
  await internalAdapter.createVerificationValue({
    identifier: IDENTIFIER + token,
    value: account.id,
    expiresAt: new Date(Date.now() + LINK_LASTS * SECOND),
  });
  return linkTo(addresses.dashboard, 'reset-password', token);
}

/** Whose password a link's token sets; `undefined` when it is over. */
export async function holderOfLink(auth: Auth, token: string): Promise<string | undefined> {
  const { internalAdapter } = await auth.$context;
  return (await internalAdapter.findVerificationValue(IDENTIFIER + token))?.value;
}

/** Ends all links that set this account's password. */
export async function endLinks(auth: Auth, accountId: string): Promise<void> {
  const { adapter } = await auth.$context;
  const where = [{ field: 'value', value: accountId }];
  await adapter.deleteMany({ model: 'verification', where });
}

/** Who opened a link has the mailbox, or the operator's word: the address is theirs. */
export async function confirmAddress(auth: Auth, accountId: string): Promise<void> {
  const { internalAdapter } = await auth.$context;
  await internalAdapter.updateUser(accountId, { emailVerified: true });
}
