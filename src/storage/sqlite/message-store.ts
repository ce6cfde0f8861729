import type { Message, MessageStore } from '../../core/messages.ts';
import { type MessageRow, messageFromRow } from '../rows.ts';
import type { SqliteFile } from './file.ts';

/** The queue of messages, and the inboxes. */
export class SqliteMessageStore implements MessageStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined> {
    return this.#file.write({ name: 'enqueueMessage', input: { message, idempotencyKey } });
  }

  async deliver(now: number, limit: number): Promise<number> {
    // Looking costs nothing; an empty transaction would wait for the disk.
    if (this.queued() === 0) return 0;
    return this.#file.write({ name: 'deliverMessages', input: { now, limit } });
  }

  queued(): number {
    const row = this.#file.get<{ queued: bigint }>(
      'SELECT count(*) AS queued FROM messages WHERE delivered_at IS NULL',
    );
    return Number(row?.queued ?? 0);
  }

  list(accountId: string, limit: number): Message[] {
    return this.#file
      .all<MessageRow>(
        'SELECT * FROM messages WHERE account_id = ? ORDER BY sequence DESC LIMIT ?',
        accountId,
        limit,
      )
      .map(messageFromRow);
  }

  async forget(before: number): Promise<void> {
    while ((await this.#file.write({ name: 'forgetMessages', input: before })) > 0);
  }
}
