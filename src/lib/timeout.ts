import type { Awaitable } from './awaitable.ts';

/**
 * What the work gives, if it does so in time; the work itself goes on.
 * @param patience ms.
 * @throws Error when the time is over, or whatever the work throws.
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
