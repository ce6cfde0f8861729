import { createHmac } from 'node:crypto';

/** The setting beside the data that tells which secret its API keys were made with. */
export const FINGERPRINT = 'secret_fingerprint';

/** Tells secrets apart, and gives none away. */
export function fingerprintOf(secret: Buffer): string {
  return createHmac('sha256', secret).update('petstore secret fingerprint').digest('hex');
}
