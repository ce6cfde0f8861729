import { type ApiErrorBody, ERRORS, hasRetryAfter } from '../../core/errors.ts';
import type { RateLimitResult, WindowUsage } from '../../core/limits/rate-limit.ts';
import { type Instant, MINUTE, SECOND } from '../../lib/clock.ts';
import type { LIMIT_HEADERS } from '../headers.ts';
import { REQUEST_ID_HEADER } from '../request-id.ts';
import type { Coding, CompressedForms } from './compression.ts';
import { CROSS_ORIGIN } from './cross-origin.ts';
import { transportSecurity } from './transport-security.ts';

/** The reply of an operation; the reply writer adds the rate-limit and other headers. */
export interface Reply {
  readonly status: number;
  /** Omitted for a reply without content. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Media type of the body; JSON unless given. */
  readonly type?: string;
  /** `Cache-Control`; `no-store` unless given. */
  readonly cacheControl?: string;
  /** `ETag`: clients that send it back get a 304 as long as the body is unchanged. */
  readonly entityTag?: string;
  /** `Location`: the address of what was created (RFC 9110, 10.2.2). */
  readonly location?: string;
  /** The compressed forms of a body that many replies share. */
  readonly compressed?: CompressedForms;
  /** The content coding of the body; none unless given. */
  readonly coding?: Coding;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds in the `Retry-After` of an error that has it and is no 429; 1 unless given. */
  readonly retryAfter?: number;
  /** The problem that the body describes. */
  readonly problem?: ApiErrorBody<string>;
}

/** The reply of an operation whose success has no body. */
export const NO_CONTENT: Reply = { status: 204 };

const RETRY_AFTER = 'Retry-After';
/** The default of `Retry-After`, in seconds. */
const SHORT_WAIT = 1;
const UNCACHED = 'no-store';

/** A problem as a reply, with the Error body of the contract. */
export function problemReply(problem: ApiErrorBody, headers?: Reply['headers']): Reply {
  const { code, message } = problem;
  const { status } = ERRORS[code];
  const body = JSON.stringify({ code, message, status });
  return { status, body, problem, ...(headers && { headers }) };
}

/** The same reply with further headers. */
export function withHeaders(reply: Reply, headers: NonNullable<Reply['headers']>): Reply {
  // Reuses the headers object where possible: the writer skips the object that it wrote last.
  return { ...reply, headers: reply.headers ? { ...reply.headers, ...headers } : headers };
}

/** Writes every reply of an API, with the caller's limits. */
export class ReplyWriter {
  // All replies share one object: Bun copies a Headers object into a Response in a third of the time that it
  // takes to read a plain one, and most values are the same from one reply to the next.
  readonly #headers = new Headers({
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': 'application/json',
    // Any reply may be compressed (RFC 9110, 12.5.5).
    Vary: 'Accept-Encoding',
  });
  readonly #limit = new KeptHeader(this.#headers, 'X-RateLimit-Limit');
  readonly #remaining = new KeptHeader(this.#headers, 'X-RateLimit-Remaining');
  readonly #reset = new KeptHeader(this.#headers, 'X-RateLimit-Reset');
  readonly #retryAfter = new KeptHeader(this.#headers, RETRY_AFTER);
  readonly #cacheControl = new KeptHeader(this.#headers, 'Cache-Control');
  readonly #entityTag = new KeptHeader(this.#headers, 'ETag');
  readonly #location = new KeptHeader(this.#headers, 'Location');
  readonly #coding = new KeptHeader(this.#headers, 'Content-Encoding');
  #minuteLimit = 0;
  #dayLimit = 0;
  /** Headers of the last reply in addition to those of every reply; they stay set for the next one. */
  #own: Reply['headers'];

  /** @param baseUrl the public address of the API that replies. */
  constructor(baseUrl: string) {
    for (const [name, value] of Object.entries(transportSecurity(baseUrl))) {
      this.#headers.set(name, value);
    }
  }

  /**
   * @param requestId the id that the reply shows.
   * @param crossOrigin whether the request comes from a page of another origin (CORS).
   */
  write(
    reply: Reply,
    limits: RateLimitResult,
    now: Instant,
    requestId: string,
    crossOrigin: boolean,
  ): Response {
    this.#setLimits(limits, now);
    this.#headers.set(REQUEST_ID_HEADER, requestId);
    const { status, headers, body, type, cacheControl = UNCACHED } = reply;
    this.#setOwn(headers);
    this.#retryAfter.set(retryAfter(reply, limits));
    this.#cacheControl.set(cacheControl);
    this.#entityTag.set(reply.entityTag);
    this.#location.set(reply.location);
    this.#coding.set(reply.coding);
    const response = new Response(body ?? null, { status, headers: this.#headers });
    if (crossOrigin)
      for (const [name, value] of Object.entries(CROSS_ORIGIN)) response.headers.set(name, value);
    if (body === undefined) response.headers.delete('Content-Type');
    else if (type !== undefined) response.headers.set('Content-Type', type);
    return response;
  }

  /** Replaces the additional headers of the last reply by those of this one. */
  #setOwn(own: Reply['headers']): void {
    const last = this.#own;
    if (own === last) return;
    this.#own = own;
    for (const name in last) this.#headers.delete(name);
    for (const [name, value] of Object.entries(own ?? {})) this.#headers.set(name, value);
  }

  #setLimits({ limit, remaining, resetIn, minute, day }: RateLimitResult, now: Instant): void {
    this.#limit.set(limit);
    this.#remaining.set(remaining);
    this.#reset.set(wholeSeconds(now.wall + resetIn));
    this.#headers.set('RateLimit', rateLimitField(minute, day));
    if (minute.limit === this.#minuteLimit && day.limit === this.#dayLimit) return;
    this.#minuteLimit = minute.limit;
    this.#dayLimit = day.limit;
    this.#headers.set('RateLimit-Policy', rateLimitPolicy(minute.limit, day.limit));
  }
}

/** A header that stays set from one reply to the next, and is written only when its value changes. */
class KeptHeader {
  readonly #headers: Headers;
  readonly #name: string;
  #value: string | number | undefined;

  constructor(headers: Headers, name: string) {
    this.#headers = headers;
    this.#name = name;
  }

  /** @param value `undefined` for a reply without the header. */
  set(value: string | number | undefined): void {
    if (value === this.#value) return;
    this.#value = value;
    if (value === undefined) this.#headers.delete(this.#name);
    else this.#headers.set(this.#name, String(value));
  }
}

/** The value of Retry-After, for replies whose error code has it (RFC 9110, 10.2.3). */
export function retryAfter(
  { status, problem, retryAfter: wait = SHORT_WAIT }: Reply,
  { resetIn }: RateLimitResult,
): string | undefined {
  if (problem === undefined || !hasRetryAfter(problem.code)) return undefined;
  return String(status === 429 ? wholeSeconds(resetIn) : wait);
}

/** The rate-limit headers of a reply, without `Retry-After`. */
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

/** The headers of a 429: the limits, and the time to wait. */
export function refusalHeaders(
  result: RateLimitResult,
  now: Instant,
): Readonly<Record<string, string>> {
  return { ...limitHeaders(result, now), 'Retry-After': String(wholeSeconds(result.resetIn)) };
}

/** The value of `RateLimit-Policy` for two windows with these limits. */
export function rateLimitPolicy(perMinute: number, perDay: number): string {
  return `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`;
}

/** The value of `RateLimit`. */
export function rateLimitField(minute: WindowUsage, day: WindowUsage): string {
  // A request may be decided after a later request that started the minute.
  const minuteEndsIn = wholeSeconds(Math.min(MINUTE, minute.resetIn));
  const dayEndsIn = wholeSeconds(day.resetIn);
  return `"minute";r=${minute.remaining};t=${minuteEndsIn}, "day";r=${day.remaining};t=${dayEndsIn}`;
}

/** Whole seconds, rounded up, so that a wait of that time is always long enough. @param milliseconds ms */
export function wholeSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}
