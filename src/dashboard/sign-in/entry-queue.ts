import { withTimeout } from '../../lib/timeout.ts';
import type { SignInOptions } from './options.ts';

/** Entries that wait to be written; further ones are dropped, so that a store that stalls takes no memory. */
const MOST_WAITING = 1_000;

type Write = () => Promise<void>;

/**
 * Writes audit entries one after another, apart from the requests that they tell of: no request fails or waits for long
 * because its entry cannot be written, and entries use at most one connection of the store.
 */
export class EntryQueue {
  readonly #log: SignInOptions['log'];
  readonly #waiting: Write[] = [];
  #running: Promise<void> | undefined;

  constructor(log: SignInOptions['log']) {
    this.#log = log;
  }

  /** Resolves when the entry is written, or cannot be; never rejects. */
  async add(entry: object, write: Write): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#log.error({ entry }, 'security event not recorded: too many are waiting');
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(async () => {
      try {
        await write();
      } catch (err) {
        this.#log.error({ entry, err }, 'security event not recorded');
      }
      resolve();
    });
    this.#running ??= this.#writeAll();
    await promise;
  }

  /** Waits for the entry that is being written, and drops the others if it takes longer than `wait` ms. */
  async close(wait: number): Promise<void> {
    await withTimeout(wait, () => this.#running).catch(() => {});
    this.#waiting.length = 0;
  }

  async #writeAll(): Promise<void> {
    for (let write = this.#waiting.shift(); write; write = this.#waiting.shift()) await write();
    this.#running = undefined;
  }
}
