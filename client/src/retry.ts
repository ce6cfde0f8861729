import {
  ApiError,
  NetworkError,
  type PetstoreError,
  RetryLaterError,
  TimeoutError,
} from './errors.ts';
import type { ApiRequest } from './exchange.ts';
import type { Settings } from './settings.ts';
import { orAbort } from './timing.ts';

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 10_000;

/**
 * Runs `attempt` with the number of attempts before it, and repeats it after failures that a retry can
 * fix: exponential backoff with full jitter, on top of the wait that the service asks for, `maxRetries`
 * times at most. Each retry is reported to `onRetry` before its wait.
 *
 * @throws {RetryLaterError} when the service asks for a wait beyond `maxRetryWaitMs`.
 * @throws the last attempt's error when no retry is left or none can help.
 * @throws the reason of `signal` on its abort.
 */
export async function withRetries<Result>(
  attempt: (retries: number) => Promise<Result>,
  { method, url }: ApiRequest,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt(retries);
    } catch (error) {
      const { maxRetries, maxRetryWaitMs } = settings;
      if (!canRetry(error, retries)) throw error;
      const askedMs = askedWait(error, settings);
      if (retries >= maxRetries) throw error;

      // Added to the wait that the service asks for, not used instead of it: all callers of a window
      // get the same time, and would return in one burst.
      const jitterMs = fullJitter(retries, settings.random);
      const delayMs = Math.min(askedMs + jitterMs, maxRetryWaitMs);
      const retry = { method, url, error, retry: retries + 1, maxRetries, delayMs };
      // The hook is the caller's code and knows nothing of the signal.
      await orAbort(Promise.resolve(settings.onRetry(retry)), signal);
      await settings.sleep(delayMs, signal);
    }
  }
}

/** The wait in milliseconds that the service asks for: nothing is sent before its end. */
function askedWait(error: unknown, { maxRetryWaitMs, now }: Settings): number {
  if (!(error instanceof ApiError) || error.retryAfterMs === undefined) return 0;
  if (error.retryAfterMs <= maxRetryWaitMs) return error.retryAfterMs;
  throw new RetryLaterError(error, new Date(now() + error.retryAfterMs));
}

/** A random wait in milliseconds, below a bound that doubles with every retry up to a cap. */
function fullJitter(retries: number, random: () => number): number {
  return Math.floor(random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** retries));
}

function canRetry(error: unknown, retries: number): error is PetstoreError {
  return isOutcomeUnknown(error, retries) || isRefusal(error);
}

/** Whether the service refused the request before it had any effect. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** Whether it is unknown if the request was executed or is still in progress. */
function isOutcomeUnknown(error: unknown, retries: number): boolean {
  if (error instanceof NetworkError || error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  // On a first attempt the conflict is with another call; on a retry, with an attempt of this one. A 409 that does not
  // ask to wait is a conflict that waiting does not cure.
  if (error.status === 409) return retries > 0 && isInFlight(error);
  return error.status === 502 || error.status === 504;
}

/** Whether the service says that a request with the same `Idempotency-Key` will soon be answered. */
function isInFlight({ code, retryAfterMs }: ApiError): boolean {
  return code === 'idempotency_conflict' && retryAfterMs !== undefined;
}
