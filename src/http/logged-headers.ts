import type { LoggedLimits, LoggedWindow } from '../core/requests/request-log.ts';
import { SECOND } from '../lib/clock.ts';
import { rateLimitField, rateLimitPolicy } from './reply/reply.ts';

/** The rate-limit headers of a reply in the request log. */
export function loggedHeaders(limits: LoggedLimits): Readonly<Record<string, string>> {
  const { limit, remaining, reset, minute, day, retryAfter } = limits;
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset),
    'RateLimit-Policy': rateLimitPolicy(minute.limit, day.limit),
    RateLimit: rateLimitField(inMilliseconds(minute), inMilliseconds(day)),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
}

function inMilliseconds(window: LoggedWindow) {
  return { ...window, resetIn: window.resetIn * SECOND };
}
