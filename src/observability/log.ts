import { write } from 'node:fs';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import { redactApiKeys } from '../core/keys/api-key-redaction.ts';
import type { ServiceLog } from '../http/service-options.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { JobReport } from '../lib/scheduler.ts';
import { withTimeout } from '../lib/timeout.ts';
import { publicPath } from './public-path.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled' | 'child'>;

/** While the store is unavailable every request fails the same way: logs at most one line in this many ms. */
const UNAVAILABLE_INTERVAL = SECOND;

/** Characters buffered while the reader stalls; lines beyond that are dropped. */
const MAX_BUFFERED = 1024 * 1024;

/** Delay before a failed write is retried, in ms. */
const WRITE_RETRY_DELAY = 10;

/**
 * A structured log of JSON lines. pino stamps each line with the machine's clock, so that the log can be
 * compared with those of other programs. In every line, everything with the shape of an API key is hidden.
 */
export function createLog(level: LogLevel, destination: DestinationStream): Log {
  const redacted = { write: (line: string) => destination.write(redactApiKeys(line)) };
  return pino(
    { level, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: serializeError } },
    redacted,
  );
}

/** Errors of the runtime about code that cannot be loaded have no JSON form. */
function serializeError(error: Error): object {
  try {
    const serialized = pino.stdSerializers.err(error);
    JSON.stringify(serialized);
    return serialized;
  } catch {
    return { type: error.name, message: messageOf(error), stack: error.stack };
  }
}

/** The same log, with additional fields on each line, evaluated when the line is written. */
export function withFields(log: Log, fields: () => object): Log {
  return log.child({}, { formatters: { log: (line) => ({ ...fields(), ...line }) } });
}

/** Formats the lines for a person at a terminal. */
export async function readable(destination: DestinationStream): Promise<DestinationStream> {
  // Loaded only on a terminal: it takes longer to load than the rest of the log.
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
  });
  return { write: (line) => destination.write(format(line)) };
}

/**
 * Writes lines asynchronously: neither a stalled reader nor a full disk may block requests. pino's own
 * destination blocks at exit, where it flushes its buffer.
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

/** Logs the failures of background jobs, and their recovery. */
export function jobReport(log: Log): JobReport {
  return {
    failed: (job, error) => log.warn({ job, err: error }, 'background job failed'),
    recovered: (job) => log.info({ job }, 'background job works again'),
  };
}

/** Logs requests (at level `debug`) and failures, without headers, queries and bodies. */
export function serviceLog(log: Log, clock: Clock): ServiceLog {
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
      const { elapsed } = clock.now();
      if (elapsed - lastUnavailable < UNAVAILABLE_INTERVAL) return;
      lastUnavailable = elapsed;
      log.warn({ requestId, cause: messageOf(error.cause) }, error.message);
    },
  };
}
