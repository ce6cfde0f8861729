import type { Config } from '../config/config.ts';
import { SetupError } from '../core/errors.ts';
import type { SignIn } from '../dashboard/session.ts';
import { createSignIn } from '../dashboard/sign-in/sign-in.ts';
import type { Clock } from '../lib/clock.ts';
import { MemoryAttemptCounts } from '../limits/memory/attempt-counts.ts';
import type { Stores } from '../storage/stores.ts';

/**
 * Signing in as the dashboard does it, for commands; it sends no mail.
 * @throws SetupError when the dashboard's address depends on a port that a service picks.
 */
export async function openSignIn(
  config: Config,
  stores: Stores,
  clock: Clock,
  log: { error(details: object, message: string): void },
): Promise<SignIn> {
  const dashboard = config.baseUrl('dashboard', config.port);
  if (new URL(dashboard).port === '0') {
    throw new SetupError(
      'Set PETSTORE_DASHBOARD_URL, or PETSTORE_PORT to other than 0: the link begins with it.',
    );
  }
  const attempts = new MemoryAttemptCounts();
  return createSignIn({ addresses: { dashboard }, stores, attempts, mail: undefined, clock, log });
}
