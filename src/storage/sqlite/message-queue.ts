import { INSERT_MESSAGE, type MessageQueue } from '../messages.ts';
import { select } from '../schema/selection.ts';
import type { SqliteFile } from './file.ts';

const FIRST_QUEUED = select('messages', ['id'], 'WHERE delivered_at IS NULL LIMIT 1');

const DELIVER = `UPDATE messages SET delivered_at = ? WHERE sequence IN
  (SELECT sequence FROM messages WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?)`;

/** The message queue in the accounts file. */
export function sqliteMessageQueue(file: SqliteFile): MessageQueue {
  return {
    insert: async (row) => (await file.runForRows(INSERT_MESSAGE, [row])) > 0,
    async deliver(now: number, limit: number): Promise<number> {
      // This check is cheap; an empty transaction would wait for the disk.
      if (!file.get(FIRST_QUEUED)) return 0;
      return file.run(DELIVER, now, limit);
    },
    encodeText: (text) => text,
    decodeText: (stored) => stored,
  };
}
