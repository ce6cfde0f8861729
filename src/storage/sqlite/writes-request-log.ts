import type { Database } from 'bun:sqlite';
import { REQUEST_COLUMNS, type RequestRow } from '../request-log-rows.ts';

const ADD = `INSERT INTO request_log (${REQUEST_COLUMNS.join(', ')})
  VALUES (${REQUEST_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;

/** The frequent change of the request log; it runs inside of a transaction of the writer thread. */
export const requestLogWrites = {
  addRequests(database: Database, rows: readonly RequestRow[]): void {
    const statement = database.query(ADD);
    for (const row of rows) statement.run(...REQUEST_COLUMNS.map((name) => row[name] ?? null));
  },
};
