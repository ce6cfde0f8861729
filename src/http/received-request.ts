import type { Instant } from '../lib/clock.ts';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly request: Request;
  /** Identifies the request in the reply and in the log. */
  readonly id: string;
  readonly receivedAt: Instant;
  /** Returns the client's address; call it before a wait, because it is unknown once the client has left. */
  readonly address: () => string;
}
