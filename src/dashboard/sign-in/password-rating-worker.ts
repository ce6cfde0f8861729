/** A message to the thread. */
export interface RatingRequest {
  readonly password: string;
  /** Of the account. */
  readonly email: string;
}

/** A message of the thread: that it has loaded its word lists, or its rating of the last password. */
export type RatingReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rated'; readonly reason: string | undefined };

/** The thread in which passwords are rated, one at a time. */
export class RatingWorker {
  readonly #thread: Worker;
  #expected: PromiseWithResolvers<RatingReply> | undefined;

  private constructor(thread: Worker) {
    this.#thread = thread;
    thread.onmessage = ({ data }: MessageEvent<RatingReply>) => this.#expected?.resolve(data);
    thread.onerror = ({ message }) => this.#expected?.reject(new Error(message));
  }

  /** Waits until the thread has loaded its word lists. Rejects if that fails. */
  static async start(thread: Worker): Promise<RatingWorker> {
    const worker = new RatingWorker(thread);
    await worker.#reply();
    return worker;
  }

  /**
   * Rates a password. Rejects if the thread fails.
   * @param timeout ms
   * @returns `timeout` if it takes longer. The thread is then to be terminated.
   */
  async rate(
    { password, email }: RatingRequest,
    timeout: number,
  ): Promise<RatingReply | 'timeout'> {
    const reply = this.#reply();
    this.#thread.postMessage({ password, email } satisfies RatingRequest);
    const { promise: expired, resolve } = Promise.withResolvers<'timeout'>();
    const timer = setTimeout(() => resolve('timeout'), timeout);
    try {
      return await Promise.race([reply, expired]);
    } finally {
      clearTimeout(timer);
    }
  }

  terminate(): void {
    this.#thread.terminate();
  }

  #reply(): Promise<RatingReply> {
    this.#expected = Promise.withResolvers();
    return this.#expected.promise;
  }
}
