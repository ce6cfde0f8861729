import packageJson from '../../package.json';
import type { Config } from '../config/config.ts';
import { messageOf, StorageUnavailable } from '../core/errors.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Stores } from '../storage/stores.ts';
import { LateMetrics } from './late-metrics.ts';
import type { Log } from './log.ts';
import { type OpsServer, startOpsServer } from './ops-server.ts';
import { ReplyCounts } from './reply-counts.ts';
import type { Tracing } from './tracing.ts';

/** How long after the start the library of metrics is loaded, in ms, unless somebody asks before. */
const LOAD_METRICS_AFTER = 2 * SECOND;

/** How long the store may take to answer before requests should go elsewhere, in ms. */
const STORE_PATIENCE = SECOND;

const NO_TRACING: Tracing = {
  requestsTo:
    (service) =>
    (...asked) =>
      service().handle(...asked),
  within: (parts) => parts,
  onLines: (log) => log,
  close: async () => {},
};

/** What operators look at. */
export interface Operations {
  readonly metrics: LateMetrics;
  readonly tracing: Tracing;
  /** What is counted at every request. */
  readonly replies: ReplyCounts;
  /**
   * Opens the port for operators: requests may be sent to this process from now on.
   * @returns the port.
   * @throws SetupError when it cannot be opened.
   */
  open(): number;
  /** No more requests should be sent here; those under way are being answered. */
  drain(): void;
  stop(): Promise<void>;
}

export async function prepareOperations(
  config: Config,
  stores: Stores,
  { clock, log }: { clock: Clock; log: Log },
): Promise<Operations> {
  // Loaded only where it is used: no other start has to wait for it.
  const tracing = config.tracing
    ? (await import('./tracing.ts')).openTracing(config, clock, log)
    : NO_TRACING;
  let eventLoop: { stop(): void } | undefined;
  let loading: ReturnType<typeof setTimeout> | undefined;
  let server: OpsServer | undefined;
  let isDraining = false;
  const replies = new ReplyCounts();
  const metrics = new LateMetrics(async () => {
    const { Metrics } = await import('./metrics.ts');
    const gauges = {
      writesWaiting: () => stores.writer.waiting,
      messagesQueued: () => stores.messages.queued(),
    };
    const loaded = new Metrics(packageJson.version, gauges, replies);
    eventLoop = loaded.watchEventLoop();
    return loaded;
  });
  stores.measure(metrics);
  return {
    metrics,
    tracing,
    replies,
    open() {
      server = startOpsServer({
        host: config.host,
        port: config.opsPort,
        metrics: () => metrics.get(),
        unready: async () => (isDraining ? 'draining' : await missingStore(stores)),
        onError: (err) => log.error({ err }, 'operators were not answered'),
      });
      // After the first requests, which must not wait for it.
      loading = setTimeout(() => void metrics.get(), LOAD_METRICS_AFTER);
      return server.port;
    },
    drain() {
      isDraining = true;
    },
    async stop() {
      clearTimeout(loading);
      eventLoop?.stop();
      await server?.stop();
      await tracing.close();
    },
  };
}

async function missingStore({ changes }: Stores): Promise<string | undefined> {
  try {
    await withTimeout(STORE_PATIENCE, () => changes.revision());
    return undefined;
  } catch (error) {
    // Clients are told no more than that it is away; operators are told why.
    const cause = error instanceof StorageUnavailable ? error.cause : error;
    return `the store is away: ${messageOf(cause)}`;
  }
}
