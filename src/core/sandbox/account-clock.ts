import { type Instant, later } from '../../lib/clock.ts';
import type { Environment } from '../environments.ts';
import type { SandboxStore } from './sandbox-store.ts';

/**
 * The time on the clock of an account in an environment: in staging its sandbox may be ahead. May raise
 * `StorageUnavailable`.
 * @param now on the service's clock.
 */
export async function accountTime(
  sandboxes: Pick<SandboxStore, 'find'>,
  { accountId, environment }: { readonly accountId: string; readonly environment: Environment },
  now: Instant,
): Promise<Instant> {
  if (environment === 'production') return now;
  const { clockOffset } = await sandboxes.find(accountId);
  return later(now, clockOffset);
}
