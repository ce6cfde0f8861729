import type { Environment } from '../../core/environments.ts';
import type { Lease, Leases } from '../../core/lease.ts';
import { shareLock, takeLock } from './lock.ts';

/** Leases that are locks on files: the operating system releases them when the process ends. */
export class FileLeases implements Leases {
  readonly #pathOf: (environment: Environment) => string;

  readonly #onLocked: (path: string) => void;

  /**
   * @param pathOf the file that is locked for an environment.
   * @param onLocked hears of each file that this process has locked.
   */
  constructor(pathOf: (environment: Environment) => string, onLocked: (path: string) => void) {
    this.#pathOf = pathOf;
    this.#onLocked = onLocked;
  }

  /** @throws SetupError when the file cannot be locked. */
  claim(environment: Environment, how: 'alone' | 'together'): Lease | undefined {
    const path = this.#pathOf(environment);
    const lock = how === 'alone' ? takeLock(path) : shareLock(path);
    if (lock) this.#onLocked(path);
    return lock;
  }
}
