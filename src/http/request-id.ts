import { couldHoldApiKey } from '../core/api-key-redaction.ts';

/** Names a request, in the reply and in every line of the log that is about it. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const SHAPE = /^[\w.:+/=@~-]{1,128}$/;

/**
 * The client's own id of the request where it sent a valid one, or a new UUIDv7. A text that could hold
 * an API key is not valid: ids are logged and sent back, keys never.
 */
export function requestId(sent: string | null): string {
  if (sent !== null && SHAPE.test(sent) && !couldHoldApiKey(sent)) return sent;
  return Bun.randomUUIDv7();
}
