/** Name of the setting that identifies the secret with which the API keys were digested. */
export const FINGERPRINT = 'secret_fingerprint';

/** HMAC-SHA-256 of a text under the secret, in hexadecimal digits. */
export function sign(secret: Buffer, text: string): string {
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex');
}

/** Identifies a secret without revealing it. */
export function fingerprintOf(secret: Buffer): string {
  return sign(secret, 'petstore secret fingerprint');
}
