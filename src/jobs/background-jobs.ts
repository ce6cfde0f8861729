import type { Part } from '../config/config.ts';
import { SECURITY_EVENTS_STAY } from '../core/accounts/audit.ts';
import type { ChangeListener } from '../core/changes.ts';
import type { Environment } from '../core/environments.ts';
import type { BanRecord } from '../core/limits/ban-records.ts';
import type { Lease } from '../core/limits/lease.ts';
import { MESSAGES_KEPT } from '../core/messages/messages.ts';
import { firstKeptHour, hourOf } from '../core/requests/usage.ts';
import type { Api } from '../http/api.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../lib/clock.ts';
import { renewLeases } from '../limits/lease.ts';
import {
  type EnvironmentLimiter,
  type LimiterDependencies,
  startLimiter,
} from '../limits/persistence.ts';
import type { SharedRedis } from '../limits/redis/shared-redis.ts';
import type { Stores } from '../storage/stores.ts';
import { deleteOrdersOfDeletedAccounts } from './abandoned-orders.ts';
import { CacheInvalidator } from './cache-invalidator.ts';
import type { JobDependencies } from './dependencies.ts';
import { watchLastBackup } from './last-backup.ts';
import { LastUsed } from './last-used.ts';
import { LimiterCommands } from './limiter-commands.ts';
import { RequestLogRecorder } from './request-log-recorder.ts';
import { UsageRecorder } from './usage-recorder.ts';

/** How often changes by other processes are polled, in ms; they apply within 1 s. */
const WATCH_EVERY = 0.25 * SECOND;
/** How often to check whether failing writes succeed again, in ms. */
const PROBE_WRITES_EVERY = SECOND;
const SAVE_LAST_USED_EVERY = SECOND;
/** How often usage is saved, in ms; a crash loses at most this plus the time of a commit. */
const SAVE_USAGE_EVERY = 5 * SECOND;
/** How often the request log is saved, in ms; requests are visible within 2 s. */
const SAVE_REQUESTS_EVERY = SECOND;
const DELIVER_EVERY = 0.5 * SECOND;
/** Messages delivered in one transaction. */
const DELIVER_AT_ONCE = 500;
const PRUNE_EVERY = 10 * MINUTE;
/** How often the feed of changes of pets is pruned. */
const PRUNE_CHANGES_EVERY = 10 * SECOND;
/** How long keys that have ended are kept in the list of their account, in ms. */
const ENDED_KEYS_STAY = 90 * DAY;
/** How long usage is kept, in ms: the 30 days that are shown, and the current day. */
const USAGE_STAYS = 31 * DAY;

interface Dependencies extends JobDependencies {
  /** The parts that this process serves. */
  readonly parts: readonly Part[];
  /** The leases of the environments whose limits this process applies. */
  readonly leases: ReadonlyMap<Environment, Lease>;
  /** Holds quotas and bans; without it they are in the memory of this process. */
  readonly redis: SharedRedis | undefined;
}

interface StartedJobs {
  readonly limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  readonly recordUsage: Api['recordUsage'];
  /** Calls a listener for all changes from now on, until the returned function is called. */
  followChanges(listener: ChangeListener): () => void;
  /** Records requests in the request log; `undefined` if the log is off. */
  readonly recorder: RequestLogRecorder | undefined;
}

/** Starts the limiters and the jobs that persist and prune data; they run until `jobs` is stopped. */
export async function startBackgroundJobs(dependencies: Dependencies): Promise<StartedJobs> {
  const { stores, clock, jobs, config, leases, parts } = dependencies;
  renewLeases(leases, jobs);
  // Read before the bans, so that a ban lifted during startup is noticed as a change.
  const seen = await stores.changes.revision();
  const limiters = await startLimiters(dependencies);
  const { recordUsage, forgetUsage } = startRecordingUsage(dependencies);
  const recorder = startRecordingRequests(dependencies);
  jobs.every(PRUNE_EVERY, 'prune expired rows', () => pruneExpired(stores, limiters, clock.now()));
  jobs.every(PRUNE_EVERY, 'prune the request log', () =>
    stores.requestLog.prune(clock.now().wall - config.requestLogDays * DAY),
  );
  const limiter = limiters.get('staging');
  const limiterCommands =
    limiter && (await LimiterCommands.start({ limiter, sandboxes: stores.sandboxes, clock }));
  const cacheInvalidator = new CacheInvalidator(seen, limiters, {
    ...dependencies,
    limiterCommands,
    forgetRecorded(environment) {
      forgetUsage(environment);
      recorder?.forget(environment);
    },
  });
  jobs.every(PROBE_WRITES_EVERY, 'probe failing writes', () => stores.probeWrites());
  jobs.every(WATCH_EVERY, 'watch for changes', async () => {
    await cacheInvalidator.update();
    await limiterCommands?.apply();
  });
  for (const environment of limiters.keys()) {
    const { pets } = stores.environment(environment);
    jobs.every(WATCH_EVERY, `watch for changes of ${environment} pets`, () => pets.applyChanges());
    jobs.every(PRUNE_CHANGES_EVERY, `prune changes of ${environment} pets`, () =>
      pets.pruneChanges(),
    );
  }
  const followChanges: StartedJobs['followChanges'] = (listener) =>
    cacheInvalidator.follow(listener);
  if (recorder) followChanges((changes) => recorder.noteChanges(changes));
  watchLastBackup(dependencies);
  deleteOrdersOfDeletedAccounts(dependencies, limiters.keys());
  if (parts.includes('quickstart')) deliverMessages(dependencies);
  return { limiters, recordUsage, recorder, followChanges };
}

async function startLimiters(
  dependencies: Dependencies,
): Promise<Map<Environment, EnvironmentLimiter>> {
  const { leases, config, stores, redis, clock, log, metrics, jobs } = dependencies;
  const started = Array.from(leases.keys(), async (environment) => {
    const limiterDependencies = {
      environment,
      policy: config.banPolicy,
      bans: stores.bans,
      clock,
      jobs,
      onBan: () => metrics.bans.inc({ environment }),
      onLostBan: ({ id }: BanRecord, err: unknown) =>
        log.error({ ban: id, err }, 'ban cannot be recorded'),
    } satisfies Omit<LimiterDependencies, 'quotas'>;
    const limiter = redis
      ? await redis.startLimiter(limiterDependencies)
      : await startLimiter({
          ...limiterDependencies,
          quotas: stores.environment(environment).quotas,
        });
    return [environment, limiter] as const;
  });
  return new Map(await Promise.all(started));
}

/** Records in memory when keys are used and with which outcome; jobs save the records. */
function startRecordingUsage({ leases, stores, jobs }: Dependencies): {
  readonly recordUsage: Api['recordUsage'];
  readonly forgetUsage: (environment: Environment) => void;
} {
  const lastUsed = new LastUsed(stores.keys);
  jobs.everyAndAtStop(SAVE_LAST_USED_EVERY, 'save last uses', () => lastUsed.save());
  const recorders = new Map(
    Array.from(leases.keys(), (name) => [name, new UsageRecorder(stores.usage, name)]),
  );
  for (const [name, recorder] of recorders) {
    jobs.everyAndAtStop(SAVE_USAGE_EVERY, `save ${name} usage`, () => recorder.save());
  }
  return {
    recordUsage(key, reply) {
      if (reply.status !== 429) lastUsed.record(key, reply.at);
      recorders.get(key.environment)?.record(key, reply);
    },
    forgetUsage: (environment) => recorders.get(environment)?.forget(),
  };
}

/** Starts the request log, unless it is off. */
function startRecordingRequests(dependencies: Dependencies): RequestLogRecorder | undefined {
  const { config, stores, jobs, metrics } = dependencies;
  if (config.requestLogDays === 0) return undefined;
  const { requestLog: store, accounts } = stores;
  const onDropped = (count: number) => metrics.requestsNotLogged.inc(count);
  const recorder = new RequestLogRecorder({ store, accounts, onDropped });
  jobs.everyAndAtStop(SAVE_REQUESTS_EVERY, 'save the request log', () => recorder.save());
  return recorder;
}

/** Starts the job that delivers queued messages to the inboxes, oldest first. */
function deliverMessages({ stores, clock, jobs }: Dependencies): void {
  jobs.every(DELIVER_EVERY, 'deliver messages', async () => {
    const deliver = () => stores.messages.deliver(clock.now().wall, DELIVER_AT_ONCE);
    while ((await deliver()) === DELIVER_AT_ONCE);
  });
}

async function pruneExpired(
  stores: Stores,
  limiters: ReadonlyMap<Environment, EnvironmentLimiter>,
  now: Instant,
): Promise<void> {
  const pruneIn = async (limiter: EnvironmentLimiter) => {
    limiter.pruneExpired(now);
    const { pets, orders, quotas } = stores.environment(limiter.environment);
    await quotas.prune(now.wall);
    await pets.pruneRequests(now);
    await orders.pruneRequests(now);
  };
  await Promise.all([...limiters.values()].map(pruneIn));
  await stores.messages.prune(now.wall - MESSAGES_KEPT);
  await stores.audit.prune(now.wall - SECURITY_EVENTS_STAY);
  await stores.keys.prune(now.wall - ENDED_KEYS_STAY, now.wall - DAY, now.wall);
  await stores.usage.addUpDays(firstKeptHour(now.wall));
  await stores.usage.prune(hourOf(now.wall - USAGE_STAYS));
}
