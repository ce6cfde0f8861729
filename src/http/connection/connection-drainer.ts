import { type Awaitable, settled } from '../../lib/awaitable.ts';
import { SECOND, systemClock } from '../../lib/clock.ts';

/**
 * Clients that keep a connection busy send their next request within this time after a reply, in ms;
 * a connection without a request for that long is idle.
 */
const IDLE_AFTER = 50;

/** How long replies may be held back so that the port closes while no request is being sent, in ms. */
const LONGEST_HOLD = SECOND;

/** Adds `Connection: close` to the last reply of each connection (RFC 9112, 9.6). */
export class ConnectionDrainer {
  #receivedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #held: Promise<void> | undefined;

  /** Handles a request; its reply says whether the connection is closed after it. */
  reply(request: Request, handle: () => Awaitable<Response>): Awaitable<Response> {
    this.#receivedAt = now();
    const isLast = asksToClose(request);
    // Most responses are ready immediately; for a promise the runtime needs longer.
    const response = settled(handle());
    return response instanceof Promise
      ? response.then((made) => this.#send(made, isLast))
      : this.#send(response, isLast);
  }

  /** From now on every reply is the last one of its connection. */
  begin(): void {
    this.#isStopping = true;
  }

  /**
   * Holds replies back until no connection is busy, or for 1 s, calls `close`, and then sends the replies.
   *
   * The runtime closes the port and every connection without a request at the same time, also those whose
   * request it has not read yet. While replies are held back, each busy connection ends up with a request in
   * flight, so that the port can be closed at a moment when no request is being sent.
   */
  async closeWhenIdle(close: () => void): Promise<void> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#held = promise;
    const end = now() + LONGEST_HOLD;
    for (;;) {
      // Counts requests that arrived while this thread was busy, too.
      await socketsRead();
      const idleFor = now() - this.#receivedAt;
      if (idleFor >= IDLE_AFTER || now() >= end) break;
      await Bun.sleep(IDLE_AFTER - idleFor);
    }
    close();
    release();
  }

  #send(response: Response, isLast: boolean): Awaitable<Response> {
    if (this.#isStopping) return this.#sendHeld(response);
    return isLast ? closing(response) : response;
  }

  async #sendHeld(response: Response): Promise<Response> {
    await this.#held;
    return closing(response);
  }
}

function closing(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

function asksToClose({ headers }: Request): boolean {
  const options = headers.get('connection');
  return options !== null && /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(options);
}

/** Real time: connections do not follow the service's clock. */
function now(): number {
  return systemClock.now().elapsed;
}

/** Resolves after the event loop has read its sockets. */
async function socketsRead(): Promise<void> {
  // The first may already be due before the sockets are read.
  for (const _ of [1, 2, 3]) await new Promise<void>((resolve) => setImmediate(resolve));
}
