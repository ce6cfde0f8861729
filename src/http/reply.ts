import { HEADERS } from '../contract/headers.ts';
import type { Verdict } from '../core/admission.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../core/clock.ts';
import { ERRORS, type Problem } from '../core/errors.ts';

/** What an operation answers, before limits and the rest are written beside it. */
export interface Reply {
  readonly status: number;
  /** JSON text; none for a reply without content. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds that a client waits after a 503. */
const UNAVAILABLE_RETRY_AFTER = '1';

const EXPOSED_HEADERS = [...Object.keys(HEADERS), 'Allow'].join(', ');

/** A refusal as a reply: the Error body of the contract. */
export function problemReply(problem: Problem, headers?: Reply['headers']): Reply {
  const { code, message } = problem;
  const { status } = ERRORS[code];
  return { status, body: JSON.stringify({ code, message, status }), ...(headers && { headers }) };
}

/**
 * The one place where every reply is written, with the caller's limits on it.
 * @param crossOrigin whether a page of another origin is asking (CORS).
 */
export function writeReply(
  reply: Reply,
  verdict: Verdict,
  now: Instant,
  crossOrigin: boolean,
): Response {
  const { minute, day } = verdict;
  const headers: Record<string, string> = {
    'X-RateLimit-Limit': String(verdict.limit),
    'X-RateLimit-Remaining': String(verdict.remaining),
    'X-RateLimit-Reset': String(seconds(now.wall + verdict.resetIn)),
    'RateLimit-Policy': `"minute";q=${minute.limit};w=${MINUTE / SECOND}, "day";q=${day.limit};w=${DAY / SECOND}`,
    RateLimit: `"minute";r=${minute.remaining};t=${seconds(minute.resetIn)}, "day";r=${day.remaining};t=${seconds(day.resetIn)}`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  if (reply.body !== undefined) headers['Content-Type'] = 'application/json';
  if (reply.status === 429) headers['Retry-After'] = String(Math.max(1, seconds(verdict.resetIn)));
  if (reply.status === 503) headers['Retry-After'] = UNAVAILABLE_RETRY_AFTER;
  if (crossOrigin) {
    headers['Access-Control-Allow-Origin'] = '*';
    headers['Access-Control-Expose-Headers'] = EXPOSED_HEADERS;
  }
  Object.assign(headers, reply.headers);
  return new Response(reply.body ?? null, { status: reply.status, headers });
}

/** Whole seconds, rounded up: a client that waits them has waited long enough. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}
