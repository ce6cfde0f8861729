import type { Config, Part } from '../config/config.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import type { Lease } from '../core/limits/lease.ts';
import { SECOND } from '../lib/clock.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import type { Stores } from '../storage/stores.ts';

const RENEW_EVERY = SECOND;

/**
 * The environments whose limits this process applies. The quickstart accepts the keys of both environments and
 * counts each request in the environment of its key. With Redis, the dashboard reads the usage of both from Redis.
 */
function limitedEnvironments(parts: readonly Part[], { redis }: Config): readonly Environment[] {
  const needsAll = parts.includes('quickstart') || (redis && parts.includes('dashboard'));
  return ENVIRONMENTS.filter((name) => needsAll || parts.includes(name));
}

interface Dependencies {
  readonly config: Config;
  readonly stores: Pick<Stores, 'leases' | 'folder'>;
  readonly parts: readonly Part[];
}

/**
 * Ensures that no other process limits the same requests with separate counters: together they would admit twice
 * the limit.
 * @param held releases the leases when it is disposed.
 * @returns the leases of the environments whose limits this process applies.
 * @throws SetupError when another process holds a lease that excludes this one.
 */
export async function acquireLeases(
  dependencies: Dependencies,
  held: AsyncDisposableStack,
): Promise<ReadonlyMap<Environment, Lease>> {
  const { config, stores, parts } = dependencies;
  const leases = new Map<Environment, Lease>();
  using _ = renewMeanwhile(leases);
  for (const name of limitedEnvironments(parts, config)) {
    const lease = await stores.leases.acquire(name, config.redis ? 'together' : 'alone');
    if (!lease) throw excluded(name, dependencies);
    held.defer(() => lease.release());
    leases.set(name, lease);
  }
  return leases;
}

/** Renews the first leases while the next one is being acquired, which may take longer than a lease lasts. */
function renewMeanwhile(leases: ReadonlyMap<Environment, Lease>): Disposable {
  const timer = setInterval(() => {
    // If this fails, the job that renews leases reports it.
    for (const lease of leases.values()) lease.renew?.().catch(() => {});
  }, RENEW_EVERY);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function excluded(name: Environment, { config, stores, parts }: Dependencies): SetupError {
  const where = config.database ? 'the same database' : stores.folder.path;
  if (config.redis) {
    return new SetupError(
      `Another process serves ${name} from ${where} without PETSTORE_REDIS_URL. Stop it first.`,
    );
  }
  const why = parts.includes(name)
    ? ''
    : ' The quickstart counts requests of both environments: serve it in the process that serves them.';
  const apart = config.database ? '' : 'set PETSTORE_DATA_DIR to another folder, or ';
  return new SetupError(
    `Another process serves ${name} from ${where}. Stop it first, or ${apart}set PETSTORE_REDIS_URL for all of them, so that they count together.${why}`,
  );
}

/** Starts the jobs that renew leases, for leases that expire otherwise. */
export function renewLeases(leases: ReadonlyMap<Environment, Lease>, jobs: BackgroundJobs): void {
  for (const [name, lease] of leases) {
    if (!lease.renew) continue;
    jobs.every(RENEW_EVERY, `renew ${name} lease`, async () => {
      if (await lease.renew?.()) return;
      throw new Error(
        `Another process took over the limits of ${name}, so they are not exact. Stop one of the two.`,
      );
    });
  }
}
