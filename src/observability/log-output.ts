import { write } from 'node:fs';
import { withTimeout } from '../lib/timeout.ts';
import type { LineDestination } from './log.ts';

/** Characters buffered while the reader stalls; lines beyond that are dropped. */
const MAX_BUFFERED = 1024 * 1024;

/** Delay before a failed write is retried, in ms. */
const WRITE_RETRY_DELAY = 10;

/** Formats the lines for a person at a terminal. */
export async function readable(destination: LineDestination): Promise<LineDestination> {
  // Loaded only on a terminal: it takes longer to load than the rest of the log.
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
  });
  return { write: (line) => destination.write(format(line)) };
}

/** Writes lines asynchronously: neither a stalled reader nor a full disk may block requests or the exit. */
export class LineWriter implements LineDestination {
  readonly #file: number;
  #waiting = '';
  #writing: Promise<void> | undefined;

  /** @param file the descriptor to write to. */
  constructor(file: number) {
    this.#file = file;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > MAX_BUFFERED) return;
    this.#waiting += line;
    this.#writing ??= this.#writeAll();
  }

  /**
   * Waits until everything is written.
   * @param within the longest wait, in ms.
   * @returns whether everything was written in time.
   */
  async flush(within: number): Promise<boolean> {
    try {
      await withTimeout(within, () => this.#writing);
      return true;
    } catch {
      return false;
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== '') {
      let rest = Buffer.from(this.#waiting);
      this.#waiting = '';
      while (rest.length > 0) rest = rest.subarray(await this.#writeSome(rest));
    }
    this.#writing = undefined;
  }

  /** Returns the number of bytes written. */
  async #writeSome(bytes: Buffer): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    write(this.#file, bytes, (error, written) => resolve(error ? undefined : written));
    const written = await promise;
    if (written === undefined) await Bun.sleep(WRITE_RETRY_DELAY);
    return written ?? 0;
  }
}
