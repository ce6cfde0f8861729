import { hostname } from 'node:os';
import type { LogLevel } from '../config/settings.ts';
import { redactApiKeys } from '../core/api-key-redaction.ts';
import { ApiError, messageOf } from '../core/errors.ts';
import type { ServiceLog } from '../http/pipeline.ts';
import { type Clock, SECOND, systemClock } from '../lib/clock.ts';
import type { JobReport } from '../lib/scheduler.ts';
import { publicPath } from './public-path.ts';

/** The numbers of the levels in log lines, which are those of pino, so that its tools can read them. */
const LEVELS = { debug: 20, info: 30, warn: 40, error: 50, silent: Number.POSITIVE_INFINITY };

/** Where lines are written. */
export interface LineDestination {
  /** @param line with its line break. */
  write(line: string): void;
}

/** Writes a line with these fields; an error is the field `err`. Never throws. */
interface WriteLine {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** A structured log. */
export interface Log {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  isLevelEnabled(level: LogLevel): boolean;
  /** The same log, with additional fields on each line, evaluated when the line is written. */
  withFields(fields: () => object): Log;
}

/** While the store is unavailable every request fails the same way: logs at most one line in this many ms. */
const UNAVAILABLE_INTERVAL = SECOND;

/** A log of JSON lines. In every line, everything with the shape of an API key is hidden. */
export function createLog(level: LogLevel, destination: LineDestination): Log {
  return jsonLog(level, { write: (line) => destination.write(redactApiKeys(line)) });
}

/** A log of JSON lines. Each has the time of the machine's clock, for comparison with the logs of other programs. */
function jsonLog(
  level: LogLevel,
  destination: LineDestination,
  addedFields: () => object = () => ({}),
): Log {
  const origin = { pid: process.pid, hostname: hostname() };
  const isLevelEnabled = (each: LogLevel) => LEVELS[each] >= LEVELS[level];
  const writer =
    (each: Exclude<LogLevel, 'silent'>): WriteLine =>
    (first: object | string, message?: string) => {
      if (!isLevelEnabled(each)) return;
      const time = new Date(systemClock.now().wall).toISOString();
      const [fields, msg] = typeof first === 'string' ? [{}, first] : [first, message];
      const start = { level: LEVELS[each], time, ...origin };
      destination.write(`${serialize(start, { ...addedFields(), ...fields }, msg)}\n`);
    };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isLevelEnabled,
    withFields: (fields) => jsonLog(level, destination, () => ({ ...addedFields(), ...fields() })),
  };
}

function serialize(start: object, fields: object, msg: string | undefined): string {
  try {
    return JSON.stringify({ ...start, ...fields, msg }, jsonValue);
  } catch (error) {
    return JSON.stringify({ ...start, unserializable: messageOf(error), msg });
  }
}

/** Replaces values that have no JSON form. */
function jsonValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Error ? errorFields(value) : value;
}

/** An error with its causes and the details that the runtime adds, such as `code`; other fields may have no JSON form. */
function errorFields(error: Error): object {
  const chain = withCauses(error);
  const details = Object.entries(error).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  return {
    ...Object.fromEntries(details),
    type: error.constructor.name,
    message: chain.map(({ message }) => message).join(': '),
    stack: chain.flatMap(({ stack }) => stack ?? []).join('\ncaused by: '),
    ...(error instanceof AggregateError && { aggregateErrors: error.errors.map(messageOf) }),
  };
}

function withCauses(error: Error): Error[] {
  const chain: Error[] = [];
  let next: unknown = error;
  while (next instanceof Error && !chain.includes(next)) {
    chain.push(next);
    next = next.cause;
  }
  return chain;
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
