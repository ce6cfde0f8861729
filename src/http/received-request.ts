import type { Instant } from '../lib/clock.ts';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly request: Request;
  /** Identifies the request in the reply and in the log. */
  readonly id: string;
  readonly receivedAt: Instant;
  /** Returns the client's address. */
  readonly address: () => string;
}
