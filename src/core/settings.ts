import type { Awaitable } from '../lib/awaitable.ts';

/** Named values in the store. Every call may raise `StorageUnavailable`. */
export interface Settings {
  /** Stores the value unless the name already has one; returns the stored value. */
  keep(name: string, value: string): Promise<string>;
  find(name: string): Awaitable<string | undefined>;
}
