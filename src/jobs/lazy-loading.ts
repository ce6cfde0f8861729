import type { RequestHandler } from '../http/connection/serve-options.ts';
import { areDescriptorsUsedUp, descriptorLimit } from '../lib/descriptors.ts';
import type { LazyParts } from '../lib/lazy.ts';
import type { Log } from '../observability/log.ts';

/** How long after the start to begin if no request was answered before, in ms. */
const BEGIN_AFTER = 50;

/** Pause between two parts, in ms, in which requests are answered. */
const PAUSE = 1;

/** Descriptors that loading a part may need; with fewer, loading waits until connections are closed. */
const ROOM = 16;

const PROBLEM = 'the service is still loading code';

/** How often to check whether descriptors are free again, in ms. */
const INSPECT_EVERY = 20;

/**
 * Loads the lazy parts of a service right after its start, so that no request meets code that is not loaded. It begins
 * after the first reply or 50 ms, whichever is earlier; a request that arrives before waits for the parts that it needs.
 */
export class LazyLoading implements Disposable {
  readonly #parts: LazyParts;
  readonly #log: Pick<Log, 'error' | 'load'>;
  readonly #limit = descriptorLimit();
  readonly #timer = setTimeout(() => this.#begin(), BEGIN_AFTER);
  readonly #stop = new AbortController();
  readonly #failure = Promise.withResolvers<'loading failed'>();
  #hasBegun = false;
  #isDone = false;

  constructor(parts: LazyParts, log: Pick<Log, 'error' | 'load'>) {
    this.#parts = parts;
    this.#log = log;
  }

  /** Why the process should receive no requests yet; `undefined` once every part is loaded. */
  get problem(): string | undefined {
    return this.#isDone ? undefined : PROBLEM;
  }

  /** Resolves if a part cannot be loaded. The process must then end, because requests would keep failing. */
  get failure(): Promise<'loading failed'> {
    return this.#failure.promise;
  }

  /** Wraps the handler of all requests, whose first reply begins the loading. */
  afterFirstReply(handle: RequestHandler): RequestHandler {
    return (request, server, isTargetMalformed) => {
      const reply = handle(request, server, isTargetMalformed);
      if (!this.#hasBegun) void this.#beginAfter(reply);
      return reply;
    };
  }

  /** Loads no further parts. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  async #beginAfter(reply: ReturnType<RequestHandler>): Promise<void> {
    await Promise.allSettled([reply]);
    // The reply is sent before the next turn of the event loop.
    setImmediate(() => this.#begin());
  }

  #begin(): void {
    if (this.#hasBegun || this.#stop.signal.aborted) return;
    this.#hasBegun = true;
    void this.#load();
  }

  async #load(): Promise<void> {
    try {
      await this.#pause();
      // First, because its lines are held until then.
      await this.#log.load?.();
      await this.#parts.load(() => this.#pause());
    } catch (err) {
      if (this.#stop.signal.aborted) return;
      this.#log.error({ err }, 'code that requests need cannot be loaded, so the service stops');
      this.#failure.resolve('loading failed');
      return;
    }
    this.#isDone = true;
    await this.#loadLater();
  }

  /** What fails here is tried again by the first request that needs it. */
  async #loadLater(): Promise<void> {
    try {
      await this.#parts.loadLater(() => this.#pause());
    } catch (err) {
      if (this.#stop.signal.aborted) return;
      this.#log.error(
        { err },
        'the pages could not be prepared; the next request for one tries again',
      );
    }
  }

  /** Lets requests through. Rejects once the loading is stopped. */
  async #pause(): Promise<void> {
    await Bun.sleep(PAUSE);
    while (this.#limit !== undefined && areDescriptorsUsedUp(this.#limit, ROOM)) {
      this.#stop.signal.throwIfAborted();
      await Bun.sleep(INSPECT_EVERY);
    }
    this.#stop.signal.throwIfAborted();
  }
}
