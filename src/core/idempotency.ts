import { DAY } from '../lib/clock.ts';

/** How long the first reply to a request with an `Idempotency-Key` is stored, in ms. */
export const REMEMBERED = DAY;

/**
 * Whether a reply that was stored then is still given (both epoch ms). One of more than a day ahead was stored
 * on a clock that was put back since, such as that of a sandbox while it was reset.
 */
export function isRemembered(storedAt: number, now: number): boolean {
  return Math.abs(now - storedAt) < REMEMBERED;
}

/** Identifies a creation that may be retried: its first reply is stored for 24 hours. */
export interface IdempotentRequest {
  readonly accountId: string;
  /** The client's Idempotency-Key; 1 to 255 characters. */
  readonly key: string;
  /** Digest of the request; another request with the same key is a mismatch. */
  readonly fingerprint: string;
}

/** The first reply to an idempotent request, as it was sent. */
export interface StoredReply {
  readonly status: number;
  readonly body: string;
}
