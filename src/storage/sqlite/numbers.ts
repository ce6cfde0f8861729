import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { openToLook, query, type SqliteSelection } from './database.ts';

type NumberSelection = SqliteSelection<{ readonly number: bigint | number | null }>;

/** The highest id that an environment's database holds. */
export const HIGHEST_ID: NumberSelection = { sqlite: 'SELECT max(id) AS number FROM pets' };

/**
 * The number of the last change that an accounts database holds and that users or operators were told
 * of: it grows with each of them, whatever is deleted later.
 */
export const LAST_CHANGE: NumberSelection = {
  sqlite: `SELECT
    coalesce((SELECT sum(seq) FROM sqlite_sequence WHERE name IN ('audit', 'messages')), 0) +
    coalesce((SELECT value FROM revision WHERE name = 'changes'), 0) AS number`,
};

/** Selects one of these numbers; 0 where there is none. */
export function selectNumber(database: Database, selection: NumberSelection): number {
  return Number(query(database, selection).get()?.number ?? 0);
}

/** The highest id of the file at this path; 0 when it cannot be read, `undefined` when there is none. */
export function findHighestId(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  try {
    using database = openToLook(path);
    return selectNumber(database, HIGHEST_ID);
  } catch {
    return 0;
  }
}
