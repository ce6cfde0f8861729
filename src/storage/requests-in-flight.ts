import { type NamedRequest, nameOf } from './idempotent-requests.ts';

/** The idempotent requests of this process that are not committed yet. */
export class RequestsInFlight {
  readonly #names = new Set<string>();

  /** Runs the creation of a request, unless that of the same request is running. */
  async create<Outcome>(
    request: NamedRequest,
    work: () => Promise<Outcome>,
  ): Promise<Outcome | { readonly kind: 'conflict' }> {
    const name = nameOf(request);
    if (this.#names.has(name)) return { kind: 'conflict' };
    this.#names.add(name);
    try {
      return await work();
    } finally {
      this.#names.delete(name);
    }
  }
}
