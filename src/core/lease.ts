import type { Awaitable } from '../lib/awaitable.ts';
import type { Environment } from './environments.ts';
/** What lets a process count the requests of an environment. */
export interface Lease {
  /**
   * Tells others that this process goes on, to be called every second; `false` when one has taken
   * over meanwhile. Not there where the operating system knows who goes on. May raise
   * `StorageUnavailable`.
   */
  renew?(): Promise<boolean>;
  /** Lets others count. */
  release(): Awaitable<void>;
}

/** Keeps processes that would each count by themselves from the same data. */
export interface Leases {
  /**
   * A process counts `alone`, or `together` with others in one place. `undefined` when another process
   * counts in a way that does not go with this. May raise `StorageUnavailable`.
   */
  claim(environment: Environment, how: 'alone' | 'together'): Awaitable<Lease | undefined>;
}
