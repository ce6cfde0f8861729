import type { SecretUse } from '../core/keys/secrets.ts';
import { SECOND } from '../lib/clock.ts';
import type { JobDependencies } from './dependencies.ts';

/** How often keys that were used move to the current secret, in ms. */
const MOVE_KEYS_EVERY = SECOND;
/** How often the secrets of authenticator apps move, in ms. */
const MOVE_FACTORS_EVERY = 10 * SECOND;
/** How often the keys of each secret are counted, in ms. */
const COUNT_EVERY = 15 * SECOND;

/**
 * Moves keys and second factors to the current secret, and counts those that are left. Does nothing unless the store
 * has had several secrets, or this process accepts several.
 * @param pages move the second factors, if this process serves the dashboard.
 */
export function watchSecrets(
  { stores: { secrets, apiKeyService }, clock, log, metrics, jobs }: JobDependencies,
  pages: { moveSecondFactors(): Promise<void> } | undefined,
): void {
  if (!secrets.areSeveral) return;
  if (secrets.previous.length > 0) {
    jobs.everyAndAtStop(MOVE_KEYS_EVERY, 'move keys to the secret', () => apiKeyService.moveKeys());
    const move = () => pages?.moveSecondFactors();
    if (pages) jobs.every(MOVE_FACTORS_EVERY, 'move second factors to the secret', move);
  }
  let warned = false;
  jobs.every(COUNT_EVERY, 'count what previous secrets are needed for', async () => {
    const uses = await secrets.uses(clock.now().wall);
    const { keys, secondFactors } = left(uses);
    metrics.previousSecrets.set({ by: 'keys' }, keys);
    metrics.previousSecrets.set({ by: 'second_factors' }, secondFactors);
    const unknown = left(uses.filter(({ role }) => role === 'unknown'));
    const isRefusing = unknown.keys + unknown.secondFactors > 0;
    if (isRefusing && !warned) {
      log.warn(
        unknown,
        'keys or second factors are refused because the secret that they were made with is missing: put it into PETSTORE_PREVIOUS_SECRETS',
      );
    }
    warned = isRefusing;
  });
}

/** How many keys and second factors need another secret than the current one. */
function left(uses: readonly SecretUse[]): Pick<SecretUse, 'keys' | 'secondFactors'> {
  const others = uses.filter(({ role }) => role !== 'current');
  return {
    keys: others.reduce((sum, { keys }) => sum + keys, 0),
    secondFactors: others.reduce((sum, { secondFactors }) => sum + secondFactors, 0),
  };
}
