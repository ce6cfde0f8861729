import type { Awaitable } from '../lib/awaitable.ts';

/** Named values in the store. Every call may raise `StorageUnavailable`. */
export interface Settings {
  /** Stores the value unless the name already has one; returns the stored value. */
  keep(name: string, value: string): Promise<string>;
  /** Stores another value if the stored one is still `from`; otherwise `false`. */
  replace(name: string, from: string, to: string): Promise<boolean>;
  find(name: string): Awaitable<string | undefined>;
}
