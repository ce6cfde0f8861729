import { createOTP } from '@better-auth/utils/otp';
import { SECOND, systemClock } from '../../lib/clock.ts';

/** Digits of a code, and how long it is shown, in seconds (RFC 6238). */
export const TOTP = { digits: 6, period: 30 } as const;

/**
 * The time step that this code belongs to: the current one, the one before or the one after;
 * `undefined` if none matches. Uses the machine's clock, as better-auth does.
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

/** The URI for the QR code of an authenticator app, and the key for typing it instead. */
export function describeTotp(secret: string, issuer: string, email: string) {
  const uri = createOTP(secret, TOTP).url(issuer, email);
  return { uri, key: new URL(uri).searchParams.get('secret') ?? '' };
}
