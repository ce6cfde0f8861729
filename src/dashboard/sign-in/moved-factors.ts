import type { SignInParts } from './context.ts';
import { decryptTotpSecret, encryptTotpSecret } from './totp.ts';

/** The number of secrets that are encrypted anew in one transaction. */
const MOVED_AT_ONCE = 100;

/**
 * Encrypts the secrets of confirmed authenticator apps with the current secret, unless the store has had a later one.
 * Those of an unknown secret stay as they are. May raise `StorageUnavailable`; the next call moves the rest then.
 */
export async function moveSecondFactors({
  authContext,
  options: { stores },
}: Pick<SignInParts, 'authContext' | 'options'>): Promise<void> {
  const { secondFactors, secrets } = stores;
  const known = new Set(secrets.previous.map(({ version }) => version));
  let after = '';
  for (;;) {
    const { version } = secrets.current;
    const apps = await secondFactors.appsOfOtherSecrets(version, after, MOVED_AT_ONCE);
    const last = apps.at(-1);
    if (!last || !(await secrets.isLatest())) return;
    const moved = apps
      .filter((app) => known.has(app.version))
      .map(async ({ accountId, encrypted: from }) => {
        const secret = await decryptTotpSecret(authContext, from);
        return { accountId, from, to: await encryptTotpSecret(authContext, secret) };
      });
    await secondFactors.moveApps(await Promise.all(moved));
    after = last.accountId;
  }
}
