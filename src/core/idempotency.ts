import { DAY } from '../lib/clock.ts';

/** How long the first reply to a request with an `Idempotency-Key` is stored, in ms. */
export const IDEMPOTENCY_TTL = DAY;

/**
 * Whether a reply stored at `storedAt` is no longer replayed at `now` (both epoch ms). It is replayed while `storedAt` is
 * ahead: a clock that was set back must not make a repeated creation add a second pet.
 */
export function isExpired(storedAt: number, now: number): boolean {
  return now - storedAt >= IDEMPOTENCY_TTL;
}

/** Identifies a create request that may be retried: its first reply is stored for 24 hours. */
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
