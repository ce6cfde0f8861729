import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import { SECOND } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/timeout.ts';

/** Redis did not reply in time, or is known to be unavailable. */
class RedisUnavailable extends Error {
  override readonly name = 'RedisUnavailable';

  /** @param silence ms without any reply. */
  constructor(silence: number) {
    super(`no reply for ${silence} ms`);
  }
}

/** How often the silence is measured, in ms. */
const CHECK_INTERVAL = 25;
/** How long one probe may take, in ms, unless the silence timeout is longer. */
const PROBE_TIMEOUT = 0.5 * SECOND;

interface CircuitOptions {
  /** Sends a command on this key to check whether its server is available. */
  readonly probe: (key: string) => Promise<unknown>;
  readonly onOpen: (cause: unknown) => void;
  readonly onClose: () => void;
  /** Time without a reply, while calls wait, after which the server counts as unavailable, in ms. */
  readonly silenceTimeout: number;
}

/**
 * Prevents requests from waiting for a Redis server that does not reply. It opens when a call fails, or when
 * calls wait and the server has sent no reply at all for the silence timeout; every waiting call is then
 * rejected immediately. Silence is measured instead of the duration of single calls, because under load the
 * queue may be long although the server is healthy. It is measured as a number of checks instead of elapsed
 * time, so that a pause of this process is not mistaken for silence of the server.
 */
export class Circuit {
  readonly #breaker: CircuitBreaker<unknown>;
  readonly #onOpen: (cause: unknown) => void;
  readonly #silenceTimeout: number;
  readonly #waiting = new Set<(error: unknown) => void>();
  #key = '';
  #silence = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor({ probe, onOpen, onClose, silenceTimeout }: CircuitOptions) {
    this.#onOpen = onOpen;
    this.#silenceTimeout = silenceTimeout;
    const probeTimeout = Math.max(PROBE_TIMEOUT, silenceTimeout);
    this.#breaker = new CircuitBreaker<unknown>({
      probe: () => withTimeout(probeTimeout, () => probe(this.#key)),
      firstPause: 0.1 * SECOND,
      longestPause: SECOND,
      onClose,
    });
  }

  /** Whether calls are rejected without being sent. */
  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Sends a command on this key; rejects with its error, or with `RedisUnavailable`. */
  call<T>(key: string, send: () => Promise<T>): Promise<T> {
    if (this.isOpen || this.#isStopped) return Promise.reject(this.#unavailable());
    this.#key = key;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.add(reject);
    this.#timer ??= this.#checkLater(0);
    send().then(
      (reply) => {
        this.#silence = 0;
        if (this.#waiting.delete(reject)) resolve(reply);
      },
      (error) => {
        if (this.#waiting.has(reject)) this.#open(error);
      },
    );
    return promise;
  }

  /** Rejects waiting calls and all later ones; resolves when no probe is running any more. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#rejectWaiting(this.#unavailable());
    return this.#breaker.stop();
  }

  #checkLater(silence: number): ReturnType<typeof setTimeout> {
    this.#silence = silence;
    return setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size === 0) return;
      const silence = this.#silence + CHECK_INTERVAL;
      if (silence > this.#silenceTimeout) this.#open(this.#unavailable());
      else this.#timer = this.#checkLater(silence);
    }, CHECK_INTERVAL);
  }

  #open(cause: unknown): void {
    this.#breaker.open(cause);
    this.#rejectWaiting(cause);
    this.#onOpen(cause);
  }

  #rejectWaiting(cause: unknown): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const reject of this.#waiting) reject(cause);
    this.#waiting.clear();
  }

  #unavailable(): RedisUnavailable {
    return new RedisUnavailable(this.#silenceTimeout);
  }
}
