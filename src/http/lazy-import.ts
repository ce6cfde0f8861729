import { ApiError, messageFor } from '../core/errors.ts';
import { lazy } from '../lib/lazy.ts';

/**
 * Loads code on first use, and keeps it.
 * @returns a function that throws ApiError `unavailable` when the code cannot be loaded, as when no file
 *   descriptor is left; its next call tries again.
 */
export function lazyImport<T>(load: () => Promise<T>): () => Promise<T> {
  return lazy(async () => {
    try {
      return await load();
    } catch (cause) {
      throw new ApiError('unavailable', messageFor('unavailable'), { cause });
    }
  });
}
