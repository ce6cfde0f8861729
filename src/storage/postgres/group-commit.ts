import { StorageUnavailable } from '../../core/errors.ts';
import { SECOND, systemClock } from '../../lib/clock.ts';
import type { CommitMetrics } from '../metrics.ts';
import { BATCH_SIZE, QUEUE_CAPACITY } from '../write-queue.ts';
import { NothingCommitted } from './failures.ts';

/** A transaction that takes longer than this, in ms, is slow. */
const SLOW = 20;

/**
 * For how long the changes of a failed transaction are repeated one by one, in ms. Each may wait for a node that hangs,
 * and further changes wait behind them.
 */
const REPEATING_LIMIT = 2 * SECOND;

interface Waiting<Change, Outcome> {
  readonly change: Change;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects waiting changes and runs them in few transactions, so that many share one commit and one network round
 * trip. The changes of a transaction that failed and committed nothing are repeated one by one, once; if it may have
 * committed them, all of them fail.
 */
export class GroupCommit<Change, Outcome> {
  readonly #commit: (changes: readonly Change[]) => Promise<readonly Outcome[]>;
  readonly #waiting: Waiting<Change, Outcome>[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #most: number;
  readonly #slow: number;
  /** The transaction that further changes wait for. */
  #leading: Promise<void> | undefined;
  #committing = 0;
  #closed = false;
  /** Set once metrics are collected. */
  metrics: CommitMetrics | undefined;

  /**
   * @param commit runs all changes or none, and returns their outcomes in the same order.
   * @param most maximum number of concurrent transactions. With 1, all changes stay in order. With 2, changes that
   * wait behind a slow transaction, for example one waiting for a lock, run concurrently with it. Behind a fast
   * transaction they wait, because few large transactions cost less than many small ones.
   * @param slow ms after which a transaction is slow; 20 by default.
   */
  constructor(
    commit: (changes: readonly Change[]) => Promise<readonly Outcome[]>,
    most: 1 | 2,
    slow = SLOW,
  ) {
    this.#commit = commit;
    this.#most = most;
    this.#slow = slow;
  }

  /** The number of waiting changes, including those being committed. */
  get waiting(): number {
    return this.#waiting.length + this.#committing;
  }

  /**
   * Runs one change; durable when it resolves.
   * @throws StorageUnavailable when the queue is full or the database is unavailable; any other error when
   * the change itself fails.
   */
  add(change: Change): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const refused = this.#closed ? 'The store is closed.' : 'The write queue is full.';
    if (this.#closed || this.#waiting.length >= QUEUE_CAPACITY) {
      reject(new StorageUnavailable(new Error(refused)));
      return promise;
    }
    this.#waiting.push({ change, resolve, reject });
    // Changes of the same turn of the event loop share a transaction.
    if (this.#waiting.length === 1) setImmediate(() => this.#send());
    return promise;
  }

  /** Waits for all accepted changes. Accepts no further changes. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#send();
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #send(): void {
    if (this.#leading || this.#inFlight.size === this.#most || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, BATCH_SIZE);
    this.#committing += batch.length;
    const transaction: Promise<void> = this.#settle(batch).then(() => {
      clearTimeout(slow);
      this.#committing -= batch.length;
      this.#inFlight.delete(transaction);
      this.#letNextGo(transaction);
    });
    const slow = setTimeout(() => this.#letNextGo(transaction), this.#slow);
    this.#inFlight.add(transaction);
    this.#leading = transaction;
  }

  #letNextGo(transaction: Promise<void>): void {
    if (this.#leading === transaction) this.#leading = undefined;
    this.#send();
  }

  async #settle(batch: readonly Waiting<Change, Outcome>[]): Promise<void> {
    const failure = await this.#try(batch);
    if (!failure) return;
    const { error } = failure;
    const isRepeatable =
      !(error instanceof StorageUnavailable) || error instanceof NothingCommitted;
    if (batch.length === 1 || !isRepeatable) {
      this.#refuse(batch, error);
      return;
    }
    // One failing change must not make the others fail.
    const until = systemClock.now().elapsed + REPEATING_LIMIT;
    for (const [index, each] of batch.entries()) {
      if (systemClock.now().elapsed > until) {
        this.#refuse(batch.slice(index), error);
        return;
      }
      const own = await this.#try([each]);
      if (own) this.#refuse([each], own.error);
    }
  }

  /** Commits the changes; returns the error if that fails. */
  async #try(
    batch: readonly Waiting<Change, Outcome>[],
  ): Promise<{ readonly error: unknown } | undefined> {
    const sentAt = this.metrics?.now();
    try {
      const outcomes = await this.#commit(batch.map(({ change }) => change));
      const { metrics } = this;
      if (metrics && sentAt !== undefined) metrics.committed(batch.length, metrics.now() - sentAt);
      for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  #refuse(batch: readonly Waiting<Change, Outcome>[], error: unknown): void {
    this.metrics?.notCommitted(batch.length);
    for (const { reject } of batch) reject(error);
  }
}
