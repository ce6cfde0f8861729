import type { RateLimitResult, WindowUsage } from '../core/rate-limit.ts';
import { type Instant, MINUTE, SECOND } from '../lib/clock.ts';
import type { LIMIT_HEADERS } from './headers.ts';

/** The headers of a reply that describe the caller's limits; `Retry-After` is not among them. */
export function limitHeaders(
  { limit, remaining, resetIn, minute, day }: RateLimitResult,
  now: Instant,
): Readonly<Record<(typeof LIMIT_HEADERS)[number], string>> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(wholeSeconds(now.wall + resetIn)),
    'RateLimit-Policy': rateLimitPolicy(minute.limit, day.limit),
    RateLimit: rateLimitField(minute, day),
  };
}

/** The headers of a 429: the limits, and how long to wait. */
export function refusalHeaders(
  result: RateLimitResult,
  now: Instant,
): Readonly<Record<string, string>> {
  return { ...limitHeaders(result, now), 'Retry-After': retryAfterSeconds(result.resetIn) };
}

/** The value of `RateLimit-Policy` for two windows with these limits. */
export function rateLimitPolicy(perMinute: number, perDay: number): string {
  return `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`;
}

/** The value of `RateLimit`. */
export function rateLimitField(minute: WindowUsage, day: WindowUsage): string {
  // A request may be decided after a later one that started the minute.
  const minuteEndsIn = wholeSeconds(Math.min(MINUTE, minute.resetIn));
  const dayEndsIn = wholeSeconds(day.resetIn);
  return `"minute";r=${minute.remaining};t=${minuteEndsIn}, "day";r=${day.remaining};t=${dayEndsIn}`;
}

/** The value of `Retry-After` after a wait in ms: at least 1 s. */
export function retryAfterSeconds(wait: number): string {
  return String(Math.max(1, wholeSeconds(wait)));
}

/** Whole seconds, rounded up, so that waiting them is always enough. @param milliseconds ms */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}
