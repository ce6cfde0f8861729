import { createApis } from './api/apis.ts';
import type { Addressed, Config, Part } from './config/config.ts';
import type { AttemptCounts } from './core/attempts.ts';
import type { Environment } from './core/environments.ts';
import { messageOf, StorageUnavailable } from './core/errors.ts';
import type { SandboxControl } from './core/sandbox-control.ts';
import { openDashboard } from './dashboard/lazy-dashboard.ts';
import type { Pages as DashboardPages } from './dashboard/options.ts';
import { Listener } from './http/listener.ts';
import { HttpService } from './http/pipeline.ts';
import type { RequestHandler } from './http/serve-options.ts';
import { deliverMessages, startBackgroundJobs } from './jobs/background-jobs.ts';
import { watchDataFolder } from './jobs/data-folder.ts';
import { watchDescriptors } from './jobs/descriptors.ts';
import { watchLastBackup } from './jobs/last-backup.ts';
import { type Clock, SECOND } from './lib/clock.ts';
import { lazy } from './lib/lazy.ts';
import { Readiness } from './lib/readiness.ts';
import { BackgroundJobs, type Scheduler } from './lib/scheduler.ts';
import { acquireLeases, limitedEnvironments, renewLeases } from './limits/lease.ts';
import type { EnvironmentLimiter } from './limits/persistence.ts';
import type { SharedRedis } from './limits/redis/shared-redis.ts';
import { type Log, serviceLog } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { OpsServer } from './observability/ops-server.ts';
import { openTracing } from './observability/tracing.ts';
import { announceService } from './storage/folder/served-folder.ts';
import { openStores } from './storage/open-stores.ts';
import type { WriterThreads } from './storage/sqlite/writer-threads.ts';
import type { Stores } from './storage/stores.ts';

/** How long requests in flight may take after the stop begins, in ms; then they are aborted. */
export const STOP_GRACE = 10 * SECOND;

interface ServiceParts {
  readonly clock: Clock;
  /** Runs the background jobs. */
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** What to serve. */
  readonly parts: readonly Part[];
  /** Where the writers of a data folder get their threads from; by default each starts its own. */
  readonly threads?: WriterThreads | undefined;
  /** Fills the stores before anything reads them. */
  readonly fill?: ((stores: Stores) => Promise<void>) | undefined;
  /** Wraps the handler of all requests. @param baseUrls of the APIs. */
  readonly watch?:
    | ((handler: RequestHandler, baseUrls: readonly string[]) => RequestHandler)
    | undefined;
}

/** A service that accepts requests. */
export interface RunningService {
  readonly port: number;
  readonly opsPort: number;
  readonly stores: Stores;
  /** The limiters of the environments that are served. */
  readonly limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  baseUrl(name: Addressed): string;
  /** Stops accepting, waits for requests in flight, saves and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the service: first the backend, then the ports.
 * @throws SetupError when the data folder, a file or a port cannot be used.
 */
export async function startService(config: Config, given: ServiceParts): Promise<RunningService> {
  const { clock, log, parts } = given;
  // A stop disposes of these in reverse: stop listening, save, release the leases, close the files.
  await using starting = new AsyncDisposableStack();
  const tls = await loadTls(config);
  const backend = await startBackend(config, given, starting);
  const { stores, metrics, tracing, ops, limiters, recordUsage, recorder, readiness, jobs } =
    backend;
  const currentUsage = loadCurrentUsage(backend, clock);
  const sandbox = loadSandbox(backend, currentUsage);

  const listener = new Listener(config.host, config.port, clock, tls?.pair);
  const baseUrl = (name: Addressed) => config.baseUrl(name, listener.port);
  const requestLog = tracing.addTraceId(log);
  const pages = parts.includes('dashboard')
    ? openDashboard(baseUrl('dashboard'), async () => ({
        attempts: await loadAttempts(backend),
        currentUsage: await currentUsage(),
        sandbox: await sandbox(),
        addresses: addressesFrom(baseUrl),
        stores,
        ...dashboardSettings(config),
        followChanges: backend.followChanges,
        checkReadiness: () => checkParts(backend),
        connections: listener,
        clock,
        log: requestLog,
      }))
    : undefined;
  starting.defer(() => pages?.close());
  starting.defer(() => listener.stop(STOP_GRACE, config.drainFor));
  starting.defer(() => pages?.endStreams(true));
  const api = tracing.traceParts({ config, stores, limiters, recordUsage, sandbox, baseUrl });
  const apis = createApis(parts, api);
  const service = new HttpService({
    apis,
    pages,
    trustedProxies: config.trustedProxies,
    clock,
    log: serviceLog(requestLog, clock),
    metrics,
    connections: listener,
    recorder,
  });
  const handler = tracing.traceRequests(service);
  const baseUrls = apis.map((each) => each.baseUrl);
  listener.handle(given.watch?.(handler, baseUrls) ?? handler, service.servedPaths);
  starting.use(watchDescriptors({ listener: withPages(listener, pages), jobs, readiness, log }));
  tls?.watch({ listener, jobs, readiness, metrics, log, clock });
  const opsPort = ops.open();
  starting.defer(() => ops.drain());

  // Takes 50 ms of the writer thread: the first replies need not wait for it.
  stores.loadRareWrites();
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return { port: listener.port, opsPort, stores, limiters, baseUrl, stop };
}

/** The settings of an operator that the dashboard shows or applies. */
function dashboardSettings(config: Config) {
  const { banPolicy, anonymousLimits, signUpLimits, requestLogDays } = config;
  const { contact, mail, operatorsNeedSecondFactor } = config;
  const limits = { banPolicy, anonymousLimits, signUpLimits, requestLogDays };
  return { ...limits, contact, mail, operatorsNeedSecondFactor };
}

/** The checks of `/readyz`, and Redis, without which the process is ready all the same. */
async function checkParts({ readiness, redis }: Pick<Backend, 'readiness' | 'redis'>) {
  const checks = await readiness.check();
  return redis ? checks.set('redis', redis.problem()) : checks;
}

/** The listener, whose pause does not wait for replies that stay open. */
function withPages(listener: Listener, pages: DashboardPages | undefined) {
  return {
    resume: () => listener.resume(),
    pause() {
      pages?.endStreams(false);
      return listener.pause();
    },
  };
}

/**
 * Starts everything behind the ports: stores, metrics, limiters and background jobs.
 * @param starting disposes of them.
 */
async function startBackend(config: Config, given: ServiceParts, starting: AsyncDisposableStack) {
  const { clock, scheduler, log, parts } = given;
  const stores = await openStores(config, clock, given.threads);
  starting.defer(() => stores.close());
  await given.fill?.(stores);
  if (stores.folderState) starting.use(announceService(stores.folder.path));
  const readiness = new Readiness();
  readiness.add('store', () => storeProblem(stores));
  readiness.add('writes', () => stores.writes.problem());
  readiness.addNote(() => lostNodesNote(stores));
  const metrics = new Metrics({ ...stores, readiness }, clock);
  // The writer thread loads its code while this one does the rest.
  const prepared = stores.prepareWrites();
  stores.measure(metrics);
  starting.use(metrics.measureEventLoop());
  const tracing = await openTracing(config, clock, log);
  starting.defer(() => tracing.close());
  const { opsHost: host, opsPort: port } = config;
  const ops = new OpsServer({ host, port, metrics, readiness, log, clock });
  starting.defer(() => ops.stop());
  const redis = await connectRedis(config, { clock, log, metrics });
  starting.defer(() => redis?.close());

  const environments = limitedEnvironments(parts, config);
  const leases = await acquireLeases(environments, { config, stores, parts }, starting);
  const jobs = new BackgroundJobs(scheduler, clock, {
    failed: (job, error) => log.warn({ job, err: error }, 'background job failed'),
    recovered: (job) => log.info({ job }, 'background job works again'),
  });
  starting.defer(() => jobs.stop());
  renewLeases(leases, jobs);
  const dependencies = { environments, config, stores, redis, clock, log, metrics, jobs };
  const { limiters, recordUsage, recorder, followChanges } =
    await startBackgroundJobs(dependencies);
  starting.use(watchDataFolder({ ...dependencies, readiness }));
  watchLastBackup({ ...dependencies, readiness, warnAfter: config.backupWarnAfter });
  if (parts.includes('quickstart')) deliverMessages(dependencies);
  await prepared;
  await stores.prepareWrites();
  const running = { limiters, recordUsage, recorder, followChanges };
  return { stores, metrics, tracing, ops, redis, ...running, readiness, jobs };
}

/** The certificate and what watches its files; loaded where one is set. */
async function loadTls({ tls: files }: Config) {
  if (!files) return undefined;
  const [{ readTlsPair }, { watchTlsFiles }] = await Promise.all([
    import('./http/tls-pair.ts'),
    import('./jobs/tls-files.ts'),
  ]);
  const pair = await readTlsPair(files);
  const watch = (dependencies: Parameters<typeof watchTlsFiles>[2]) =>
    watchTlsFiles(files, pair, dependencies);
  return { pair, watch };
}

/** Why the store cannot be read, if so. Clients only see that it is unavailable. */
async function storeProblem({ changes }: Stores): Promise<string | undefined> {
  try {
    await changes.revision();
    return undefined;
  } catch (error) {
    const cause = error instanceof StorageUnavailable ? error.cause : error;
    return `the store is unavailable: ${messageOf(cause)}`;
  }
}

async function lostNodesNote(stores: Stores): Promise<string | undefined> {
  const lost = await stores.lostNodes();
  if (lost.length === 0) return undefined;
  return `Nodes of the database that cannot be reached: ${lost.join(', ')}. What they have gets 503.`;
}

type Backend = Awaited<ReturnType<typeof startBackend>>;

/** How accounts stand in their windows; loaded at the first call. */
function loadCurrentUsage({ limiters, stores }: Backend, clock: Clock) {
  return lazy(async () => {
    const { currentUsageFrom } = await import('./limits/current-usage.ts');
    return currentUsageFrom(limiters, stores, clock);
  });
}

/** The sandbox of staging; loaded at the first call. */
function loadSandbox(
  { limiters, stores }: Backend,
  currentUsage: ReturnType<typeof loadCurrentUsage>,
): () => Promise<SandboxControl> {
  return lazy(async () => {
    const { SandboxControl } = await import('./core/sandbox-control.ts');
    const usageOf = await currentUsage();
    return new SandboxControl({
      ...stores,
      pets: stores.environment('staging').pets,
      limiter: limiters.get('staging'),
      usage: (account) => usageOf(account, 'staging'),
    });
  });
}

/** What counts attempts to sign in; loaded with the dashboard. */
async function loadAttempts({ redis }: Pick<Backend, 'redis'>): Promise<AttemptCounts> {
  const { MemoryAttemptCounts } = await import('./limits/memory/attempt-counts.ts');
  return redis?.attempts ?? new MemoryAttemptCounts();
}

/** Connects to Redis if it is configured; its client is only loaded then. */
async function connectRedis(
  { redis }: Config,
  parts: { clock: Clock; log: Log; metrics: Metrics },
): Promise<SharedRedis | undefined> {
  if (!redis) return undefined;
  const { openRedis } = await import('./limits/redis/shared-redis.ts');
  return openRedis(redis, parts);
}

function addressesFrom(baseUrl: (name: Addressed) => string): Readonly<Record<Addressed, string>> {
  return {
    production: baseUrl('production'),
    staging: baseUrl('staging'),
    quickstart: baseUrl('quickstart'),
    sandbox: baseUrl('sandbox'),
    dashboard: baseUrl('dashboard'),
  };
}
