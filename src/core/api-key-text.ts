import type { Environment } from './environments.ts';

const PREFIXES = { production: 'pst_live_', staging: 'pst_staging_' } as const satisfies Record<
  Environment,
  string
>;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Characters of the longest key; a longer text cannot be one. */
export const API_KEY_MAX_LENGTH = PREFIXES.staging.length + RANDOM_LENGTH + CHECKSUM_LENGTH;

const SHAPE = new RegExp(
  `^(pst_live_|pst_staging_)([0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}})$`,
);

/**
 * Makes the text of a new API key: the environment's prefix, 30 random base62 characters (about
 * 178 bits from the system's CSPRNG) and 6 base62 characters of CRC-32 over all that precedes.
 */
export function generateApiKey(environment: Environment): string {
  const unsigned = PREFIXES[environment] + randomBase62(RANDOM_LENGTH);
  return unsigned + checksum(unsigned);
}

/**
 * The environment that a key's text names, or `undefined` when the text cannot be a key: typos
 * and guesses are recognised by shape and checksum, without a look-up.
 */
export function environmentOfKey(text: string): Environment | undefined {
  const unsigned = text.slice(0, -CHECKSUM_LENGTH);
  const environment = environmentOfShape(text);
  return environment && checksum(unsigned) === text.slice(-CHECKSUM_LENGTH)
    ? environment
    : undefined;
}

/** The environment that a text of the shape of a key names, whatever its checksum is. */
export function environmentOfShape(text: string): Environment | undefined {
  const [, prefix] = SHAPE.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  return prefix === PREFIXES.production ? 'production' : 'staging';
}

/** What may be shown of a key after its creation: its prefix and its last four characters. */
export function abbreviateApiKey(text: string): { prefix: string; lastFour: string } {
  const prefix = text.slice(0, -(RANDOM_LENGTH + CHECKSUM_LENGTH));
  return { prefix, lastFour: text.slice(-4) };
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: beyond it the modulus would be biased.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

function checksum(text: string): string {
  let rest = Bun.hash.crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
