import { SECOND } from '../../lib/clock.ts';

/** Redis did not answer in time. */
export class RedisAway extends Error {
  override readonly name = 'RedisAway';

  /** @param patience ms for which nothing was heard. */
  constructor(patience: number) {
    super(`no reply for ${patience} ms`);
  }
}

/** A server that says nothing for so long is away, in ms. */
const PATIENCE = 150;
/** How often it is looked whether it said something, in ms. */
const LOOK_EVERY = 25;

const FIRST_PROBE_AFTER = 0.1 * SECOND;
const LAST_PROBE_AFTER = SECOND;
/** How long the reply to a probe is waited for, in ms. */
const PROBE_PATIENCE = 0.5 * SECOND;

export interface CircuitEvents {
  away(cause: unknown): void;
  back(): void;
}

/**
 * Keeps requests from waiting for a server that does not answer. When calls wait and no reply at all
 * has come for as long as it has patience, or one fails, all that wait are told so at once and the circuit is open:
 * nothing is sent but a probe now and then, until one succeeds. It is silence that counts, not how
 * long one call takes: under load a queue may be long while the server is well. Looks are counted
 * rather than time, so that a pause of this process is not taken for one of the server.
 */
export class Circuit {
  readonly #events: CircuitEvents;
  readonly #patience: number;
  readonly #waiting = new Set<(error: unknown) => void>();
  #silence = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = false;
  #isClosed = false;

  /** @param patience ms of silence after which a server is away; 150 unless told otherwise. */
  constructor(events: CircuitEvents, patience = PATIENCE) {
    this.#events = events;
    this.#patience = patience;
  }

  /** Whether calls would be in vain. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Does the work; rejects with what it rejects with, or with `RedisAway`.
   * @param probe tried later, again and again, to see whether the work is possible again.
   */
  call<T>(work: () => Promise<T>, probe: () => Promise<unknown>): Promise<T> {
    if (this.#isOpen || this.#isClosed) return Promise.reject(new RedisAway(this.#patience));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const end = (settle: () => void) => {
      if (this.#waiting.delete(reject)) settle();
    };
    this.#waiting.add(reject);
    this.#watch(probe);
    work().then(
      (value) => {
        this.#silence = 0;
        end(() => resolve(value));
      },
      (error) =>
        end(() => {
          reject(error);
          this.#trip(error, probe);
        }),
    );
    return promise;
  }

  /** Lets go of what waits, and probes no more. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#giveUp(new RedisAway(this.#patience));
  }

  #watch(probe: () => Promise<unknown>): void {
    if (this.#timer !== undefined) return;
    this.#silence = 0;
    const look = () => {
      this.#timer = undefined;
      if (this.#waiting.size === 0) return;
      this.#silence += LOOK_EVERY;
      if (this.#silence > this.#patience) this.#trip(new RedisAway(this.#patience), probe);
      else this.#timer = setTimeout(look, LOOK_EVERY);
    };
    this.#timer = setTimeout(look, LOOK_EVERY);
  }

  #trip(cause: unknown, probe: () => Promise<unknown>): void {
    if (this.#isOpen || this.#isClosed) return;
    this.#isOpen = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#giveUp(cause);
    this.#events.away(cause);
    this.#probeAfter(FIRST_PROBE_AFTER, probe);
  }

  #giveUp(cause: unknown): void {
    for (const reject of this.#waiting) reject(cause);
    this.#waiting.clear();
  }

  #probeAfter(pause: number, probe: () => Promise<unknown>): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(async () => {
      const succeeded = await Promise.race([
        probe().then(
          () => true,
          () => false,
        ),
        Bun.sleep(PROBE_PATIENCE).then(() => false),
      ]);
      if (this.#isClosed) return;
      if (!succeeded) return this.#probeAfter(Math.min(2 * pause, LAST_PROBE_AFTER), probe);
      this.#timer = undefined;
      this.#isOpen = false;
      this.#events.back();
    }, pause);
  }
}
