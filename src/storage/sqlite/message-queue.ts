import type { Message } from '../../core/messages.ts';
import type { MessageQueue } from '../messages.ts';
import { select } from '../selection.ts';
import type { SqliteFile } from './file.ts';

const FIRST_QUEUED = select('messages', ['id'], 'WHERE delivered_at IS NULL LIMIT 1');

/** Queues messages and delivers them. */
export class SqliteMessageQueue implements MessageQueue {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined> {
    return this.#file.write({ name: 'enqueueMessage', input: { message, idempotencyKey } });
  }

  async deliver(now: number, limit: number): Promise<number> {
    // Looking costs nothing; an empty transaction would wait for the disk.
    if (!this.#file.get(FIRST_QUEUED)) return 0;
    return this.#file.write({ name: 'deliverMessages', input: { now, limit } });
  }

  decodeText(stored: string): string {
    return stored;
  }
}
