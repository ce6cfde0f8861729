import type { AuthContext } from 'better-auth';
import { normalizePassword } from '../shared/new-password.ts';

/** A row of better-auth's accounts, with the hash of the password. */
interface Credential {
  readonly id: string;
  readonly hash: string;
}

/**
 * Replaces a hash of a password as it was sent by one of the normalised password.
 * @param sent a password that was verified.
 */
export async function renewHash(
  { adapter, password: passwords }: AuthContext,
  { id, hash }: Credential,
  sent: string,
): Promise<void> {
  const password = normalizePassword(sent);
  if (password === sent || (await passwords.verify({ hash, password }))) return;
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
