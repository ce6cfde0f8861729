import type { Environment } from '../environments.ts';

const PREFIXES = { production: 'pst_live_', staging: 'pst_staging_' } as const satisfies Record<
  Environment,
  string
>;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Length of the longest possible key, in characters. */
export const API_KEY_MAX_LENGTH = PREFIXES.staging.length + RANDOM_LENGTH + CHECKSUM_LENGTH;

const SHAPE = new RegExp(
  `^(pst_live_|pst_staging_)([0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}})$`,
);

/**
 * Makes the text of a new API key: the environment's prefix, 30 random base62 characters (about
 * 178 bits from the system's CSPRNG) and the CRC-32 of all preceding characters as 6 base62 characters.
 */
export function generateApiKey(environment: Environment): string {
  const unsigned = PREFIXES[environment] + randomBase62(RANDOM_LENGTH);
  return unsigned + checksum(unsigned);
}

/**
 * The environment of a key, or `undefined` when the text cannot be a key: its format and checksum reject
 * typos and guesses without a look-up.
 */
export function environmentOfKey(text: string): Environment | undefined {
  const unsigned = text.slice(0, -CHECKSUM_LENGTH);
  const environment = environmentOfShape(text);
  return environment && checksum(unsigned) === text.slice(-CHECKSUM_LENGTH)
    ? environment
    : undefined;
}

/** The environment of a text in the format of a key; does not check the checksum. */
export function environmentOfShape(text: string): Environment | undefined {
  const [, prefix] = SHAPE.exec(text) ?? [];
  if (prefix === undefined) return undefined;
  return prefix === PREFIXES.production ? 'production' : 'staging';
}

/** The parts of a key that may be shown after its creation: its prefix and its last four characters. */
export function abbreviateApiKey(text: string): { prefix: string; lastFour: string } {
  const prefix = text.slice(0, -(RANDOM_LENGTH + CHECKSUM_LENGTH));
  return { prefix, lastFour: text.slice(-4) };
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: accepting more would bias the modulus.
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
