import { createApis } from './api/apis.ts';
import type { Config, Part } from './config/config.ts';
import { openDashboard } from './dashboard/lazy-dashboard.ts';
import type { Pages } from './dashboard/options.ts';
import { listen } from './http/listener.ts';
import { HttpService } from './http/pipeline.ts';
import { deliverMessages, startBackgroundJobs } from './jobs/background-jobs.ts';
import { type Clock, SECOND } from './lib/clock.ts';
import { BackgroundJobs, type Scheduler } from './lib/scheduler.ts';
import { currentUsageFrom } from './limits/current-usage.ts';
import { acquireLeases, limitedEnvironments } from './limits/lease.ts';
import { MemoryAttemptCounts } from './limits/memory/attempt-counts.ts';
import type { SharedRedis } from './limits/redis/shared-redis.ts';
import type { LateMetrics } from './observability/late-metrics.ts';
import { type Log, serviceLog } from './observability/log.ts';
import { prepareOperations } from './observability/operations.ts';
import { openStores } from './storage/open-stores.ts';
import type { Stores } from './storage/stores.ts';

/** How long requests in flight may take once the service is told to stop, in ms. */
export const STOP_GRACE = 10 * SECOND;

export interface ServiceParts {
  readonly clock: Clock;
  /** Runs the background jobs. */
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** What to serve. */
  readonly parts: readonly Part[];
}

/** A service that answers. */
export interface RunningService {
  readonly port: number;
  readonly opsPort: number;
  readonly stores: Stores;
  baseUrl(part: Part): string;
  /** Stops accepting, answers what is in flight, saves and closes everything. */
  stop(): Promise<void>;
}

/** @throws SetupError when the folder, a file or the port cannot be used. */
export async function startService(config: Config, given: ServiceParts): Promise<RunningService> {
  const { clock, scheduler, log, parts } = given;
  // Undone in reverse: stop listening, save what is in memory, let go of the locks, close the files.
  await using starting = new AsyncDisposableStack();
  const stores = await openStores(config, clock);
  starting.defer(() => stores.close());
  const operations = await prepareOperations(config, stores, { clock, log });
  starting.defer(() => operations.stop());
  const { metrics, tracing } = operations;
  const redis = await connectRedis(config, { clock, log, metrics });
  starting.defer(() => redis?.close());
  const environments = limitedEnvironments(parts, config);
  const leases = starting.use(await acquireLeases(environments, { config, stores, parts }));
  const jobs = new BackgroundJobs(scheduler, clock, {
    failed: (job, error) => log.warn({ job, err: error }, 'background job failed'),
    recovered: (job) => log.info({ job }, 'background job works again'),
  });
  starting.defer(() => jobs.stop());
  leases.renewIn(jobs);
  const dependencies = { environments, config, stores, redis, clock, log, metrics, jobs };
  const { limiters, recordUse } = await startBackgroundJobs(dependencies);
  if (parts.includes('quickstart')) deliverMessages(dependencies);

  const lines = tracing.onLines(log);
  const handle = tracing.requestsTo(() => service);
  const listener = listen(config.host, config.port, handle);
  let dashboard: Pages | undefined;
  starting.defer(() => dashboard?.close());
  starting.defer(() => listener.stop(STOP_GRACE, config.drainFor));
  const baseUrl = (part: Part) => config.baseUrl(part, listener.port);
  if (parts.includes('dashboard')) {
    dashboard = openDashboard({
      addresses: addressesFrom(baseUrl),
      stores,
      attempts: redis?.attempts ?? new MemoryAttemptCounts(),
      currentUsage: currentUsageFrom(limiters, stores, clock),
      contact: config.contact,
      mail: config.mail,
      clock,
      log: lines,
    });
  }
  const service = new HttpService({
    sites: createApis(parts, tracing.within({ config, stores, limiters, recordUse, baseUrl })),
    pages: dashboard,
    trustedProxies: config.trustedProxies,
    clock,
    log: serviceLog(lines),
    metrics: operations.replies,
  });
  const opsPort = operations.open();
  starting.defer(operations.drain);
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return { port: listener.port, opsPort, stores, baseUrl, stop };
}

/** Redis, where it is configured; its code is loaded only then, so that no other start waits for it. */
async function connectRedis(
  { redis }: Config,
  parts: { clock: Clock; log: Log; metrics: LateMetrics },
): Promise<SharedRedis | undefined> {
  if (!redis) return undefined;
  const { openRedis } = await import('./limits/redis/shared-redis.ts');
  return openRedis(redis, parts);
}

function addressesFrom(baseUrl: (part: Part) => string): Readonly<Record<Part, string>> {
  return {
    production: baseUrl('production'),
    staging: baseUrl('staging'),
    quickstart: baseUrl('quickstart'),
    dashboard: baseUrl('dashboard'),
  };
}
