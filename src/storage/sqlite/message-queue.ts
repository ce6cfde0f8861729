import { INSERT_MESSAGE } from '../messages.ts';
import { select } from '../schema/selection.ts';
import type { HotPathQueries } from '../shared-stores.ts';
import type { SqliteFile } from './file.ts';
import type { RequestLogFile } from './request-log-file.ts';

const FIRST_QUEUED = select('messages', ['id'], 'WHERE delivered_at IS NULL LIMIT 1');

const DELIVER = `UPDATE messages SET delivered_at = ? WHERE sequence IN
  (SELECT sequence FROM messages WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?)`;

/** The operations of the request path on the accounts file and the request log. */
export function sqliteHotPathQueries(
  file: SqliteFile,
  requestLogFile: RequestLogFile,
): HotPathQueries {
  return {
    requestLogFile,
    findKey: (selection, ...values) => file.getFromSnapshot(selection, ...values),
    messages: {
      insert: async (row) => (await file.runForRows(INSERT_MESSAGE, [row])) > 0,
      async deliver(now: number, limit: number): Promise<number> {
        // This check is cheap; an empty transaction would wait for the disk.
        if (!file.get(FIRST_QUEUED)) return 0;
        return file.run(DELIVER, now, limit);
      },
      encodeText: (text) => text,
      decodeText: (stored) => stored,
    },
  };
}
