import { DAY } from '../lib/clock.ts';

/** How long the reply to a request with an `Idempotency-Key` is remembered, in ms. */
export const REMEMBERED = DAY;

/** What makes a creation safe to send again: replies are remembered by it for 24 hours. */
export interface IdempotentRequest {
  readonly accountId: string;
  /** The client's Idempotency-Key; 1 to 255 characters. */
  readonly key: string;
  /** Digest of what was asked for; the same key with another one is a mismatch. */
  readonly fingerprint: string;
}
