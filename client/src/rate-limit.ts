/** State of the caller's quota, as reported by the last reply. */
export interface RateLimit {
  /** Requests admitted per window, of the window with the fewest remaining. */
  readonly limit: number;
  /** Requests that remain in the window. */
  readonly remaining: number;
  /** When the window resets, by the service's clock. */
  readonly resetAt: Date;
  /** Every window separately; empty when the service does not report them. */
  readonly windows: readonly RateLimitWindow[];
}

/** One window of the quota. */
export interface RateLimitWindow {
  /** Name of the window, such as `minute` or `day`. */
  readonly name: string;
  /** Requests admitted per window. */
  readonly limit: number;
  /** Length of the window in milliseconds. */
  readonly windowMs: number;
  /** Requests that remain in the window. */
  readonly remaining: number;
  /** When the window resets, by this machine's clock. */
  readonly resetAt: Date;
}

/** Reads the quota from the headers of a reply; `undefined` when they do not contain it. */
export function readRateLimit(headers: Headers, nowMs: number): RateLimit | undefined {
  const limit = readCount(headers, 'X-RateLimit-Limit');
  const remaining = readCount(headers, 'X-RateLimit-Remaining');
  const resetSeconds = readCount(headers, 'X-RateLimit-Reset');
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) {
    return undefined;
  }
  const resetAt = new Date(resetSeconds * 1000);
  return { limit, remaining, resetAt, windows: readWindows(headers, nowMs) };
}

function readCount(headers: Headers, name: string): number | undefined {
  const value = headers.get(name);
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** The windows that `RateLimit-Policy` and `RateLimit` both describe. */
function readWindows(headers: Headers, nowMs: number): RateLimitWindow[] {
  const states = readItems(headers.get('RateLimit'));
  return [...readItems(headers.get('RateLimit-Policy'))].flatMap(([name, policy]) => {
    const limit = policy.get('q');
    const seconds = policy.get('w');
    const remaining = states.get(name)?.get('r');
    const resetSeconds = states.get(name)?.get('t');
    if (
      limit === undefined ||
      seconds === undefined ||
      remaining === undefined ||
      resetSeconds === undefined
    ) {
      return [];
    }
    const resetAt = new Date(nowMs + resetSeconds * 1000);
    return [{ name, limit, windowMs: seconds * 1000, remaining, resetAt }];
  });
}

/** Reads a list such as `"minute";q=60;w=60, "day";q=1000;w=86400`: name to parameters. */
function readItems(value: string | null): Map<string, Map<string, number>> {
  const items = new Map<string, Map<string, number>>();
  for (const [, name = '', parameters = ''] of (value ?? '').matchAll(/"([^"\\]*)"([^,]*)/g)) {
    const numbers = new Map<string, number>();
    for (const [, key = '', digits] of parameters.matchAll(/;\s*([a-z]+)=(\d{1,15})(?![^;\s])/g)) {
      numbers.set(key, Number(digits));
    }
    items.set(name, numbers);
  }
  return items;
}
