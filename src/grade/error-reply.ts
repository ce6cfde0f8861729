import { type ErrorCode, messageFor } from '../core/errors.ts';
import { limitHeaders, problemReply } from '../http/reply/reply.ts';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../lib/clock.ts';
import type { PlainReply } from './scenario.ts';

const LIMIT = 60;
const DAILY_LIMIT = 1_000;

/**
 * An error with the message and the rate-limit headers of the service.
 * @param retryAfter in seconds; without it the reply has no Retry-After.
 */
export function errorReply(code: ErrorCode, now: Instant, retryAfter?: number): PlainReply {
  const { status, body } = problemReply({ code, message: messageFor(code) });
  const resetIn = (retryAfter ?? 0) * SECOND || MINUTE;
  const remaining = status === 429 ? 0 : LIMIT - 1;
  const minute = { limit: LIMIT, remaining, resetIn };
  const day = { limit: DAILY_LIMIT, remaining: DAILY_LIMIT - LIMIT, resetIn: DAY };
  const outcome = status === 429 ? 'limited' : 'admitted';
  const headers = limitHeaders({ outcome, ...minute, minute, day }, now);
  return {
    status,
    headers: {
      'content-type': 'application/json',
      ...headers,
      [REQUEST_ID_HEADER]: Bun.randomUUIDv7(),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: String(body),
  };
}

/** An error of a proxy between the client and the service: no JSON, no id, no Retry-After. */
export function gatewayReply(status: 502 | 504, reason: string): PlainReply {
  const body = `<html><head><title>${status} ${reason}</title></head><body><h1>${status} ${reason}</h1></body></html>\n`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}
