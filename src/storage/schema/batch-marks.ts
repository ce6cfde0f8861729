import { numbered, type Statement } from './selection.ts';

const MARK = `INSERT INTO usage_sources AS noted (id, batch, hour) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET batch = excluded.batch, hour = excluded.hour
  WHERE noted.batch < excluded.batch`;

/**
 * Records a batch as the latest of its source; changes no row if it was added before, by a commit whose reply was lost.
 * The values are the source, the number and the hour of a `NumberedBatch`.
 */
export const MARK_BATCH: Statement = { sqlite: MARK, postgres: numbered(MARK) };
