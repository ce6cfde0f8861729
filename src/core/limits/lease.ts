import type { Awaitable } from '../../lib/awaitable.ts';
import type { Environment } from '../environments.ts';

/** The right of a process to rate-limit the requests of one environment. */
export interface Lease {
  /**
   * Renews the lease; must be called every second. Returns `false` when another process has taken it over.
   * Not defined where the operating system releases the lease when the process ends. May raise
   * `StorageUnavailable`.
   */
  renew?(): Promise<boolean>;
  /** Releases the lease for other processes. */
  release(): Awaitable<void>;
}

/** Prevents several processes from rate-limiting the same data independently of one another. */
export interface Leases {
  /**
   * Acquires the lease of an environment: `alone`, or `together` with processes that share their
   * counters in Redis. `undefined` when another process holds a lease that excludes this one. May raise
   * `StorageUnavailable`.
   */
  acquire(environment: Environment, how: 'alone' | 'together'): Awaitable<Lease | undefined>;
}
