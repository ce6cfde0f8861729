import type { SQL } from 'bun';
import type { DatabaseAddresses } from '../../config/postgres-address.ts';
import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import { SECOND, systemClock } from '../../lib/clock.ts';
import type { DatabaseMetrics } from '../metrics.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import { Attempt } from './attempt.ts';
import { connect, STATEMENT_LIMIT } from './connection.ts';
import {
  ConnectionPool,
  KINDS,
  PATIENCE,
  type PooledConnection,
  type StatementKind,
} from './connection-pool.ts';
import {
  isConflict,
  isFailedWrite,
  isNoPrimary,
  isStalePlan,
  isUnavailable,
  isUnreachable,
  NothingCommitted,
  wasRolledBack,
} from './failures.ts';
import { findPrimary } from './primary.ts';
import { type Execute, Queries, type Rows, type Value } from './queries.ts';

/** How long to wait for a transaction, in ms. */
const TRANSACTION_PATIENCE = 15 * SECOND;

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

/** Statements of one kind. */
export class Statements extends Queries {
  readonly #transaction: Transact;

  constructor(send: Execute, transaction: Transact) {
    super(send);
    this.#transaction = transaction;
  }

  /**
   * Runs the work in one transaction; runs it again after a conflict with another transaction.
   * @throws StorageUnavailable, or any error that the work throws.
   */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#transaction(work);
  }
}

type Transact = <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;

/**
 * A PostgreSQL database. 64-bit integers are returned as bigints. Each call is committed when it resolves. No call
 * depends on the state of a connection, so connections may be lost and replaced at any time.
 */
export class PostgresDatabase extends Statements {
  #url: string;
  readonly #pool: ConnectionPool;
  /** The number of replies received from the server. */
  #replies = 0;
  readonly #breaker: CircuitBreaker<string>;
  /** Set once metrics are collected. */
  metrics: DatabaseMetrics | undefined;
  /** Whether the rows are distributed over several nodes; set before requests are served. */
  isDistributed = false;
  readonly #attempts = new Set<Attempt>();

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
    super(
      (text, values) => this.#send('other', text, values),
      (work) => this.#transact('other', work),
    );
    this.#url = url;
    this.#pool = new ConnectionPool(() => connect(this.#url, STATEMENT_LIMIT, 1), connections);
    this.#breaker = new CircuitBreaker({
      probe: () => findPrimary(servers),
      firstPause: PROBE_INTERVAL,
      longestPause: PROBE_INTERVAL,
      onClose: (primary) => {
        this.#url = primary;
        this.#pool.renew();
        // The server that these statements were sent to is no longer available and will not reply.
        this.#giveUpAll(new Error('The database was unavailable.'));
      },
    });
  }

  /** The same database, for statements of this kind. Those sent to the database itself are of the kind `other`. */
  of(kind: StatementKind): Statements {
    return new Statements(
      (text, values) => this.#send(kind, text, values),
      (work) => this.#transact(kind, work),
    );
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
    const patience = this.#breaker.isOpen ? 0 : PATIENCE;
    await this.#breaker.stop();
    await this.#pool.close(patience);
  }

  #send<Row>(kind: StatementKind, text: string, values: Value[]): Promise<Rows<Row>> {
    const isWrite = !SELECT.test(text);
    return this.#persist(kind, isWrite, (attempt) => {
      attempt.mayBeCommitted = isWrite;
      return this.#limit(attempt, KINDS[kind].patience, () =>
        this.#measure(() => this.#onConnection(attempt, (sql) => sql.unsafe(text, values))),
      );
    });
  }

  #transact<T>(kind: StatementKind, work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#persist(kind, true, (attempt) => {
      const run = async (connection: SQL) => {
        const send: Execute = (text, values) =>
          this.#limit(attempt, PATIENCE, () =>
            this.#measure(() => connection.unsafe(text, values)),
          );
        const value = await work(new Queries(send));
        attempt.mayBeCommitted = true;
        return value;
      };
      return this.#limit(attempt, TRANSACTION_PATIENCE, () =>
        this.#onConnection(attempt, (sql) => sql.begin(run)),
      );
    });
  }

  /** Retries after conflicts; turns failures of the database into `StorageUnavailable`. */
  async #persist<T>(
    kind: StatementKind,
    isWrite: boolean,
    run: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const repliesBefore = this.#replies;
      const attempt = new Attempt(kind);
      try {
        this.#requireAvailable();
        const value = await run(attempt);
        if (isWrite) this.writes.succeeded(STORE);
        return value;
      } catch (error) {
        const shouldRetry = this.#shouldRetry(error, repliesBefore);
        if (!shouldRetry || tries === RETRIES.most) throw this.#failure(error, attempt);
        await Bun.sleep(Math.random() * RETRIES.pause * 2 ** tries);
      }
    }
  }

  /** Records an error and returns the error for the caller. */
  #failure(error: unknown, { mayBeCommitted }: Attempt): unknown {
    if (isFailedWrite(error)) this.writes.failed(STORE, messageOf(error));
    const failure = isUnavailable(error)
      ? new (wasRolledBack(error, mayBeCommitted) ? NothingCommitted : StorageUnavailable)(error)
      : error;
    if (failure instanceof StorageUnavailable) this.metrics?.databaseFailed();
    return failure;
  }

  /** Whether another attempt may succeed. Opens the circuit breaker if the error requires it. */
  #shouldRetry(error: unknown, repliesBefore: number): boolean {
    // If other statements received replies in the meantime, only an additional connection could not be opened.
    const isDown = isUnreachable(error) && this.#replies === repliesBefore;
    if (isDown || isNoPrimary(error)) this.#breaker.open(error);
    return isStalePlan(error) || isConflict(error);
  }

  /** Runs the work on a connection, which is discarded if the attempt is given up meanwhile. */
  async #onConnection<T>(attempt: Attempt, work: (sql: SQL) => PromiseLike<T>): Promise<T> {
    let connection: PooledConnection | undefined;
    this.#attempts.add(attempt);
    try {
      const claimed = this.#pool.acquire(attempt);
      connection =
        claimed instanceof Promise ? await Promise.race([claimed, attempt.failure]) : claimed;
      attempt.isSent = true;
      return await Promise.race([work(connection.sql), attempt.failure]);
    } catch (error) {
      if (connection && (attempt.isGivenUp || isStalePlan(error))) this.#pool.discard(connection);
      throw error;
    } finally {
      this.#attempts.delete(attempt);
      if (connection) this.#pool.release(connection);
    }
  }

  /** Gives up the attempt after this time in ms: a broken network connection may never report an error. */
  async #limit<T>(attempt: Attempt, patience: number, work: () => PromiseLike<T>): Promise<T> {
    const repliesBefore = this.#replies;
    const timer = setTimeout(() => {
      const cause = new Error(`No reply within ${patience} ms.`);
      const isWithinTimeouts = !attempt.isSent || patience < PATIENCE;
      // If other statements received replies in the meantime, only this one took too long.
      if (isWithinTimeouts || this.#replies > repliesBefore) attempt.giveUp(cause);
      else {
        this.#breaker.open(cause);
        this.#giveUpAll(cause);
      }
    }, patience);
    try {
      const value = await work();
      this.#replies += 1;
      return value;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records how long a reply took. */
  async #measure<T>(work: () => PromiseLike<T>): Promise<T> {
    const { metrics } = this;
    const sentAt = metrics?.now();
    const value = await work();
    if (metrics && sentAt !== undefined) metrics.databaseReplied(metrics.now() - sentAt);
    return value;
  }

  /** @throws StorageUnavailable while the server is known to be unavailable. */
  #requireAvailable(): void {
    if (!this.#breaker.isOpen) return;
    const cause = messageOf(this.#breaker.cause);
    throw new StorageUnavailable(new Error(`The database is unavailable: ${cause}`));
  }

  #giveUpAll(cause: Error): void {
    for (const attempt of this.#attempts) attempt.giveUp(cause);
  }
}
