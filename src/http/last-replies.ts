import { type Awaitable, settled } from '../lib/awaitable.ts';
import { SECOND, systemClock } from '../lib/clock.ts';

/**
 * Clients that keep a connection busy send their next request within this time after a reply, in ms;
 * a connection without a request for that long is idle.
 */
const IDLE_AFTER = 50;

/** How long replies may be held back so that the port closes while no request is being sent, in ms. */
const LONGEST_HOLD = SECOND;

/** Adds `Connection: close` to the last reply of each connection (RFC 9112, 9.6). */
export class LastReplies {
  #receivedAt = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #held: Promise<void> | undefined;

  /** Handles a request; its reply says whether the connection is closed after it. */
  reply(request: Request, handle: () => Awaitable<Response>): Awaitable<Response> {
    this.#receivedAt = now();
    const isLast = asksToClose(request);
    // Most are there at once; the runtime needs longer for a promise.
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
   * Holds replies back until no connection is busy, or for 1 s, and calls `close`; then lets them go.
   *
   * The runtime closes the port and every connection without a request at the same time, also those
   * whose request it has not read yet. While replies are held back, busy connections come to have
   * a request each, and the port can be closed at a moment when none is being sent.
   */
  async closeWhenIdle(close: () => void): Promise<void> {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#held = promise;
    const end = now() + LONGEST_HOLD;
    for (;;) {
      // What arrived while this thread was busy counts, too.
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

/** Sockets are waited for in real time, whatever clock the service is given. */
function now(): number {
  return systemClock.now().elapsed;
}

/** Resolves after the event loop has read its sockets. */
async function socketsRead(): Promise<void> {
  // The first may already be due before the sockets are read.
  for (const _ of [1, 2, 3]) await new Promise<void>((resolve) => setImmediate(resolve));
}
