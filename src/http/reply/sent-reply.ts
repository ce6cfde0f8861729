import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type { RateLimitResult } from '../../core/limits/rate-limit.ts';
import type { SentReply } from '../../core/requests/request-log.ts';
import type { Instant } from '../../lib/clock.ts';
import { IDEMPOTENT_REPLAYED } from '../idempotency-key.ts';
import type { ReceivedRequest } from '../received-request.ts';
import { SIMULATED_HEADER } from '../simulation/headers.ts';
import { type Reply, retryAfter } from './reply.ts';

/**
 * A reply for the request log. Reads only what is no longer available after the reply; the rest is done when
 * the log is saved.
 * @param now the moment of the request on the caller's clock.
 * @param took ms
 */
export function sentReply(
  { request, id, receivedAt, address }: ReceivedRequest,
  key: KeyRecord,
  reply: Reply,
  limits: RateLimitResult,
  now: Instant,
  took: number,
): SentReply {
  const { method } = request;
  const { status, body, problem, headers } = reply;
  return {
    at: receivedAt.wall,
    requestId: id,
    key,
    method,
    url: request.url,
    status,
    problem,
    took,
    replyBytes: body === undefined || method === 'HEAD' ? 0 : Buffer.byteLength(body),
    address: address(),
    userAgent: request.headers.get('user-agent'),
    simulation: headers?.[SIMULATED_HEADER],
    isReplayed: headers?.[IDEMPOTENT_REPLAYED] !== undefined,
    limits,
    now: now.wall,
    retryAfter: retryAfter(reply, limits),
  };
}
