import { messageOf, StorageUnavailable } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';

const PROBE_EVERY = 0.1 * SECOND;

/**
 * Knows whether the server is away. While it is, nobody waits for it: one probe after the other tries
 * until a server answers that takes changes, which a standby does not.
 */
export class Outage {
  readonly #probe: () => Promise<string | undefined>;
  readonly #onEnd: (address: string) => void;
  #probing: Promise<void> | undefined;
  #cause: unknown;
  #closed = false;

  /**
   * @param probe gives the address of a server that takes changes, if there is one.
   * @param onEnd hears where the server is that is back, or its successor.
   */
  constructor(probe: () => Promise<string | undefined>, onEnd: (address: string) => void) {
    this.#probe = probe;
    this.#onEnd = onEnd;
  }

  /** Whether the server is away. */
  get isOn(): boolean {
    return this.#probing !== undefined;
  }

  /** @throws StorageUnavailable while the server is away. */
  check(): void {
    if (!this.isOn) return;
    throw new StorageUnavailable(new Error(`The database is away: ${messageOf(this.#cause)}`));
  }

  /** The server cannot be reached, or takes no changes. */
  begin(cause: unknown): void {
    if (this.#closed || this.isOn) return;
    this.#cause = cause;
    this.#probing = this.#probeUntilBack();
  }

  /** Ends the probes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#probing;
  }

  async #probeUntilBack(): Promise<void> {
    let found = await this.#probe();
    while (!this.#closed && found === undefined) {
      await Bun.sleep(PROBE_EVERY);
      found = await this.#probe();
    }
    this.#probing = undefined;
    if (!this.#closed && found !== undefined) this.#onEnd(found);
  }
}
