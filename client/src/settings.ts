import { environmentVariable } from './runtime.ts';
import { sleep } from './timing.ts';
import type { OnRetry, RequestOptions } from './types.ts';

// The longest delay of setTimeout, which fires immediately for anything above.
const MAX_DELAY_MS = 2 ** 31 - 1;

const RESERVED_HEADERS = new Set(['accept', 'authorization', 'content-type', 'idempotency-key']);

/** Options of a {@link PetstoreClient}. */
export interface PetstoreClientOptions {
  /** The API key, from the dashboard. Default: the environment variable `PETSTORE_KEY`. */
  readonly apiKey?: string | undefined;
  /** Address of the API. Default: `http://localhost:3000/v1`. */
  readonly baseUrl?: string | undefined;
  /** Address of the message service. Default: `http://localhost:3000/quickstart`. */
  readonly quickstartBaseUrl?: string | undefined;
  /** Milliseconds that one attempt may take, reply included: 1 to 2^31 - 1. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated, from 0. Default: 3. */
  readonly maxRetries?: number | undefined;
  /**
   * The longest wait before a retry, in milliseconds: 0 to 2^31 - 1. When the service asks for a
   * longer one, the call fails immediately with a {@link RetryLaterError}. Default: 60,000, which is
   * enough for a limit per minute but not for a limit per day or a ban.
   */
  readonly maxRetryWaitMs?: number | undefined;
  /** Sent with every request, such as `traceparent`. Those that the client sets are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called before the wait of each retry, with its cause and length. */
  readonly onRetry?: OnRetry | undefined;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Random number in [0, 1), for the jitter of the backoff. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Waits before a retry; must reject with the signal's reason on abort. Default: a timer. */
  readonly sleep?: Sleep | undefined;
}

/** The part of the standard `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Resolves after `delayMs` milliseconds, or rejects with the reason of `signal` on its abort. */
export type Sleep = (delayMs: number, signal?: AbortSignal) => Promise<void>;

/** The options of a client, checked, with every default filled in. */
export type Settings = {
  readonly [Name in keyof PetstoreClientOptions]-?: NonNullable<PetstoreClientOptions[Name]>;
};

/**
 * Checks the options of a client and fills in the defaults.
 *
 * @throws {TypeError} for a malformed key or address.
 * @throws {RangeError} for a number out of range.
 */
export function resolveSettings(options: PetstoreClientOptions): Settings {
  const { baseUrl = 'http://localhost:3000/v1' } = options;
  const { quickstartBaseUrl = 'http://localhost:3000/quickstart' } = options;
  const { timeoutMs = 10_000, maxRetries = 3, maxRetryWaitMs = 60_000 } = options;
  return {
    apiKey: requireApiKey(options.apiKey ?? environmentVariable('PETSTORE_KEY')),
    baseUrl: requireBaseUrl('baseUrl', baseUrl),
    quickstartBaseUrl: requireBaseUrl('quickstartBaseUrl', quickstartBaseUrl),
    timeoutMs: requireTimeout(timeoutMs),
    maxRetries: requireMaxRetries(maxRetries),
    maxRetryWaitMs: requireInteger('maxRetryWaitMs', maxRetryWaitMs, 0, MAX_DELAY_MS),
    headers: requireOwnHeaders(options.headers ?? {}),
    onRetry: options.onRetry ?? (() => {}),
    // Looked up on each call, so that a later replacement of the global fetch is used.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  };
}

/**
 * The settings of one call: those of the client, overridden by `options`.
 *
 * @throws {TypeError} for a header that the client sets itself.
 * @throws {RangeError} for a number out of range.
 */
export function withRequestOptions(settings: Settings, options: RequestOptions): Settings {
  const { timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = options;
  return {
    ...settings,
    timeoutMs: requireTimeout(timeoutMs),
    maxRetries: requireMaxRetries(maxRetries),
    headers: { ...settings.headers, ...requireOwnHeaders(options.headers ?? {}) },
    onRetry: options.onRetry ?? settings.onRetry,
  };
}

function requireTimeout(timeoutMs: number): number {
  return requireInteger('timeoutMs', timeoutMs, 1, MAX_DELAY_MS);
}

function requireMaxRetries(maxRetries: number): number {
  return requireInteger('maxRetries', maxRetries, 0, Number.MAX_SAFE_INTEGER);
}

/** In lower case, so that a header of a call replaces the client's, whatever their case. */
function requireOwnHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = [...new Headers(headers)];
  const reserved = entries.find(([name]) => RESERVED_HEADERS.has(name))?.[0];
  if (reserved === undefined) return Object.fromEntries(entries);
  throw new TypeError(`headers must not hold ${reserved}: the client sets it`);
}

function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer from ${min} to ${max}, got ${value}`);
}

// Headers would refuse a malformed key too, but with the key in the error's message.
function requireApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey === '') {
    throw new TypeError('Set apiKey, or the environment variable PETSTORE_KEY, to an API key');
  }
  if (typeof apiKey === 'string' && /^[!-~]+$/.test(apiKey)) return apiKey;
  throw new TypeError('apiKey must be a string of printable ASCII characters without spaces');
}

function requireBaseUrl(name: string, value: string): string {
  if (URL.canParse(value)) {
    const { protocol, username, password, search, hash, origin, pathname } = new URL(value);
    const isHttp = protocol === 'http:' || protocol === 'https:';
    // The parsed parts: a space, "?" or "#" at the end of the text would come before the paths.
    if (isHttp && `${username}${password}${search}${hash}` === '') {
      return `${origin}${pathname}`.replace(/\/+$/, '');
    }
  }
  throw new TypeError(`${name} must be an absolute http(s) URL of host and path only`);
}
