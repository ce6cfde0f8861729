import type { Environment } from '../../core/environments.ts';
import type { Lease, Leases } from '../../core/lease.ts';
import { shareLock, takeLock } from './lock.ts';

/** Leases that are locks on files: the operating system releases them when the process ends. */
export class FileLeases implements Leases {
  readonly #pathOf: (environment: Environment) => string;

  /** @param pathOf the file that is locked for an environment. */
  constructor(pathOf: (environment: Environment) => string) {
    this.#pathOf = pathOf;
  }

  /** @throws SetupError when the file cannot be locked. */
  claim(environment: Environment, how: 'alone' | 'together'): Lease | undefined {
    const path = this.#pathOf(environment);
    return how === 'alone' ? takeLock(path) : shareLock(path);
  }
}
