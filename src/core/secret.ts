/** Name of the setting that stores the fingerprint of the secret used for the digests of API keys. */
export const FINGERPRINT = 'secret_fingerprint';

/** HMAC-SHA-256 of a text with the secret, in hexadecimal digits. */
export function sign(secret: Buffer, text: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex');
}

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: Buffer): string {
  return sign(secret, 'petstore secret fingerprint');
}
