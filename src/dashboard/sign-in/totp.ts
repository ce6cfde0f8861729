import { createOTP } from '@better-auth/utils/otp';
import { SECOND, systemClock } from '../../lib/clock.ts';

/** Digits of a code, and how long it is shown, in seconds (RFC 6238). */
export const TOTP = { digits: 6, period: 30 } as const;

/**
 * The time step of which this is the code, at most one before or after the present one; `undefined`
 * when there is none. By the machine's clock, by which better-auth checks codes.
 */
export async function matchingStep(secret: string, code: string): Promise<number | undefined> {
  const otp = createOTP(secret, TOTP);
  const present = Math.floor(systemClock.now().wall / (TOTP.period * SECOND));
  const given = Buffer.from(code);
  for (const step of [present, present - 1, present + 1]) {
    const expected = Buffer.from(await otp.hotp(step));
    if (given.length === expected.length && crypto.timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

/** What an authenticator app reads from a QR code, and the key that people type instead. */
export function describeTotp(secret: string, issuer: string, email: string) {
  const uri = createOTP(secret, TOTP).url(issuer, email);
  return { uri, key: new URL(uri).searchParams.get('secret') ?? '' };
}
