/** Names a request, in the reply and in every line of the log that is about it. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const SHAPE = /^[\w.:+/=@~-]{1,128}$/;

/**
 * The client's own name for the request where it sent a sensible one, or a new UUIDv7. A text that
 * could be an API key is none: names of requests are logged, keys never.
 */
export function requestId(sent: string | null): string {
  if (sent !== null && SHAPE.test(sent) && !sent.includes('pst_')) return sent;
  return Bun.randomUUIDv7();
}
