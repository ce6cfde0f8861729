import { normalizePassword } from '../shared/new-password.ts';
import type { SignInContext } from './context.ts';

/**
 * Replaces a hash of a password as it was sent by one of the normalised password.
 * @param sent a password that was verified.
 */
export async function renewHash(
  { authContext, options }: SignInContext,
  email: string,
  sent: string,
): Promise<void> {
  const password = normalizePassword(sent);
  if (password === sent) return;
  const account = await options.stores.accounts.findByEmail(email);
  const { internalAdapter, adapter, password: passwords } = authContext;
  const credential = account && (await internalAdapter.findCredentialAccount(account.id));
  if (!credential?.password) return;
  const { id, password: hash } = credential;
  if (await passwords.verify({ hash, password })) return;
  await adapter.updateMany({
    model: 'account',
    // Another request may have changed the password since it was verified.
    where: [
      { field: 'id', value: id },
      { field: 'password', value: hash },
    ],
    update: { password: await passwords.hash(password) },
  });
}
