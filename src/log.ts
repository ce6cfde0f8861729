import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from './config.ts';
import { ApiError } from './core/errors.ts';
import type { ServiceLog } from './http/service.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'isLevelEnabled'>;

/** While the store is away every request fails alike: one line in this many ms tells enough. */
const REPEAT_AFTER = 1_000;

/** Bytes that wait while stdout takes none, as on a full disk; lines past them are dropped. */
const BACKLOG = 1024 * 1024;

/** A log of structured lines; on stdout as JSON, unless they are to go elsewhere. */
export function createLog(level: LogLevel, destination = jsonLines()): Log {
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** Readable lines on stdout, for a person at a terminal. */
export async function terminalLines(): Promise<DestinationStream> {
  // Only here: no other start has to wait for it.
  const { default: pretty } = await import('pino-pretty');
  return pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true });
}

function jsonLines(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: true, maxLength: BACKLOG });
  // A log that cannot be written must not take the requests down with it.
  stdout.on('error', () => {});
  return stdout;
}

/** What the HTTP service tells, as log lines. No header, query or body is part of one. */
export function serviceLog(log: Log): ServiceLog {
  let lastUnavailable = Number.NEGATIVE_INFINITY;
  return {
    ...(log.isLevelEnabled('debug') && {
      request(method, url, status, took) {
        const rounded = Math.round(took * 1_000) / 1_000;
        log.debug({ method, path: withoutSecrets(url), status, took: rounded }, 'request');
      },
    }),
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

/**
 * The path alone: user names and queries can carry keys. Nor does a path of ours hold so long a run
 * of letters and digits; a key that was pasted into one does.
 */
function withoutSecrets(url: string): string {
  const path = url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*$/s, '');
  return path.replaceAll(/[0-9A-Za-z]{20,}/g, '[hidden]');
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
