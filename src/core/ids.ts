/** An identifier that sorts by creation time: a readable prefix, then a UUIDv7 (RFC 9562). */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${Bun.randomUUIDv7('hex', now).replaceAll('-', '')}`;
}

/** The length of the creation time in an identifier, in hexadecimal digits. */
const TIME_DIGITS = 12;
const DIGITS = 32;

/** An identifier like that of `newId`, but the same for the same text and time. */
export function derivedId(prefix: string, now: number, text: string): string {
  const time = Math.floor(now).toString(16).padStart(TIME_DIGITS, '0');
  const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  return `${prefix}_${time}${digest.slice(0, DIGITS - TIME_DIGITS)}`;
}
