import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { BUSY_TIMEOUT, CHECKPOINT_AFTER_PAGES, LOG_LIMIT } from './database.ts';

/** How long truncating a log waits for readers, in ms. Changes wait as long. */
const TRUNCATE_PATIENCE = 50;

/** The state of a write-ahead log after a checkpoint, if one was due. */
export interface LogState {
  /** The size of its file. */
  readonly bytes: number;
  /** Whether a checkpoint is due that failed, or that a reader or another process prevents. */
  readonly isBehind: boolean;
  /** Why the checkpoint failed; `undefined` if it did not. */
  readonly failure?: string | undefined;
}

/**
 * Looks at a write-ahead log. SQLite checkpoints a long one at each commit, but reports neither a failure nor a reader
 * that prevents it. If a part of a long log is not in the database yet, tries again, to find out why. Truncates a very
 * long log that is.
 * @throws SQLiteError when the checkpoint fails.
 */
export function checkpoint(database: Database, path: string): LogState {
  let isBehind = isPartOfLongLogLeft(database, 'NOOP');
  if (isBehind) isBehind = isPartOfLongLogLeft(database, 'PASSIVE');
  if (!isBehind && logBytes(path) > LOG_LIMIT) truncate(database);
  return { bytes: logBytes(path), isBehind };
}

/** The size of the log of the database at this path, in bytes; 0 if there is none. */
export function logBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function isPartOfLongLogLeft(database: Database, mode: 'NOOP' | 'PASSIVE'): boolean {
  const [row] = database.query(`PRAGMA wal_checkpoint(${mode})`).values();
  const [frames, checkpointed] = [Number(row?.[1]), Number(row?.[2])];
  return frames > CHECKPOINT_AFTER_PAGES && checkpointed < frames;
}

function truncate(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${TRUNCATE_PATIENCE}`);
  try {
    database.query('PRAGMA wal_checkpoint(TRUNCATE)').values();
  } finally {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
  }
}
