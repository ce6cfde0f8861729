import { PASSWORD_LENGTHS } from './bounds.ts';

/**
 * A password as it is hashed: in the form NFKC, so that it is the same text from every keyboard and
 * device (NIST SP 800-63B, 3.1.1.2).
 */
export function normalizePassword(sent: string): string {
  return sent.normalize('NFKC');
}

/**
 * Whether a new password has an accepted length, in code points. A few characters stand for many
 * after normalisation, so the text as it was typed must not be too short either.
 */
export function hasPasswordLength(sent: string): boolean {
  const { least, most } = PASSWORD_LENGTHS;
  const length = [...normalizePassword(sent)].length;
  return Math.min(length, [...sent].length) >= least && length <= most;
}
