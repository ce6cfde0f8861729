import { setTimeout as sleep } from 'node:timers/promises';

interface CircuitBreakerOptions<Found> {
  /** Resolves when the server is available again; rejects while it is not. Probes never overlap. */
  readonly probe: () => Promise<Found>;
  /** Pause before the first probe, in ms; it doubles after each failed probe. */
  readonly firstPause: number;
  /** Longest pause between two probes, in ms. */
  readonly longestPause: number;
  /** Called with the result of the successful probe. */
  readonly onClose: (found: Found) => void;
}

/**
 * Lets callers fail fast while a server is unavailable. An open breaker probes the server in the
 * background, so that no request has to, and closes after the first successful probe.
 */
export class CircuitBreaker<Found> {
  readonly #options: CircuitBreakerOptions<Found>;
  readonly #stop = new AbortController();
  #probing: Promise<void> | undefined;
  #cause: unknown;

  constructor(options: CircuitBreakerOptions<Found>) {
    this.#options = options;
  }

  /** Whether the server is known to be unavailable. */
  get isOpen(): boolean {
    return this.#probing !== undefined;
  }

  /** The error that last opened the breaker. */
  get cause(): unknown {
    return this.#cause;
  }

  /** Opens the breaker and starts probing; does nothing if it is already open or stopped. */
  open(cause: unknown): void {
    if (this.isOpen || this.#stop.signal.aborted) return;
    this.#cause = cause;
    this.#probing = this.#probeUntilAvailable();
  }

  /** Stops probing permanently. Never rejects; resolves when no probe is running any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#probing;
  }

  async #probeUntilAvailable(): Promise<void> {
    const { probe, firstPause, longestPause, onClose } = this.#options;
    const { signal } = this.#stop;
    let found: Found;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        await sleep(pause, undefined, { signal });
        found = await probe();
        break;
      } catch {
        if (signal.aborted) return;
      }
    }
    if (signal.aborted) return;
    this.#probing = undefined;
    onClose(found);
  }
}
