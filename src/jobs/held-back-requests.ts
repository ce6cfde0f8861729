import type { LoggedRequest } from '../core/request-log.ts';
import { type Clock, SECOND } from '../lib/clock.ts';

/** The maximum number of requests that wait in memory. */
const CAPACITY = 1_000;

/** Pause before they are sent again, in ms. */
const SEND_AGAIN_AFTER = 5 * SECOND;

interface Options {
  readonly clock: Clock;
  /** Called with the number of requests for which there was no room. */
  readonly onDropped: (count: number) => void;
}

/** Requests that could not be added to the request log because a node of the store is lost. */
export class HeldBackRequests {
  readonly #options: Options;
  #requests: readonly LoggedRequest[] = [];
  /** On the elapsed scale. */
  #sendAgainAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = options;
  }

  add(requests: readonly LoggedRequest[]): void {
    if (requests.length === 0) return;
    const all = [...this.#requests, ...requests];
    this.#requests = all.slice(0, CAPACITY);
    this.#sendAgainAt = this.#options.clock.now().elapsed + SEND_AGAIN_AFTER;
    if (all.length > CAPACITY) this.#options.onDropped(all.length - CAPACITY);
  }

  /** Takes all requests when it is time to send them again. */
  take(): readonly LoggedRequest[] | undefined {
    if (this.#requests.length === 0) return undefined;
    if (this.#options.clock.now().elapsed < this.#sendAgainAt) return undefined;
    const taken = this.#requests;
    this.#requests = [];
    return taken;
  }

  /** Makes the next `take` return the requests even if the pause has not ended. */
  sendNow(): void {
    this.#sendAgainAt = Number.NEGATIVE_INFINITY;
  }

  filter(isKept: (request: LoggedRequest) => boolean): void {
    this.#requests = this.#requests.filter(isKept);
  }
}
