import { couldHoldApiKey } from '../core/keys/api-key-redaction.ts';

/** Identifies a request in the reply and in every log line about it. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const SHAPE = /^[\w.:+/=@~-]{1,128}$/;

/**
 * The request id that the client sent, if it is valid, or a new UUIDv7. A text that could contain an API key
 * is invalid, because ids are logged and sent back, and keys must never be.
 */
export function requestId(sent: string | null): string {
  if (sent !== null && SHAPE.test(sent) && !couldHoldApiKey(sent)) return sent;
  return Bun.randomUUIDv7();
}
