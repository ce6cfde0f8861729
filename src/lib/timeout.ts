import type { Awaitable } from './awaitable.ts';

/**
 * Waits for the work with a timeout; the work itself is not cancelled.
 * @param timeout ms
 * @throws Error after the timeout, or any error that the work throws.
 */
export async function withTimeout<T>(timeout: number, work: () => Awaitable<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout);
  try {
    return await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}
