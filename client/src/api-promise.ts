/** The result of a call, together with the reply that it was read from. */
export interface WithResponse<Data> {
  readonly data: Data;
  /** Status, headers and the whole body of the reply. */
  readonly response: Response;
}

/** The promise of a call's result; `withResponse()` gives the raw reply as well. */
export class ApiPromise<Data> extends Promise<Data> {
  readonly #outcome: Promise<WithResponse<Data>>;

  constructor(outcome: Promise<WithResponse<Data>>) {
    super((resolve, reject) => {
      outcome.then(({ data }) => resolve(data), reject);
    });
    this.#outcome = outcome;
  }

  // `then` returns a plain promise, because its result has no reply.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Resolves to the result and the raw reply of the last attempt; rejects if the call rejects. */
  async withResponse(): Promise<WithResponse<Data>> {
    await this;
    return this.#outcome;
  }
}
