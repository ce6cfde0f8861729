import type { Config, Part } from '../config/config.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import type { Lease } from '../core/lease.ts';
import { SECOND } from '../lib/clock.ts';
import type { BackgroundJobs } from '../lib/scheduler.ts';
import type { Stores } from '../storage/stores.ts';

const RENEW_EVERY = SECOND;

/**
 * The quickstart takes keys of both environments, and counts each in its own. Where all processes
 * count in one place, the dashboard looks there, too.
 */
export function limitedEnvironments(
  parts: readonly Part[],
  { redis }: Config,
): readonly Environment[] {
  const needsAll = parts.includes('quickstart') || (redis && parts.includes('dashboard'));
  return ENVIRONMENTS.filter((name) => needsAll || parts.includes(name));
}

interface CountingParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly parts: readonly Part[];
}

/** What lets this process count, until it is disposed of. */
export interface Counting extends AsyncDisposable {
  /** Starts the jobs that renew the leases, where a lease expires without that. */
  renewIn(jobs: BackgroundJobs): void;
}

/**
 * Makes sure that nobody else counts in a way that does not go with this process: two with counters of
 * their own would admit twice as much.
 * @throws SetupError when somebody does.
 */
export async function acquireLeases(
  environments: readonly Environment[],
  given: CountingParts,
): Promise<Counting> {
  await using claiming = new AsyncDisposableStack();
  const claims = new Map<Environment, Lease>();
  for (const name of environments) {
    const claim = await claimOne(name, given);
    claiming.defer(() => claim.release());
    claims.set(name, claim);
  }
  const claimed = claiming.move();
  return {
    renewIn(jobs) {
      for (const [name, claim] of claims) renewClaim(name, claim, jobs);
    },
    [Symbol.asyncDispose]: () => claimed.disposeAsync(),
  };
}

async function claimOne(
  name: Environment,
  { config, stores, parts }: CountingParts,
): Promise<Lease> {
  const claim = await stores.leases.claim(name, config.redis ? 'together' : 'alone');
  if (claim) return claim;
  const where = config.database ? 'the same database' : stores.folder.path;
  if (config.redis) {
    throw new SetupError(
      `Another process serves ${name} from ${where} without PETSTORE_REDIS_URL. Stop it first.`,
    );
  }
  const why = parts.includes(name)
    ? ''
    : ' The quickstart counts requests of both environments: serve it in the process that serves them.';
  const apart = config.database ? '' : 'set PETSTORE_DATA_DIR to another folder, or ';
  throw new SetupError(
    `Another process serves ${name} from ${where}. Stop it first, or ${apart}set PETSTORE_REDIS_URL for all of them, so that they count together.${why}`,
  );
}

function renewClaim(name: Environment, claim: Lease, jobs: BackgroundJobs): void {
  if (!claim.renew) return;
  jobs.every(RENEW_EVERY, `renew ${name} lease`, async () => {
    if (await claim.renew?.()) return;
    throw new Error(
      `Another process took over counting ${name}, and limits are not exact. Stop one of the two.`,
    );
  });
}
