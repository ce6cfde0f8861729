import { randomBytes } from 'node:crypto';

/** Number of codes in a new set. */
const COUNT = 10;

/** Letters and digits that are not easily mistaken for each other; 32 of them, five bits each. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** 120 bits: enough for a digest without salt (ASVS 5.0, 6.5.2). */
const LENGTH = 24;

const GROUPS = /.{4}(?=.)/g;

/** New recovery codes, formatted for display. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]);
    return letters.join('').replace(GROUPS, '$&-');
  });
}

/** The stored digest of a recovery code. Case and grouping are ignored. */
export function digestOfCode(code: string): string {
  const letters = code.toLowerCase().replaceAll(/[\s-]/g, '');
  return new Bun.CryptoHasher('sha256').update(letters).digest('hex');
}

/**
 * Checks the value that better-auth stores after a code was used: the digests of the remaining
 * codes.
 * @param json a list, as JSON.
 * @throws Error if it contains anything other than digests.
 */
export function digestsAlone(json: string): string {
  const codes: unknown = JSON.parse(json);
  if (Array.isArray(codes) && codes.every((code) => /^[0-9a-f]{64}$/.test(code))) return json;
  throw new Error('Recovery codes are stored as digests alone.');
}
