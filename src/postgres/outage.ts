import type { SQL } from 'bun';
import { SECOND } from '../core/clock.ts';
import { StorageUnavailable } from '../core/errors.ts';

const PROBE_EVERY = 0.1 * SECOND;

/** How long one probe may take, in ms. */
const PATIENCE = 2 * SECOND;

/**
 * Knows whether the server is away. While it is, nobody waits for it: one probe after the other tries
 * until a server answers that takes changes, which a standby does not.
 */
export class Outage {
  readonly #connect: () => SQL;
  readonly #onEnd: () => void;
  #probing: Promise<void> | undefined;
  #closed = false;

  /**
   * @param connect makes a connection of its own for a probe.
   * @param onEnd hears that the server is back.
   */
  constructor(connect: () => SQL, onEnd: () => void) {
    this.#connect = connect;
    this.#onEnd = onEnd;
  }

  /** @throws StorageUnavailable while the server is away. */
  check(): void {
    if (this.#probing !== undefined)
      throw new StorageUnavailable(new Error('The database is away.'));
  }

  /** The server cannot be reached, or takes no changes. */
  begin(): void {
    if (!this.#closed) this.#probing ??= this.#probeUntilBack();
  }

  /** Ends the probes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#probing;
  }

  async #probeUntilBack(): Promise<void> {
    while (!this.#closed && !(await this.#takesChanges())) await Bun.sleep(PROBE_EVERY);
    this.#probing = undefined;
    if (!this.#closed) this.#onEnd();
  }

  async #takesChanges(): Promise<boolean> {
    const connection = this.#connect();
    const answer = connection.unsafe<{ transaction_read_only: string }[]>(
      'SHOW transaction_read_only',
    );
    const silence = Promise.withResolvers<[]>();
    const timer = setTimeout(() => silence.resolve([]), PATIENCE);
    try {
      const [row] = await Promise.race([answer, silence.promise]);
      return row?.transaction_read_only === 'off';
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      connection.close({ timeout: 0 }).catch(() => {});
    }
  }
}
