import type { Awaitable } from '../lib/awaitable.ts';

/** Named values stored beside the accounts. Every call may raise `StorageUnavailable`. */
export interface Settings {
  /** Stores the value unless the name has one already; returns the stored value. */
  keep(name: string, value: string): Promise<string>;
  find(name: string): Awaitable<string | undefined>;
}
