import type { Environment } from '../../core/environments.ts';
import type { Leases } from '../../core/limits/lease.ts';
import { shareLock, takeLock } from './lock.ts';

/**
 * Leases that are locks on files: the operating system releases them when the process ends.
 * @param pathOf returns the file to lock for an environment.
 * @param onLocked called with each file that this process has locked.
 */
export function fileLeases(
  pathOf: (environment: Environment) => string,
  onLocked: (path: string) => void,
): Leases {
  return {
    /** @throws SetupError when the file cannot be locked. */
    acquire(environment, how) {
      const path = pathOf(environment);
      const lock = how === 'alone' ? takeLock(path) : shareLock(path);
      if (lock) onLocked(path);
      return lock;
    },
  };
}
