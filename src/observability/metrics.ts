import packageJson from '../../package.json';
import type { BackupRecords } from '../core/backup-records.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import type { RateLimitResult } from '../core/limits/rate-limit.ts';
import type { ServiceMetrics } from '../http/service-options.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { Readiness } from '../lib/readiness.ts';
import type { StorageMetrics } from '../storage/metrics.ts';
import type { Stores } from '../storage/stores.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { Counter, Gauge, MetricsRegistry } from './prometheus.ts';
import { RequestHistogram } from './request-histogram.ts';
import { securityMetrics } from './security-metrics.ts';
import { addStorageMetrics, type MeasuredStorage } from './storage-metrics.ts';

/** The sources that are read at each scrape; a queue that cannot be read is omitted. */
interface Measured extends MeasuredStorage, Pick<Stores, 'writer' | 'messages' | 'backups'> {
  readonly readiness: Pick<Readiness, 'check'>;
}

/** How often the lag of the event loop is measured, in ms. */
const LAG_INTERVAL = 0.5 * SECOND;

/** Upper bounds of the buckets of batch sizes. */
const SIZE_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

type Outcome = RateLimitResult['outcome'];

/** The metrics of the service, in Prometheus' format. */
export class Metrics implements ServiceMetrics, StorageMetrics {
  readonly #clock: Clock;
  readonly #registry = new MetricsRegistry();
  readonly #requests = new RequestHistogram(this.#registry);
  readonly security = securityMetrics(this.#registry);
  // Plain numbers, read at each scrape: incrementing a labelled counter takes 3 % of the main thread.
  readonly #decisions: Record<Outcome, number> = { admitted: 0, limited: 0, banned: 0 };
  readonly bans = this.#registry.counter('petstore_bans_total', 'Bans started, by environment.', [
    'environment',
  ]);
  readonly #commits = this.#registry.histogram(
    'petstore_commit_duration_seconds',
    'Duration of write transactions, from sending them to the commit on disk.',
  );
  readonly #batches = this.#registry.histogram(
    'petstore_commit_batch_size',
    'Number of changes per write transaction.',
    SIZE_BUCKETS,
  );
  readonly #commitFailures = this.#registry.counter(
    'petstore_commit_failures_total',
    'Changes that could not be written.',
  );
  readonly #database = this.#registry.histogram(
    'petstore_database_duration_seconds',
    'Duration of PostgreSQL statements, or of SQLite write transactions.',
  );
  readonly #databaseFailures = this.#registry.counter(
    'petstore_database_errors_total',
    'Database calls that failed because the database was unavailable.',
  );
  readonly requestsNotLogged = this.#registry.counter(
    'petstore_request_log_dropped_total',
    'Requests that are missing in the request log, because the store was too slow or failed.',
  );
  readonly redis = this.#registry.histogram(
    'petstore_redis_duration_seconds',
    'Duration of Redis commands.',
  );
  readonly redisFailures = this.#registry.counter(
    'petstore_redis_errors_total',
    'Redis commands and connections that failed.',
  );
  readonly #redisUnavailable = [
    this.#registry.gauge(
      'petstore_redis_unavailable',
      'Number of Redis servers that are unavailable.',
    ),
    // Sent throughout 1.x: dashboards and alerts of operators may use it.
    this.#registry.gauge('petstore_redis_away', 'Former name of petstore_redis_unavailable.'),
  ];
  /** When the TLS certificate in use expires, in epoch ms; `undefined` without one. */
  certificateExpiry: number | undefined;
  /** Set while the store has several secrets. */
  readonly previousSecrets = this.#registry.labelledGauge(
    'petstore_previous_secrets_needed',
    'Active API keys and authenticator apps that need a previous secret.',
    'by',
  );
  readonly #lag = this.#registry.histogram(
    'petstore_event_loop_lag_seconds',
    'Delay of timers in the event loop.',
  );

  /** @param clock measures durations. */
  constructor(measured: Measured, clock: Clock) {
    const { writer, messages, backups, readiness } = measured;
    this.#clock = clock;
    const decisions = this.#decisions;
    new Counter({
      name: 'petstore_quota_decisions_total',
      help: 'Rate limit decisions by outcome: admitted, limited or banned.',
      labelNames: ['outcome'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(decisions)) this.inc({ outcome }, count);
      },
    });
    // Initialised to 0, so that the first ban appears as an increase.
    for (const environment of ENVIRONMENTS) this.bans.inc({ environment }, 0);
    this.#registry.gauge(
      'petstore_writes_waiting',
      'Changes waiting for the writer.',
      () => writer.waiting,
    );
    this.#registry.gauge('petstore_messages_queued', 'Messages not delivered yet.', () =>
      messages.queued(),
    );
    this.#registry.labelledGauge(
      'petstore_not_ready',
      'Whether the check found a problem because of which /readyz answers 503.',
      'check',
      async () => {
        const outcomes = await readiness.check();
        return Array.from(outcomes, ([name, problem]) => [name, problem === undefined ? 0 : 1]);
      },
    );
    addStorageMetrics(this.#registry, measured);
    this.#addOperating(backups);
    addProcessMetrics(this.#registry);
    new Gauge({
      name: 'petstore_build_info',
      help: 'Version of the service and of Bun.',
      labelNames: ['version', 'bun'],
      registers: [this.#registry],
    }).set({ version: packageJson.version, bun: Bun.version }, 1);
  }

  /** The current time for measuring durations, in ms, from a monotonic clock. */
  now(): number {
    return this.#clock.now().elapsed;
  }

  /** Records a response. @param took ms */
  recordResponse(operation: string, status: number, took: number): void {
    this.#requests.record(operation, status, took);
  }

  /** Records the rate limiter's decision on a request. */
  recordDecision(outcome: Outcome): void {
    this.#decisions[outcome] += 1;
  }

  /** Records a write transaction. @param took ms */
  committed(size: number, took: number): void {
    this.#batches.observe(size);
    this.#commits.observe(took / SECOND);
  }

  /** Records changes that could not be written. */
  notCommitted(size: number): void {
    this.#commitFailures.inc(size);
  }

  /** Records a reply of the database. @param took ms */
  databaseReplied(took: number): void {
    this.#database.observe(took / SECOND);
  }

  /** Records a call that failed because the database was unavailable. */
  databaseFailed(): void {
    this.#databaseFailures.inc();
  }

  /** Sets the number of Redis servers that are unavailable. */
  redisUnavailable(count: number): void {
    for (const gauge of this.#redisUnavailable) gauge.set(count);
  }

  /** Measures the lag of the event loop until it is disposed of. */
  measureEventLoop(): Disposable {
    let expected = this.now() + LAG_INTERVAL;
    const timer = setInterval(() => {
      const now = this.now();
      this.#lag.observe(Math.max(0, now - expected) / SECOND);
      expected = now + LAG_INTERVAL;
    }, LAG_INTERVAL);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Adds metrics of what operators have to renew: backups and the TLS certificate. */
  #addOperating(backups: BackupRecords): void {
    this.#registry.gauge(
      'petstore_last_backup_age_seconds',
      'Time since the last backup that petstore backup made.',
      async () => {
        const last = await backups.last();
        return last && Math.max(0, this.#clock.now().wall - last.at) / SECOND;
      },
    );
    this.#registry.gauge(
      'petstore_tls_certificate_expiry_timestamp_seconds',
      'When the TLS certificate in use expires.',
      () => this.certificateExpiry && this.certificateExpiry / SECOND,
    );
  }
}
