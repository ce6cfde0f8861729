import type { Actor } from './audit.ts';
import type { Environment } from './environments.ts';

/** Deletes the data of accounts in environments, except pets. May raise `StorageUnavailable`. */
export interface EnvironmentResets {
  /**
   * Deletes messages, usage, bans and logged requests, and in staging the sandbox settings of accounts; accounts
   * and keys are kept. Writes an audit entry, and servers drop their cached data of these environments.
   * @param now epoch ms.
   */
  reset(environments: readonly Environment[], by: Actor, now: number): Promise<void>;
}
