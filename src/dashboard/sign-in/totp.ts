import { createOTP } from '@better-auth/utils/otp';
import type { AuthContext } from 'better-auth';
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import { SECOND } from '../../lib/clock.ts';

/** Digits of a code, and how long it is shown, in seconds (RFC 6238). */
export const TOTP = { digits: 6, period: 30 } as const;

/**
 * Length of an app's secret, in characters of an alphabet of 64: 144 bits (RFC 4226, section 4,
 * asks for 128).
 */
const SECRET_LENGTH = 24;

/** Better-auth's keys for encryption. */
type Key = Pick<AuthContext, 'secretConfig'>;

/** A new secret for an authenticator app, in plain text and encrypted for storage. */
export async function newTotpSecret(key: Key) {
  const secret = generateRandomString(SECRET_LENGTH);
  return { secret, encrypted: await encryptTotpSecret(key, secret) };
}

/** Encrypts with the current secret. */
export function encryptTotpSecret({ secretConfig: key }: Key, secret: string): Promise<string> {
  return symmetricEncrypt({ key, data: secret });
}

/** Decrypts with the current secret or a previous one. @throws Error when it is of an unknown secret. */
export function decryptTotpSecret({ secretConfig: key }: Key, encrypted: string): Promise<string> {
  return symmetricDecrypt({ key, data: encrypted });
}

/**
 * The time step that this code belongs to: the current one, or the one before, for codes that were
 * entered late (RFC 6238, 5.2); `undefined` if neither matches.
 * @param now the time in epoch ms.
 */
export async function matchingStep(
  secret: string,
  code: string,
  now: number,
): Promise<number | undefined> {
  const otp = createOTP(secret, TOTP);
  const present = Math.floor(now / (TOTP.period * SECOND));
  const given = Buffer.from(code);
  for (const step of [present, present - 1]) {
    const expected = Buffer.from(await otp.hotp(step));
    if (given.length === expected.length && crypto.timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

/** The code that better-auth accepts now; it checks codes by the machine's clock. */
export function codeForBetterAuth(secret: string): Promise<string> {
  return createOTP(secret, TOTP).totp();
}

/** The URI for the QR code of an authenticator app, and the key for typing it instead. */
export function describeTotp(secret: string, issuer: string, email: string) {
  const uri = createOTP(secret, TOTP).url(issuer, email);
  return { uri, key: new URL(uri).searchParams.get('secret') ?? '' };
}
