import { createApis } from './api/apis.ts';
import { Contract } from './api/operations.ts';
import type { Resources } from './api/resources.ts';
import type { Addresses, Config, Part } from './config/config.ts';
import type { Environment } from './core/environments.ts';
import { openDashboard } from './dashboard/lazy-dashboard.ts';
import type { Pages } from './dashboard/options.ts';
import type { Passwords } from './dashboard/sign-in/passwords.ts';
import type { Api } from './http/api.ts';
import { Listener } from './http/connection/listener.ts';
import type { RequestHandler } from './http/connection/serve-options.ts';
import { HttpService } from './http/pipeline.ts';
import { startBackgroundJobs } from './jobs/background-jobs.ts';
import { watchDataFolder } from './jobs/data-folder.ts';
import type { JobDependencies } from './jobs/dependencies.ts';
import { watchDescriptors } from './jobs/descriptors.ts';
import { LazyLoading } from './jobs/lazy-loading.ts';
import { watchStorageProblems } from './jobs/storage-problems.ts';
import { loadTls } from './jobs/tls.ts';
import type { Clock } from './lib/clock.ts';
import { LazyParts, lazyImport } from './lib/lazy.ts';
import { BackgroundJobs, type Scheduler } from './lib/scheduler.ts';
import { acquireLeases } from './limits/lease.ts';
import { openRedis } from './limits/open-redis.ts';
import type { EnvironmentLimiter } from './limits/persistence.ts';
import type { Log } from './observability/log.ts';
import { Metrics } from './observability/metrics.ts';
import { OpsServer } from './observability/ops-server.ts';
import { jobReport, serviceLog } from './observability/service-log.ts';
import { openTracing } from './observability/tracing.ts';
import { announceService } from './storage/folder/served-folder.ts';
import { openStores } from './storage/open-stores.ts';
import { storeReadiness } from './storage/readiness.ts';
import type { WriterThreads } from './storage/sqlite/writer-threads.ts';
import type { Stores } from './storage/stores.ts';

const loadAccountLimits = lazyImport(() => import('./limits/account-limits.ts'));
const loadSecretJobs = lazyImport(() => import('./jobs/secrets.ts'));

interface ServiceParts {
  readonly clock: Clock;
  /** Runs the background jobs. */
  readonly scheduler: Scheduler;
  readonly log: Log;
  /** The parts of the service to start. */
  readonly parts: readonly Part[];
  /**
   * Whether strangers can send requests. Then everything that requests can reach is loaded right after the start, and
   * the process is ready after that. Otherwise the dashboard is loaded at its first requests, as in a throwaway service.
   */
  readonly isPublic: boolean;
  /** Provides the threads of a data folder's writers; by default each writer starts its own. */
  readonly threads?: WriterThreads | undefined;
  /** How the dashboard stores passwords; by default as argon2id. */
  readonly passwords?: Passwords | undefined;
  /** The resources of the APIs; by default all of this version. */
  readonly resources?: Resources | undefined;
  /** Fills the stores before anything reads them. */
  readonly fill?: ((stores: Stores) => Promise<void>) | undefined;
  /** Wraps the handler of all requests. */
  readonly watch?: ((handler: RequestHandler, apis: readonly Api[]) => RequestHandler) | undefined;
}

/** A service that accepts requests. */
export interface RunningService {
  readonly port: number;
  readonly opsPort: number;
  readonly stores: Stores;
  /** The limiters of the environments that are served. */
  readonly limiters: ReadonlyMap<Environment, EnvironmentLimiter>;
  readonly addresses: Addresses;
  /** Loads the code that the start did not wait for. */
  readonly loading: Pick<LazyLoading, 'problem' | 'failure'>;
  /** Stops accepting, waits for requests in flight, saves and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the service: first the backend, then the ports.
 * @throws SetupError when the data folder, a file or a port cannot be used.
 */
export async function startService(config: Config, given: ServiceParts): Promise<RunningService> {
  const { clock, log, parts } = given;
  // Disposed of in reverse order on stop: stop listening, save, release the leases, close the files.
  await using starting = new AsyncDisposableStack();
  const tls = await loadTls(config);
  const backend = await startBackend(config, given, starting);
  const { contract, stores, limiters, metrics, tracing, ops, recorder, readiness } = backend;
  const { host, port, keepAliveSeconds, trustedProxies, stability } = config;
  const listener = new Listener(host, port, log, { tls: tls?.pair, keepAliveSeconds });
  const addresses = config.addresses(listener.port);
  const requestLog = tracing.addTraceId(log);
  const loadDashboardOptions = async () => ({
    ...config,
    ...(await backend.accountLimits()),
    ...{ addresses, contract, stores, clock, bundle: bundleOptions(given, stores) },
    followChanges: backend.followChanges,
    checkReadiness: () => readiness.checkAll(),
    connections: listener,
    metrics: metrics.security,
    passwords: given.passwords,
    log: requestLog,
  });
  // The parts of a dashboard that is loaded at its first requests are its own.
  const dashboardParts = given.isPublic ? backend.lazyParts : new LazyParts();
  const pages = parts.includes('dashboard')
    ? openDashboard(addresses.dashboard, loadDashboardOptions, dashboardParts)
    : undefined;
  starting.defer(() => pages?.close());
  const dependencies = { ...backend, config, clock, log };
  await followSecrets(dependencies, pages);
  starting.defer(() => listener.stop(config.stopGrace, config.drainFor));
  starting.defer(() => pages?.endStreams(true));

  const sandbox = async () => (await backend.accountLimits()).sandbox;
  const apis = createApis(parts, tracing.traceParts({ ...backend, sandbox, config, addresses }));
  const service = new HttpService({
    ...{ apis, pages, trustedProxies, stability, clock },
    log: serviceLog(requestLog, clock),
    metrics,
    connections: listener,
    recorder,
  });
  const loading = starting.use(new LazyLoading(backend.lazyParts, log));
  if (given.isPublic) readiness.add('loading', () => loading.problem);
  const handler = loading.afterFirstReply(tracing.traceRequests(service));
  listener.handle(given.watch?.(handler, apis) ?? handler, service.servedPaths);
  starting.use(watchDescriptors(listener, pages, dependencies));
  tls?.watch({ ...dependencies, listener });
  const opsPort = ops.open();
  starting.defer(() => ops.drain());
  const running = starting.move();
  const stop = () => running.disposeAsync();
  return { port: listener.port, opsPort, stores, limiters, addresses, loading, stop };
}

/**
 * Starts everything behind the ports: stores, metrics, limiters and background jobs.
 * @param starting disposes of the started parts.
 */
async function startBackend(config: Config, given: ServiceParts, starting: AsyncDisposableStack) {
  const { clock, scheduler, log, parts } = given;
  const stores = await openStores(config, clock, given.threads);
  starting.defer(() => stores.close());
  const filled = given.fill?.(stores);
  // Awaited below. Without this, a failure before that would leave its rejection unhandled.
  filled?.catch(() => {});
  if (stores.folderState) starting.use(announceService(stores.folder.path));
  const readiness = storeReadiness(stores);
  const metrics = new Metrics({ ...stores, readiness }, clock);
  // The writer thread loads its code while this thread continues.
  void stores.prepareWrites();
  stores.measure(metrics);
  starting.use(metrics.measureEventLoop());
  const tracing = starting.use(await openTracing(config, clock, log));
  const ops = starting.use(new OpsServer({ config, metrics, readiness, log }));
  const redis = starting.use(await openRedis(config, { clock, log, metrics, readiness }));
  const leases = await acquireLeases({ config, stores, parts }, starting);
  // Creates the files of the environments while the writer thread fills the accounts file.
  for (const environment of leases.keys()) stores.environment(environment);
  await filled;
  const jobs = starting.use(new BackgroundJobs(scheduler, clock, jobReport(log)));
  const backend = { stores, readiness, metrics, tracing, ops, redis, jobs };
  const dependencies = { ...backend, parts, leases, config, clock, log };
  const started = await startBackgroundJobs(dependencies);
  starting.use(watchDataFolder(dependencies));
  watchStorageProblems(dependencies);
  await stores.prepareWrites();
  const lazyParts = new LazyParts();
  lazyParts.add(() => stores.load());
  const { stability } = config;
  const limits = { limiters: started.limiters, stores, redis, stability, clock };
  const lazyLimits = lazyParts.add(async () => (await loadAccountLimits()).accountLimits(limits));
  const contract = new Contract(given.resources, stability);
  return { ...backend, ...started, contract, lazyParts, accountLimits: lazyLimits };
}

/** A throwaway service leaves nothing behind, so it keeps no bundle. */
function bundleOptions({ isPublic }: ServiceParts, { folder, folderState }: Stores) {
  return { isKept: isPublic, dataFolder: folderState && isPublic ? folder.path : undefined };
}

/** Starts the jobs for a secret that changes. */
async function followSecrets(
  dependencies: JobDependencies,
  pages: Pages | undefined,
): Promise<void> {
  if (!dependencies.stores.secrets.areSeveral) return;
  const { watchSecrets } = await loadSecretJobs();
  watchSecrets(dependencies, pages);
}
