import { StorageUnavailable } from '../core/errors.ts';
import type {
  Write,
  WriteOutputs,
  WriteResult,
  WriterReply,
  WriterRequest,
} from './writer-protocol.ts';

/** Changes that may wait for one file; past it callers are told to come back. */
export const QUEUE_CAPACITY = 10_000;

/** The most changes in one transaction, so that none waits long for the others. */
const BATCH_SIZE = 1_000;

interface Waiting {
  readonly write: Write;
  readonly settle: (result: WriteResult) => void;
}

interface Queue {
  readonly waiting: Waiting[];
  inFlight: Waiting[];
}

/**
 * Sends changes to the writer thread and resolves each once it is on disk. While one transaction is
 * being committed the next one gathers (group commit).
 */
export class Writer {
  readonly #thread: Worker;
  readonly #queues = new Map<string, Queue>();
  #onIdle: (() => void) | undefined;
  /** Why nothing more is taken. */
  #failed: Error | undefined;

  constructor() {
    this.#thread = new Worker(new URL('./writer-thread.ts', import.meta.url).href);
    this.#thread.onmessage = ({ data }: MessageEvent<WriterReply>) => this.#receive(data);
    this.#thread.onerror = (event) => this.#fail(new Error(event.message));
  }

  /**
   * Carries out one change on the file at `path`; durable when it resolves.
   * @throws StorageUnavailable when the queue is full or the change cannot be written just now.
   */
  run<Each extends Write>(path: string, write: Each): Promise<WriteOutputs[Each['name']]> {
    const queue = this.#queueFor(path);
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutputs[Each['name']]>();
    if (this.#failed || queue.waiting.length >= QUEUE_CAPACITY) {
      reject(new StorageUnavailable(this.#failed ?? new Error('The write queue is full.')));
      return promise;
    }
    queue.waiting.push({
      write,
      settle: (result) => {
        if (!result.ok)
          reject(new StorageUnavailable(new Error(`${result.code}: ${result.message}`)));
        // The thread answers each name with that name's output; a message cannot carry the type.
        else resolve(result.value as WriteOutputs[Each['name']]);
      },
    });
    this.#send(path, queue);
    return promise;
  }

  /** Waits for everything that was asked for, then closes the files. Takes nothing more. */
  async close(): Promise<void> {
    if (!this.#failed) {
      this.#failed = new Error('The store is closed.');
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        this.#closeWhenIdle();
      });
    }
    this.#thread.terminate();
  }

  #queueFor(path: string): Queue {
    const queue = this.#queues.get(path) ?? { waiting: [], inFlight: [] };
    this.#queues.set(path, queue);
    return queue;
  }

  #send(path: string, queue: Queue): void {
    if (queue.inFlight.length > 0 || queue.waiting.length === 0) return;
    queue.inFlight = queue.waiting.splice(0, BATCH_SIZE);
    this.#post({ kind: 'commit', path, writes: queue.inFlight.map(({ write }) => write) });
  }

  #receive(reply: WriterReply): void {
    if (reply.kind === 'closed') {
      this.#onIdle?.();
      return;
    }
    const queue = this.#queueFor(reply.path);
    const settled = queue.inFlight;
    queue.inFlight = [];
    this.#send(reply.path, queue);
    for (const [index, { settle }] of settled.entries()) {
      settle(reply.results[index] ?? { ok: false, code: undefined, message: 'no result' });
    }
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (!this.#onIdle) return;
    const busy = this.#queues.values().some((queue) => queue.inFlight.length > 0);
    if (!busy) this.#post({ kind: 'close' });
  }

  #post(request: WriterRequest): void {
    this.#thread.postMessage(request);
  }

  #fail(error: Error): void {
    this.#failed = error;
    for (const queue of this.#queues.values()) {
      for (const { settle } of [...queue.inFlight, ...queue.waiting].splice(0)) {
        settle({ ok: false, code: undefined, message: error.message });
      }
      queue.inFlight = [];
      queue.waiting.length = 0;
    }
    this.#onIdle?.();
  }
}
