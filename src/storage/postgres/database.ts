import type { SQL } from 'bun';
import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import { SECOND, systemClock } from '../../lib/clock.ts';
import type { DatabaseMetrics } from '../metrics.ts';
import type { Selection } from '../schema/selection.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';
import {
  isConflict,
  isFailedWrite,
  isNoPrimary,
  isStalePlan,
  isUnavailable,
  isUnreachable,
} from './failures.ts';
import type { LostNodes } from './lost-nodes.ts';
import { findPrimary } from './primary.ts';

/**
 * How long to wait for the server, in ms. The server's own timeouts are shorter, so a longer wait means that it
 * cannot be reached.
 */
const PATIENCE = { statement: 7 * SECOND, transaction: 15 * SECOND } as const;

/** Default number of connections per process. */
const CONNECTIONS = 10;

/** Pause between two probes of a server that is unavailable, in ms. */
const PROBE_INTERVAL = 0.1 * SECOND;

/** The name of the database for operators. */
const STORE = 'PostgreSQL';

/** A statement that only reads, unless it advances a sequence. */
const SELECT = /^\s*select\b/i;

/** The number of attempts when transactions conflict, and the pause (ms), which doubles each time. */
const RETRIES = { most: 9, pause: 4 } as const;

/** A value for a parameter; `texts` and `integers` create the arrays. */
export type Value = string | number | bigint | Buffer | null | List;
type List = ReturnType<SQL['array']>;

type Execute = <Row>(text: string, values: Value[]) => Promise<Row[] & { readonly count: number }>;

/** Statements on the pool or within a transaction. Each may raise `StorageUnavailable`. */
export class Queries {
  readonly #send: Execute;

  constructor(send: Execute) {
    this.#send = send;
  }

  /** Returns the rows, and how many were returned or changed. */
  execute<Row>(text: string, values: Value[]): Promise<Row[] & { readonly count: number }> {
    return this.#send<Row>(text, values.map(storable));
  }

  all<Row>(text: string, ...values: Value[]): Promise<Row[]> {
    return this.execute<Row>(text, values);
  }

  async get<Row>(text: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.execute<Row>(text, values))[0];
  }

  rows<Row>({ postgres }: Selection<Row>, ...values: Value[]): Promise<Row[]> {
    return this.execute<Row>(postgres, values);
  }

  /** Returns how many rows were inserted, changed or deleted. */
  async run(text: string, ...values: Value[]): Promise<number> {
    return (await this.execute(text, values)).count;
  }
}

/**
 * A PostgreSQL database. 64-bit integers are returned as bigints. Each call is committed when it resolves. No call
 * depends on the state of a connection, so connections may be lost and replaced at any time.
 */
export class PostgresDatabase extends Queries {
  #url: string;
  #pool: SQL;
  readonly #connect: (url: string) => SQL;
  /** The number of replies received from the server. */
  #replies = 0;
  readonly #breaker: CircuitBreaker<string>;
  /** The nodes of a sharded database, if they are watched. */
  nodes: LostNodes | undefined;
  /** Set once metrics are collected. */
  metrics: DatabaseMetrics | undefined;
  #isDistributed = false;
  /** Former pools, in which statements may be running. */
  readonly #retired = new Set<SQL>();
  /** Functions that reject the calls waiting for a reply. */
  readonly #waiting = new Set<(error: StorageUnavailable) => void>();

  /**
   * Does not connect yet.
   * @param url such as postgres://user:password@host:5432/database.
   * @param servers where to look for another primary when this server no longer accepts changes.
   * @param writes records the outcome of the last write.
   */
  constructor(
    url: string,
    servers: DatabaseAddresses,
    readonly writes = new WriteOutcomes(systemClock),
    connections = CONNECTIONS,
  ) {
    super((text, values) =>
      this.#persist(() => this.#measure(this.#pool.unsafe(text, values)), !SELECT.test(text)),
    );
    this.#url = url;
    this.#connect = (address) =>
      connect(address, STATEMENT_LIMIT, connections, this.#isDistributed);
    this.#pool = this.#connect(url);
    this.#breaker = new CircuitBreaker({
      probe: () => findPrimary(servers),
      firstPause: PROBE_INTERVAL,
      longestPause: PROBE_INTERVAL,
      onClose: (primary) => {
        this.#url = primary;
        this.#reconnect();
        // The server that these statements were sent to is no longer available and will not reply.
        this.#refuseAll(new Error('The database was unavailable.'));
      },
    });
  }

  /** Whether the rows are distributed over several nodes; set before requests are served. */
  get isDistributed(): boolean {
    return this.#isDistributed;
  }

  set isDistributed(value: boolean) {
    if (value === this.#isDistributed) return;
    this.#isDistributed = value;
    // The settings of the connections depend on it.
    this.#reconnect();
  }

  /**
   * Sends later statements over new connections. A node that hangs may block the server's processes of the old ones
   * beyond all of their timeouts; running statements have the usual time to finish.
   */
  renewConnections(): void {
    const old = this.#pool;
    this.#pool = this.#connect(this.#url);
    this.#retired.add(old);
    setTimeout(() => this.#closeRetired(old), PATIENCE.transaction).unref();
  }

  /**
   * Runs the work in one transaction; runs it again after a conflict with another transaction.
   * @throws StorageUnavailable, or any error that the work throws.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#persist(() => {
      const transaction = this.#pool.begin((connection) =>
        work(new Queries((text, values) => this.#measure(connection.unsafe(text, values)))),
      );
      return this.#awaitReply(transaction, PATIENCE.transaction);
    }, true);
  }

  /**
   * If the last write failed, allocates some pages of a temporary table, which fails on a full disk.
   * @throws StorageUnavailable when writes fail.
   */
  async probeWrites(): Promise<void> {
    if (!this.writes.hasFailed(STORE)) return;
    await this.transaction((queries) =>
      queries.run(
        `CREATE TEMPORARY TABLE write_probe ON COMMIT DROP AS
         SELECT repeat('x', 4000) FROM generate_series(1, 64)`,
      ),
    );
  }

  /** Waits for running statements, unless the server is unavailable; then closes the connections. */
  async close(): Promise<void> {
    const patience = this.#breaker.isOpen ? 0 : PATIENCE.statement;
    await this.#breaker.stop();
    await this.#pool.close({ timeout: patience / SECOND });
    for (const old of this.#retired) this.#closeRetired(old);
  }

  #closeRetired(old: SQL): void {
    this.#retired.delete(old);
    old.close({ timeout: 0 }).catch(() => {});
  }

  /** Retries after conflicts; turns failures of the database into `StorageUnavailable`. */
  async #persist<T>(attempt: () => Promise<T>, isWrite: boolean): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const repliesBefore = this.#replies;
      try {
        this.#requireAvailable();
        const value = await attempt();
        if (isWrite) this.writes.succeeded(STORE);
        return value;
      } catch (error) {
        const shouldRetry = this.#shouldRetry(error, repliesBefore);
        if (!shouldRetry || tries === RETRIES.most) throw this.#failure(error);
        await Bun.sleep(Math.random() * RETRIES.pause * 2 ** tries);
      }
    }
  }

  /** Records an error and returns the error for the caller. */
  #failure(error: unknown): unknown {
    if (isFailedWrite(error)) this.writes.failed(STORE, messageOf(error));
    const failure = isUnavailable(error) ? new StorageUnavailable(error) : error;
    if (failure instanceof StorageUnavailable) this.metrics?.databaseFailed();
    return failure;
  }

  /** Whether another attempt may succeed. Opens the circuit breaker, or new connections, if the error requires it. */
  #shouldRetry(error: unknown, repliesBefore: number): boolean {
    // If other statements received replies in the meantime, only an additional connection could not be opened.
    const isDown = isUnreachable(error) && this.#replies === repliesBefore;
    if (isDown || isNoPrimary(error)) this.#breaker.open(error);
    const isStale = isStalePlan(error);
    if (isStale) this.#reconnect();
    return isStale || isConflict(error);
  }

  /** Waits for the reply to one statement and records how long it took. */
  async #measure<T>(reply: PromiseLike<T>): Promise<T> {
    const sentAt = this.metrics?.now();
    const value = await this.#awaitReply(reply, PATIENCE.statement);
    const { metrics } = this;
    if (metrics && sentAt !== undefined) metrics.databaseReplied(metrics.now() - sentAt);
    return value;
  }

  /** Waits for a reply with a timeout: a broken network connection may never report an error. */
  async #awaitReply<T>(reply: PromiseLike<T>, patience: number): Promise<T> {
    const repliesBefore = this.#replies;
    const timeout = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const cause = new Error(`No reply within ${patience} ms.`);
      // If other statements received replies in the meantime, only this one took too long.
      if (this.#replies > repliesBefore) timeout.reject(new StorageUnavailable(cause));
      else {
        this.#breaker.open(cause);
        this.#refuseAll(cause);
      }
    }, patience);
    this.#waiting.add(timeout.reject);
    try {
      const value = await Promise.race([reply, timeout.promise]);
      this.#replies += 1;
      return value;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(timeout.reject);
    }
  }

  /** @throws StorageUnavailable while the server is known to be unavailable. */
  #requireAvailable(): void {
    if (!this.#breaker.isOpen) return;
    const cause = messageOf(this.#breaker.cause);
    throw new StorageUnavailable(new Error(`The database is unavailable: ${cause}`));
  }

  #refuseAll(cause: Error): void {
    for (const refuse of this.#waiting) refuse(new StorageUnavailable(cause));
  }

  /** Statements in flight finish on the old connections if possible. */
  #reconnect(): void {
    const old = this.#pool;
    this.#pool = this.#connect(this.#url);
    old.close({ timeout: 0 }).catch(() => {});
  }
}

/** Values for a parameter that is an array, such as `$1::text[]`. */
export function texts(values: readonly string[]): List {
  return Bun.sql.array(values.map(storable), 'TEXT');
}

/** Values for a parameter of type `bigint[]`. */
export function integers(values: ReadonlyArray<number | bigint>): List {
  return Bun.sql.array([...values], 'BIGINT');
}

/** PostgreSQL's text type does not support U+0000: it is stored and searched for as U+FFFD. */
function storable<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
}
