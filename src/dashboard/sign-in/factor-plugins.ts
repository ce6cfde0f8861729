import { APIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { lazyImport } from '../../lib/lazy.ts';
import { digestsAlone } from './recovery-codes.ts';
import { TOTP } from './totp.ts';

// A module of its own, because loading it blocks the thread for 0.1 s.
const loadPasskeys = lazyImport(() => import('@better-auth/passkey'));

/** Number of consecutive wrong codes after which an account's codes are refused for some time. */
const MOST_FAILURES = 10;

/** Duration of the refusal, in seconds. */
export const LOCK_LASTS = 900;

/** How long after the password a code can be given, in seconds. */
const CHALLENGE_LASTS = 600;

/** The name of the cookie that better-auth's plugin sets with the options for a passkey. */
export const PASSKEY_COOKIE = 'passkey';

/** The name under which authenticator apps and browsers list an account. */
export function issuerOf(dashboard: string): string {
  return `Petstore (${new URL(dashboard).hostname})`;
}

/** Codes of authenticator apps and recovery codes, required after the password. */
export function twoFactorPlugin(dashboard: string) {
  return twoFactor({
    issuer: issuerOf(dashboard),
    twoFactorCookieMaxAge: CHALLENGE_LASTS,
    accountLockout: { maxFailedAttempts: MOST_FAILURES, durationSeconds: LOCK_LASTS },
    totpOptions: TOTP,
    backupCodeOptions: {
      // Digests instead of encryption: the codes never need to be read again.
      storeBackupCodes: {
        encrypt: async (codes) => digestsAlone(codes),
        decrypt: async (digests) => digests,
      },
    },
    schema: {
      user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
      twoFactor: {
        modelName: 'second_factors',
        fields: {
          userId: 'user_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_verification_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  });
}

/**
 * Passkeys. Each must verify its holder, for example with a PIN or a fingerprint. A passkey is
 * therefore two factors, and signs in without a password.
 */
export async function passkeyPlugin(dashboard: string) {
  const { passkey } = await loadPasskeys();
  const { origin, hostname } = new URL(dashboard);
  return passkey({
    rpID: hostname,
    rpName: issuerOf(dashboard),
    origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: ({ verification }) => {
        if (!verification.registrationInfo?.userVerified) throw unverified();
      },
    },
    authentication: {
      afterVerification: ({ verification }) => {
        if (!verification.authenticationInfo.userVerified) throw unverified();
      },
    },
    advanced: { webAuthnChallengeCookie: PASSKEY_COOKIE },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          publicKey: 'public_key',
          userId: 'user_id',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  });
}

function unverified() {
  return new APIError('BAD_REQUEST', { code: 'HOLDER_NOT_VERIFIED' });
}
