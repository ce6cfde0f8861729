import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from './config.ts';
import { ApiError } from './core/errors.ts';
import type { ServiceLog } from './http/service.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

/** While the store is away every request fails alike: one line in this many ms tells enough. */
const REPEAT_AFTER = 1_000;

/** Structured lines (JSON) on stdout, or readable ones when a person is looking at a terminal. */
export function createLog(level: LogLevel, isTerminal: boolean): Log {
  const destination = isTerminal
    ? pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true })
    : pino.destination({ dest: 1, sync: true });
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** What the HTTP service tells, as log lines. No header and no body is ever part of one. */
export function serviceLog(log: Log): ServiceLog {
  const debugging = log.isLevelEnabled('debug');
  let lastUnavailable = Number.NEGATIVE_INFINITY;
  return {
    request(method, url, status, took) {
      if (debugging)
        log.debug({ method, url, status, took: Math.round(took * 1_000) / 1_000 }, 'request');
    },
    failure(error) {
      if (!(error instanceof ApiError)) {
        log.error({ err: error }, 'request failed');
        return;
      }
      const now = performance.now();
      if (now - lastUnavailable < REPEAT_AFTER) return;
      lastUnavailable = now;
      log.warn({ cause: describe(error.cause) }, error.message);
    },
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
