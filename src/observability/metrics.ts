import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';
import { LATENCY_BUCKETS, type ReplyCounts } from './reply-counts.ts';
import { ReplyHistogram } from './reply-histogram.ts';

/** What is asked when somebody collects; what cannot be told is left out. */
export interface Gauges {
  /** Changes that wait for the writer. */
  writesWaiting(): number;
  /** Messages that are not delivered yet. */
  messagesQueued(): Awaitable<number>;
}

/** How long one answer may keep the others waiting, in ms; Prometheus gives up after a few seconds. */
const PATIENCE = SECOND;

const BATCH_BUCKETS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
/** How often the event loop is asked how late it is, in ms. */
const LAG_EVERY = 0.5 * SECOND;

/** What the service counts and measures, in the form that Prometheus collects. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #bans = this.#counter('petstore_bans_total', 'Bans that began.', ['environment']);
  readonly #commits = this.#histogram({
    name: 'petstore_commit_duration_seconds',
    help: 'Transactions of the writer, from the request to the disk.',
    buckets: LATENCY_BUCKETS,
  });
  readonly #batches = this.#histogram({
    name: 'petstore_commit_batch_size',
    help: 'Changes in one transaction.',
    buckets: BATCH_BUCKETS,
  });
  readonly #failures = this.#counter(
    'petstore_commit_failures_total',
    'Changes that could not be written.',
    [],
  );
  readonly #database = this.#histogram({
    name: 'petstore_database_duration_seconds',
    help: 'Statements that PostgreSQL answered, or transactions of the embedded store.',
    buckets: LATENCY_BUCKETS,
  });
  readonly #databaseFailures = this.#counter(
    'petstore_database_errors_total',
    'Calls that failed because the database did.',
    [],
  );
  readonly #redis = this.#histogram({
    name: 'petstore_redis_duration_seconds',
    help: 'Commands that Redis answered, and how long each took.',
    buckets: LATENCY_BUCKETS,
  });
  readonly #redisFailures = this.#counter(
    'petstore_redis_errors_total',
    'Commands and connections to Redis that failed.',
    [],
  );
  readonly #redisAway = new Gauge({
    name: 'petstore_redis_away',
    help: 'Servers of Redis that do not answer.',
    registers: [this.#registry],
  });
  readonly #lag = this.#histogram({
    name: 'petstore_event_loop_lag_seconds',
    help: 'How late the event loop runs a timer.',
    buckets: LATENCY_BUCKETS,
  });

  constructor(version: string, gauges: Gauges, replies: ReplyCounts) {
    new ReplyHistogram(replies, this.#registry);
    new Counter({
      name: 'petstore_quota_decisions_total',
      help: 'Requests that were admitted, limited or banned.',
      labelNames: ['outcome'],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [outcome, count] of Object.entries(replies.decisions)) {
          this.inc({ outcome }, count);
        }
      },
    });
    for (const environment of ENVIRONMENTS) this.#bans.inc({ environment }, 0);
    const gauge = (name: string, help: string, read: () => Awaitable<number>) =>
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        async collect() {
          const value = await withTimeout(PATIENCE, read).catch(() => undefined);
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    gauge('petstore_writes_waiting', 'Changes that wait for the writer.', gauges.writesWaiting);
    gauge('petstore_messages_queued', 'Messages not delivered yet.', gauges.messagesQueued);
    gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time used.',
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1_000_000);
      },
    });
    new Gauge({
      name: 'petstore_build_info',
      help: 'The release and the runtime.',
      labelNames: ['version', 'bun'],
      registers: [this.#registry],
    }).set({ version, bun: Bun.version }, 1);
  }

  /** Notes a ban that begins. */
  banned(environment: Environment): void {
    this.#bans.inc({ environment });
  }

  /** Notes a transaction of the writer. @param took ms */
  committed(size: number, took: number): void {
    this.#batches.observe(size);
    this.#commits.observe(took / SECOND);
  }

  /** Notes changes that could not be written. */
  notCommitted(size: number): void {
    this.#failures.inc(size);
  }

  /** Notes an answer of the database. @param took ms */
  databaseReplied(took: number): void {
    this.#database.observe(took / SECOND);
  }

  /** Notes a call that failed because the database did. */
  databaseFailed(): void {
    this.#databaseFailures.inc();
  }

  /** Notes a reply of Redis. @param took ms */
  redisReplied(took: number): void {
    this.#redis.observe(took / SECOND);
  }

  /** Notes a command, or a connection, that failed. */
  redisFailed(): void {
    this.#redisFailures.inc();
  }

  /** Notes how many servers of Redis do not answer. */
  redisAway(count: number): void {
    this.#redisAway.set(count);
  }

  /** Measures the event loop until it is stopped. */
  watchEventLoop(): { stop(): void } {
    let expected = performance.now() + LAG_EVERY;
    const timer = setInterval(() => {
      const now = performance.now();
      this.#lag.observe(Math.max(0, now - expected) / SECOND);
      expected = now + LAG_EVERY;
    }, LAG_EVERY);
    return { stop: () => clearInterval(timer) };
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything, in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #histogram(options: {
    name: string;
    help: string;
    labelNames?: string[];
    buckets: number[];
  }): Histogram<string> {
    return new Histogram({ ...options, registers: [this.#registry] });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter<string> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}
