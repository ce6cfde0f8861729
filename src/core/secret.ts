/** The setting beside the data that tells which secret its API keys were made with. */
export const FINGERPRINT = 'secret_fingerprint';

/** What only holders of the secret can make of a text: HMAC-SHA-256 in hexadecimal digits. */
export function sign(secret: Buffer, text: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex');
}

/** Tells secrets apart, and gives none away. */
export function fingerprintOf(secret: Buffer): string {
  return sign(secret, 'petstore secret fingerprint');
}
