import type { Actor } from './audit.ts';
import type { Environment } from './environments.ts';

/** Deletes what accounts have left in environments, apart from their animals. May raise `StorageUnavailable`. */
export interface EnvironmentResets {
  /**
   * Deletes messages, usage, bans and logged requests, and in staging what accounts have set in the sandbox;
   * accounts and keys stay. It is on the audit log, and servers forget what they have of these environments.
   * @param now epoch ms.
   */
  reset(environments: readonly Environment[], by: Actor, now: number): Promise<void>;
}
