import { write } from 'node:fs';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/config.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { ServiceLog } from '../http/pipeline.ts';
import { publicPath } from './public-path.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled' | 'child'>;

/** While the store is away every request fails alike: one line in this many ms tells enough. */
const REPEAT_AFTER = 1_000;

/** Characters that may wait while nobody takes them; lines past them are dropped. */
const BACKLOG = 1024 * 1024;

/** How long a write that failed waits for its next try, in ms. */
const WRITE_AGAIN_AFTER = 10;

/** A log of structured lines, JSON. */
export function createLog(level: LogLevel, destination: DestinationStream): Log {
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** The same log, where each line has further fields: those that hold at its moment. */
export function withFields(log: Log, fields: () => object): Log {
  return log.child({}, { formatters: { log: (line) => ({ ...fields(), ...line }) } });
}

/** Makes the lines readable, for a person at a terminal. */
export async function readable(destination: DestinationStream): Promise<DestinationStream> {
  // Only here: no other start has to wait for it.
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
  });
  return { write: (line) => destination.write(format(line)) };
}

/**
 * Writes lines without ever waiting for it: a reader that stalls, or a disk that is full, must not
 * take the requests down. pino's own destination blocks at the exit, where it writes out the rest.
 */
export class LineWriter implements DestinationStream {
  readonly #file: number;
  #waiting = '';
  #writing: Promise<void> | undefined;

  /** @param file the descriptor to write to. */
  constructor(file: number) {
    this.#file = file;
  }

  write(line: string): void {
    if (this.#waiting.length + line.length > BACKLOG) return;
    this.#waiting += line;
    this.#writing ??= this.#writeAll();
  }

  /** Whether everything is written, after so many ms at the most. */
  async flush(within: number): Promise<boolean> {
    const written = Promise.resolve(this.#writing).then(() => true);
    return Promise.race([written, after(within).then(() => false)]);
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting !== '') {
      let rest = Buffer.from(this.#waiting);
      this.#waiting = '';
      while (rest.length > 0) rest = rest.subarray(await this.#writeSome(rest));
    }
    this.#writing = undefined;
  }

  /** How many bytes were taken. */
  async #writeSome(bytes: Buffer): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    write(this.#file, bytes, (error, taken) => resolve(error ? undefined : taken));
    const taken = await promise;
    if (taken === undefined) await Bun.sleep(WRITE_AGAIN_AFTER);
    return taken ?? 0;
  }
}

/** Waits for so many ms, unless nothing else holds the process. */
function after(milliseconds: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, milliseconds).unref();
  return promise;
}

/** What the HTTP service tells, as log lines. No header, query or body is part of one. */
export function serviceLog(log: Log): ServiceLog {
  let lastUnavailable = Number.NEGATIVE_INFINITY;
  return {
    ...(log.isLevelEnabled('debug') && {
      request({ method, url }, requestId, status, took) {
        const rounded = Math.round(took * 1_000) / 1_000;
        const path = publicPath(url);
        log.debug({ requestId, method, path, status, took: rounded }, 'request');
      },
    }),
    failure(error, requestId) {
      if (!(error instanceof ApiError)) {
        log.error({ requestId, err: error }, 'request failed');
        return;
      }
      const now = performance.now();
      if (now - lastUnavailable < REPEAT_AFTER) return;
      lastUnavailable = now;
      log.warn({ requestId, cause: messageOf(error.cause) }, error.message);
    },
  };
}
