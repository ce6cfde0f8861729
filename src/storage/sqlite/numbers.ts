import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { openForInspection, query, type SqliteSelection } from './database.ts';

type NumberSelection = SqliteSelection<{ readonly number: bigint | number | null }>;

/** The highest id in the database of an environment. */
export const HIGHEST_ID: NumberSelection = { sqlite: 'SELECT max(id) AS number FROM pets' };

/**
 * The number of the last change in an accounts database that was acknowledged to users or operators. It increases with
 * each such change, and deletions do not lower it.
 */
export const LAST_CHANGE: NumberSelection = {
  sqlite: `SELECT
    coalesce((SELECT sum(seq) FROM sqlite_sequence WHERE name IN ('audit', 'messages')), 0) +
    coalesce((SELECT value FROM revision WHERE name = 'changes'), 0) AS number`,
};

/** Selects one of these numbers; 0 if there is none. */
export function selectNumber(database: Database, selection: NumberSelection): number {
  return Number(query(database, selection).get()?.number ?? 0);
}

/** The highest id in the file at this path; 0 if it cannot be read, `undefined` if there is no file. */
export function findHighestId(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  try {
    using database = openForInspection(path);
    return selectNumber(database, HIGHEST_ID);
  } catch {
    return 0;
  }
}
