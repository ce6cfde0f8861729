import type { Awaitable } from './awaitable.ts';

/**
 * Waits for the work with a timeout; the work itself is not cancelled.
 * @param patience the timeout, in ms.
 * @throws Error after the timeout, or whatever the work throws.
 */
export async function withTimeout<T>(patience: number, work: () => Awaitable<T>): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => silence.reject(new Error(`no answer within ${patience} ms`)),
    patience,
  );
  try {
    return await Promise.race([work(), silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}
