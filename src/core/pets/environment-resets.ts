import type { Actor } from '../accounts/audit.ts';
import type { Environment } from '../environments.ts';

/** Deletes the data of accounts in environments, except pets and orders. May raise `StorageUnavailable`. */
export interface EnvironmentResets {
  /** Makes servers drop their cached pages of these environments, and what they have recorded; deletes nothing. */
  announce(environments: readonly Environment[]): Promise<void>;
  /**
   * Deletes messages, usage, bans and logged requests, and in staging the sandbox settings of accounts; accounts
   * and keys are kept. Writes an audit entry, and servers drop their cached data of these environments.
   * @param now epoch ms.
   */
  reset(environments: readonly Environment[], by: Actor, now: number): Promise<void>;
}

/** The stores with the data of environments. */
interface EnvironmentData {
  readonly environmentResets: EnvironmentResets;
  environment(name: Environment): {
    /** Deletes pets, orders, idempotent requests and saved quotas. */
    reset(): Promise<void>;
  };
}

/**
 * Deletes everything in environments apart from accounts and keys; an interrupted reset is repeated from the beginning.
 * The deletions may take many transactions, so servers drop their cached pages when they begin, and usage and requests
 * that they have recorded and not saved. At the end they drop all cached data, also pages that they have read in between.
 * May raise `StorageUnavailable`.
 * @param now epoch ms.
 * @param isAnnounced resolves when all servers know of the reset, so that they save nothing recorded before; by default
 *   at once, because this process, if it is a server, knows of its own reset.
 */
export async function resetEnvironments(
  stores: EnvironmentData,
  environments: readonly Environment[],
  by: Actor,
  now: number,
  isAnnounced: () => Promise<void> = async () => {},
): Promise<void> {
  await stores.environmentResets.announce(environments);
  // Before the final announcement, after which no server may cache an old pet.
  const deletions = environments.map((name) => stores.environment(name).reset());
  await Promise.all([...deletions, isAnnounced()]);
  await stores.environmentResets.reset(environments, by, now);
}
