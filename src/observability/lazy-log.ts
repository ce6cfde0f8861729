import type { DestinationStream } from 'pino';
import { LOG_LEVELS, type LogLevel } from '../config/settings.ts';
import { systemClock } from '../lib/clock.ts';
import { lazy, lazyImport } from '../lib/lazy.ts';
import type { LineLevel, Log } from './log.ts';

const loadPino = lazyImport(() => import('./log.ts'));

/** Lines that are held at most; later ones are dropped. */
const MAX_HELD = 10_000;

interface HeldLine {
  readonly level: LineLevel;
  /** When it was logged, in epoch ms. */
  readonly at: number;
  readonly fields: object | string;
  readonly message: string | undefined;
}

/**
 * A log whose code is loaded after the ports are open, because pino takes a sixth of the CPU time of a start from source.
 * Lines that are logged earlier are held, and written by `load` with the time at which they were logged.
 */
export class LazyLog implements Log {
  readonly #level: LogLevel;
  readonly #open: () => DestinationStream | Promise<DestinationStream>;
  readonly #held: HeldLine[] = [];
  #log: Log | undefined;

  readonly load = lazy(() => this.#load());

  /** @param open opens the destination; called by `load`. */
  constructor(level: LogLevel, open: () => DestinationStream | Promise<DestinationStream>) {
    this.#level = level;
    this.#open = open;
  }

  debug(fields: object | string, message?: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object | string, message?: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object | string, message?: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object | string, message?: string): void {
    this.#write('error', fields, message);
  }

  /** Writes the held lines, if there are any. Rejects if the code of the log cannot be loaded. */
  async flush(): Promise<void> {
    if (this.#held.length > 0) await this.load();
  }

  isLevelEnabled(level: LineLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(this.#level);
  }

  #write(level: LineLevel, fields: object | string, message?: string): void {
    if (this.#log) this.#log[level](fields, message);
    else if (this.isLevelEnabled(level) && this.#held.length < MAX_HELD) {
      this.#held.push({ level, at: systemClock.now().wall, fields, message });
    }
  }

  async #load(): Promise<void> {
    const [{ createLog }, destination] = await Promise.all([loadPino(), this.#open()]);
    let at: number | undefined;
    const log = createLog(this.#level, destination, () => at ?? systemClock.now().wall);
    for (const line of this.#held.splice(0)) {
      at = line.at;
      log[line.level](line.fields, line.message);
    }
    at = undefined;
    this.#log = log;
  }
}
