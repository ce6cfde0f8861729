import type { Config, Part } from '../config.ts';
import { type Clock, DAY, type Instant, MINUTE, SECOND } from '../core/clock.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { SetupError } from '../core/errors.ts';
import { hourOf } from '../core/usage.ts';
import { createDashboard } from '../dashboard/dashboard.ts';
import type { DataFolder } from '../data-folder.ts';
import { listen } from '../http/listen.ts';
import { HttpService } from '../http/service.ts';
import type { Site } from '../http/site.ts';
import { startLimiter } from '../limit-keeping.ts';
import { type Log, serviceLog } from '../log.ts';
import { LastUsed } from '../memory/last-used.ts';
import type { MemoryLimiter } from '../memory/limiter.ts';
import { UsageRecorder } from '../memory/usage-recorder.ts';
import { type Lock, takeLock } from '../sqlite/lock.ts';
import { Upkeep } from '../upkeep.ts';
import { createSites } from './sites.ts';
import { standingFrom } from './standing.ts';
import { openStores, type Stores } from './stores.ts';

/** How often changes by other processes are looked for, in ms; they apply within 1 s. */
const WATCH_EVERY = 0.25 * SECOND;
const SAVE_LAST_USED_EVERY = SECOND;
/** How often usage is saved, in ms; a crash loses no more than this and the time of a commit. */
const SAVE_USAGE_EVERY = 5 * SECOND;
const DELIVER_EVERY = 0.5 * SECOND;
/** Messages delivered in one transaction. */
const DELIVER_AT_ONCE = 500;
const FORGET_EVERY = 10 * MINUTE;
/** How long delivered messages stay in the inbox, in ms. */
const MESSAGES_STAY = 30 * DAY;
/** How long usage is kept, in ms: the 30 days that are shown, and the one that has begun. */
const USAGE_STAYS = 31 * DAY;

/** How long requests in flight may take once the service is told to stop, in ms. */
const STOP_GRACE = 10 * SECOND;

export interface ServiceParts {
  readonly clock: Clock;
  readonly log: Log;
  /** What to serve. */
  readonly parts: readonly Part[];
}

/** A service that answers. */
export interface RunningService {
  readonly port: number;
  readonly stores: Stores;
  baseUrl(part: Part): string;
  /** Forgets what has no say any more; goes on by itself, every ten minutes. */
  tidyUp(): Promise<void>;
  /** Stops accepting, answers what is in flight, saves and closes everything. */
  stop(): Promise<void>;
}

/** @throws SetupError when the folder, a file or the port cannot be used. */
export async function startService(config: Config, given: ServiceParts): Promise<RunningService> {
  const { clock, log, parts } = given;
  // Undone in reverse: stop listening, save what is in memory, let go of the locks, close the files.
  await using starting = new AsyncDisposableStack();
  const stores = await openStores(config, clock);
  starting.defer(() => stores.close());
  const environments = countedHere(parts);
  for (const name of environments) {
    const lock = countAlone(name, stores.folder, parts);
    starting.defer(() => lock.release());
  }
  const upkeep = new Upkeep(clock, {
    failed: (job, error) => log.warn({ job, err: error }, 'upkeep failed'),
    recovered: (job) => log.info({ job }, 'upkeep works again'),
  });
  starting.defer(() => upkeep.stop());
  const limiters = await startLimiters(environments, config, stores, given, upkeep);
  const noteUse = recordUse(environments, stores, upkeep);
  const tidyUp = () => forgetOld(stores, limiters, clock.now());
  upkeep.every(FORGET_EVERY, 'forget old rows', tidyUp);
  if (parts.includes('quickstart')) deliverMessages(stores, clock, upkeep);
  await watchChanges(stores, limiters, clock, upkeep);

  const listener = listen(config.host, config.port, (...asked) => service.handle(...asked));
  starting.defer(() => listener.stop(STOP_GRACE));
  const baseUrl = (part: Part) => config.baseUrl(part, listener.port);
  const service = new HttpService({
    sites: createSites(parts, { config, stores, limiters, noteUse, baseUrl }),
    pages: parts.includes('dashboard')
      ? createDashboard({
          addresses: {
            production: baseUrl('production'),
            staging: baseUrl('staging'),
            quickstart: baseUrl('quickstart'),
            dashboard: baseUrl('dashboard'),
          },
          stores,
          standing: standingFrom(limiters, stores, clock),
          contact: config.contact,
          mail: config.mail,
          clock,
          log,
        })
      : undefined,
    trustedProxies: config.trustedProxies,
    clock,
    log: serviceLog(log),
  });
  const running = starting.move();
  return { port: listener.port, stores, baseUrl, tidyUp, stop: () => running.disposeAsync() };
}

/** The quickstart takes keys of both environments, and counts each in its own. */
function countedHere(parts: readonly Part[]): readonly Environment[] {
  return ENVIRONMENTS.filter((name) => parts.includes(name) || parts.includes('quickstart'));
}

async function startLimiters(
  environments: readonly Environment[],
  config: Config,
  stores: Stores,
  { clock, log }: ServiceParts,
  upkeep: Upkeep,
): Promise<Map<Environment, MemoryLimiter>> {
  const started = environments.map(async (environment) => {
    const limiter = await startLimiter({
      environment,
      policy: config.banPolicy,
      quotas: stores.environment(environment).quotas,
      bans: stores.bans,
      clock,
      upkeep,
      onLostBan: ({ id }, err) => log.error({ ban: id, err }, 'ban cannot be recorded'),
    });
    return [environment, limiter] as const;
  });
  return new Map(await Promise.all(started));
}

/** Keeps when keys were used, and what came of it; saved beside requests. */
function recordUse(
  environments: readonly Environment[],
  stores: Stores,
  upkeep: Upkeep,
): Site['noteUse'] {
  const lastUsed = new LastUsed(stores.keys);
  upkeep.saveEvery(SAVE_LAST_USED_EVERY, 'save last use', () => lastUsed.save());
  const recorders = new Map(
    environments.map((name) => [name, new UsageRecorder(stores.usage, name)]),
  );
  for (const [name, recorder] of recorders) {
    upkeep.saveEvery(SAVE_USAGE_EVERY, `save ${name} usage`, () => recorder.save());
  }
  return (key, status, usedAt) => {
    if (status !== 429) lastUsed.note(key, usedAt);
    recorders.get(key.environment)?.note(key.accountId, status, usedAt);
  };
}

/** Moves what is queued to the inboxes, the oldest first. */
function deliverMessages(stores: Stores, clock: Clock, upkeep: Upkeep): void {
  upkeep.every(DELIVER_EVERY, 'deliver messages', async () => {
    const deliver = () => stores.messages.deliver(clock.now().wall, DELIVER_AT_ONCE);
    while ((await deliver()) === DELIVER_AT_ONCE);
  });
}

/** Two processes with counters of their own would admit twice as much. */
function countAlone(name: Environment, folder: DataFolder, parts: readonly Part[]): Lock {
  const lock = takeLock(folder.lock(name));
  if (lock) return lock;
  const why = parts.includes(name)
    ? ''
    : ' The quickstart counts requests of both environments: serve it in the process that serves them.';
  throw new SetupError(
    `Another process serves ${name} from ${folder.path}. Stop it first, or set PETSTORE_DATA_DIR.${why}`,
  );
}

async function forgetOld(
  stores: Stores,
  limiters: ReadonlyMap<Environment, MemoryLimiter>,
  now: Instant,
): Promise<void> {
  const forgetIn = async (limiter: MemoryLimiter) => {
    limiter.sweep(now);
    const { pets, quotas } = stores.environment(limiter.environment);
    await quotas.prune(now.wall);
    await pets.forgetRequests(now);
  };
  await Promise.all([...limiters.values()].map(forgetIn));
  await stores.messages.forget(now.wall - MESSAGES_STAY);
  await stores.usage.forget(hourOf(now.wall - USAGE_STAYS));
}

/** Applies what other processes, such as the commands, changed: keys, plans, lifted bans. */
async function watchChanges(
  stores: Stores,
  limiters: ReadonlyMap<Environment, MemoryLimiter>,
  clock: Clock,
  upkeep: Upkeep,
): Promise<void> {
  const { changes, credentials, bans } = stores;
  let seen = await changes.revision();
  upkeep.every(WATCH_EVERY, 'watch for changes', async () => {
    const revision = await changes.revision();
    if (revision === seen) return;
    credentials.forget();
    const lifted = await bans.lifted(clock.now().wall);
    for (const limiter of limiters.values()) for (const ban of lifted) limiter.lift(ban);
    seen = revision;
  });
}
