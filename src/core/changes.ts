import type { Awaitable } from '../lib/awaitable.ts';
/** Tells processes that share a store of changes by the others. May raise `StorageUnavailable`. */
export interface ChangeSignal {
  /** Goes up when an account, a key or a ban changes in a way that caches must hear of. */
  revision(): Awaitable<bigint>;
}
