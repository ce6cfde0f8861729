import { basename } from 'node:path';
import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { StorageMetrics } from '../metrics.ts';
import { WriteAheadLogs } from '../write-ahead-logs.ts';
import { WriteOutcomes } from '../write-outcomes.ts';
import { BATCH_SIZE, QUEUE_CAPACITY } from '../write-queue.ts';
import {
  errorOf,
  isRecorded,
  NO_RESULT,
  type Posted,
  pack,
  type Recorded,
  unpack,
  type Write,
  type WriteOutputs,
  type WriterReply,
  type WriterRequest,
} from './writer-protocol.ts';
import { measureCommit, type Queue, URGENT, type Waiting } from './writer-queue.ts';
import { OWN_THREADS, type WriterThreads } from './writer-threads.ts';

export interface WriterOptions {
  /** By default each writer starts its own thread. */
  readonly threads?: WriterThreads | undefined;
  readonly outcomes?: WriteOutcomes;
  readonly logs?: WriteAheadLogs;
}

/**
 * Sends changes to the writer thread and resolves each once it is on disk. While one transaction is being committed,
 * further changes are collected for the next one (group commit).
 *
 * When the thread ends unexpectedly, all waiting changes are refused, and the next change starts another thread.
 */
export class Writer {
  readonly #threads: WriterThreads;
  #thread: Worker | undefined;
  readonly #queues = new Map<string, Queue>();
  /** Why the last transaction of a file failed, by path. */
  readonly #failing = new Map<string, string>();
  readonly #recorded = new Map<string, Recorded>();
  readonly #logs: WriteAheadLogs;
  /** The files whose logs the thread is looking at. */
  readonly #lookingAt = new Set<string>();
  #closed: PromiseWithResolvers<void> | undefined;
  /** Settles once the thread has loaded the code of rare changes; `undefined` if that was not requested. */
  #loaded: PromiseWithResolvers<void> | undefined;
  /** Ends when the thread is released. */
  readonly #listening = new AbortController();
  /** Set once metrics are collected. */
  metrics: StorageMetrics | undefined;
  /** Why all changes are currently refused; `undefined` while they are accepted. */
  refusal: string | undefined;
  /** Called when a transaction finds that a file is damaged. */
  onDamage: ((path: string, finding: string) => void) | undefined;

  /** The outcome of the last transaction of each file. */
  readonly outcomes: WriteOutcomes;

  constructor({
    threads = OWN_THREADS,
    outcomes = new WriteOutcomes(systemClock),
    logs = new WriteAheadLogs(systemClock),
  }: WriterOptions = {}) {
    this.#threads = threads;
    this.outcomes = outcomes;
    this.#logs = logs;
  }

  /** The number of waiting changes, including those being committed. */
  get waiting(): number {
    return this.#queues
      .values()
      .reduce((sum, { waiting, inFlight }) => sum + waiting.length + inFlight.length, 0);
  }

  /** Records acknowledged numbers of the database at this path from now on. */
  record(path: string, recorded: Recorded): void {
    this.#recorded.set(path, recorded);
  }

  /**
   * Runs one change on the file at `path`; durable when it resolves.
   * @throws StorageUnavailable when the queue is full or the change currently cannot be written; any other error
   * when the change itself fails.
   */
  run<Each extends Write>(path: string, write: Each): Promise<WriteOutputs[Each['name']]> {
    const queue = this.#queueFor(path);
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutputs[Each['name']]>();
    const isUrgent = URGENT.has(write.name);
    const refusal = this.#refusalFor(queue, isUrgent);
    if (refusal !== undefined) {
      reject(new StorageUnavailable(new Error(refusal)));
      return promise;
    }
    const waiting: Waiting = {
      write,
      settle: (result) => {
        // The thread replies to each name with its output, but messages do not keep the type.
        if (result.ok) resolve(result.value as WriteOutputs[Each['name']]);
        else reject(errorOf(result));
      },
    };
    if (isUrgent) queue.waiting.unshift(waiting);
    else queue.waiting.push(waiting);
    this.#send(path, queue);
    return promise;
  }

  /** Starts the thread, which would otherwise start with the first change. */
  start(): void {
    this.#thread ??= this.#startThread();
  }

  /**
   * Loads the code of rare changes; the thread handles further changes after that. A thread that replaces this one
   * loads it immediately, too.
   * @throws StorageUnavailable when the thread ends instead.
   */
  load(): Promise<void> {
    this.#loaded ??= Promise.withResolvers();
    this.#post({ kind: 'load' });
    return this.#loaded.promise;
  }

  /** Starts the thread and opens these files in it. Never rejects: a failure is recorded in the outcomes. */
  async open(paths: Iterable<string>): Promise<void> {
    const opened = Array.from(paths, (path) => this.run(path, { name: 'open', input: null }));
    await Promise.allSettled(opened);
  }

  /**
   * Writes a page to each file whose last write failed, and to its record of acknowledged numbers, to check whether
   * writes succeed again.
   * @throws StorageUnavailable when they do not.
   */
  async probe(): Promise<void> {
    const failing = [...this.#failing.keys()];
    await Promise.all(failing.map((path) => this.run(path, { name: 'probe', input: null })));
  }

  /** Records the state of the write-ahead log of each file, after a checkpoint if one is due. */
  checkpoint(): void {
    if (!this.#thread || this.#closed) return;
    for (const path of this.#queues.keys()) {
      if (this.#lookingAt.has(path)) continue;
      this.#lookingAt.add(path);
      this.#post({ kind: 'checkpoint', path });
    }
  }

  /** Waits for all accepted changes, then closes the files. Accepts no further changes. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = Promise.withResolvers();
      this.#closeWhenIdle();
    }
    await this.#closed.promise;
    // A released thread may be used by another writer.
    this.#listening.abort();
    this.#endThread((thread) => this.#threads.release(thread));
  }

  #refusalFor(queue: Queue, isUrgent: boolean): string | undefined {
    if (this.#closed) return 'The store is closed.';
    if (!isUrgent && queue.waiting.length >= QUEUE_CAPACITY) return 'The write queue is full.';
    return this.refusal;
  }

  #queueFor(path: string): Queue {
    const queue = this.#queues.get(path) ?? { waiting: [], inFlight: [], sentAt: undefined };
    this.#queues.set(path, queue);
    return queue;
  }

  #send(path: string, queue: Queue): void {
    if (queue.inFlight.length > 0 || queue.waiting.length === 0) return;
    queue.inFlight = queue.waiting.splice(0, BATCH_SIZE);
    queue.sentAt = this.metrics?.now();
    this.outcomes.begun(basename(path));
    const writes = queue.inFlight.map(({ write }) => write);
    this.#post({ kind: 'commit', path, writes, recorded: this.#recorded.get(path) });
  }

  #receive(reply: WriterReply): void {
    if (reply.kind === 'checkpointed') {
      this.#lookingAt.delete(reply.path);
      this.#logs.observed(basename(reply.path), reply.log);
      return;
    }
    if (reply.kind !== 'committed') {
      (reply.kind === 'closed' ? this.#closed : this.#loaded)?.resolve();
      return;
    }
    const queue = this.#queueFor(reply.path);
    const settled = queue.inFlight;
    queue.inFlight = [];
    measureCommit(this.metrics, reply.results, queue.sentAt);
    this.#recordOutcome(reply, settled);
    this.#send(reply.path, queue);
    for (const [index, { settle }] of settled.entries()) {
      settle(reply.results[index] ?? NO_RESULT);
    }
    this.#closeWhenIdle();
  }

  #recordOutcome(
    { path, results }: WriterReply & { kind: 'committed' },
    settled: readonly Waiting[],
  ): void {
    const failed = results.find((result) => !result.ok && result.unavailable);
    if (failed && !failed.ok) {
      // Only a later check can clear the damage: a successful probe may write other pages than the damaged one.
      if (failed.damage !== undefined) this.onDamage?.(path, failed.damage);
      this.#failed(path, failed.message);
      return;
    }
    const former = this.#failing.get(path);
    if (former !== undefined && !this.#isProof(path, settled)) {
      this.#failed(path, former);
      return;
    }
    this.#failing.delete(path);
    this.outcomes.succeeded(basename(path));
  }

  /** Whether a transaction with these changes succeeds only if numbers can be recorded, too; quotas need none. */
  #isProof(path: string, settled: readonly Waiting[]): boolean {
    const recorded = this.#recorded.get(path);
    return !recorded || settled.some(({ write }) => isRecorded(write, recorded));
  }

  #failed(path: string, message: string): void {
    this.#failing.set(path, message);
    this.outcomes.failed(basename(path), message);
  }

  #closeWhenIdle(): void {
    if (!this.#closed) return;
    if (!this.#thread) this.#closed.resolve();
    else if (!this.#isBusy()) this.#post({ kind: 'close' });
  }

  #isBusy(): boolean {
    return this.#queues.values().some((queue) => queue.inFlight.length > 0);
  }

  #post(request: WriterRequest): void {
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(pack(request));
  }

  #startThread(): Worker {
    const thread = this.#threads.start();
    const onEnd = (cause: unknown) => {
      if (this.#thread === thread) this.#refuseAll(`The writer thread ended: ${messageOf(cause)}`);
    };
    thread.onmessage = ({ data }: MessageEvent<Posted<WriterReply>>) => this.#receive(unpack(data));
    thread.onerror = ({ message }) => onEnd(/^error: .*$/m.exec(message)?.[0] ?? message);
    const { signal } = this.#listening;
    thread.addEventListener('close', () => onEnd('it closed'), { signal });
    if (this.#loaded) thread.postMessage(pack({ kind: 'load' } satisfies WriterRequest));
    return thread;
  }

  #endThread(end = (thread: Worker) => thread.terminate()): void {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#lookingAt.clear();
    if (thread) end(thread);
  }

  /** Refuses all changes with 503. It is unknown whether they were committed, so they may be retried. */
  #refuseAll(message: string): void {
    this.#endThread();
    this.#loaded?.reject(new StorageUnavailable(new Error(message)));
    for (const [path, { inFlight }] of this.#queues) {
      if (inFlight.length > 0) this.#failed(path, message);
    }
    const left = [...this.#queues.values()].flatMap(({ inFlight, waiting }) => [
      ...inFlight,
      ...waiting,
    ]);
    this.#queues.clear();
    if (left.length > 0) {
      this.metrics?.notCommitted(left.length);
      this.metrics?.databaseFailed();
    }
    for (const { settle } of left) settle({ ok: false, unavailable: true, message });
    this.#closeWhenIdle();
  }
}
