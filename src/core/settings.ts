import type { Awaitable } from '../lib/awaitable.ts';
/** Small facts kept with the accounts. Every call may raise `StorageUnavailable`. */
export interface Settings {
  /** Keeps the value the first time; gives back what is kept. */
  keep(name: string, value: string): Promise<string>;
  find(name: string): Awaitable<string | undefined>;
}
