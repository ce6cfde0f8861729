import pino, { type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings.ts';
import { messageOf } from '../core/errors.ts';
import { redactApiKeys } from '../core/keys/api-key-redaction.ts';
import { systemClock } from '../lib/clock.ts';

/** Writes a line with fields and a message, or with a message alone. */
export type WriteLine = (fields: object | string, message?: string) => void;

/** The levels of lines, from the most frequent to the most severe. */
export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

/** A structured log. */
export interface Log extends Readonly<Record<LineLevel, WriteLine>> {
  /** Whether lines of this level are written. */
  isLevelEnabled(level: LineLevel): boolean;
  /** Loads the code of the log, if it is not loaded yet. Rejects if it cannot be loaded. */
  load?(): Promise<void>;
}

/**
 * A structured log of JSON lines. Each line is stamped with the machine's clock, so that the log can be
 * compared with those of other programs. In every line, everything with the shape of an API key is hidden.
 * @param now the time of the line that is being written, in epoch ms.
 */
export function createLog(
  level: LogLevel,
  destination: DestinationStream,
  now = () => systemClock.now().wall,
): Logger {
  const redacted = { write: (line: string) => destination.write(redactApiKeys(line)) };
  const timestamp = () => `,"time":"${new Date(now()).toISOString()}"`;
  return pino({ level, timestamp, serializers: { err: serializeError } }, redacted);
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
