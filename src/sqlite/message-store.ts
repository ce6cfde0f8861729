import type { Environment } from '../core/environments.ts';
import type { Message } from '../core/messages.ts';
import type { MessageStore } from '../core/ports.ts';
import type { SqliteFile } from './file.ts';

interface MessageRow {
  id: string;
  account_id: string;
  environment: Environment;
  text: string;
  created_at: bigint;
  delivered_at: bigint | null;
}

/** The queue of messages, and the inboxes. */
export class SqliteMessageStore implements MessageStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  enqueue(message: Message): Promise<void> {
    return this.#file.write({ name: 'enqueueMessage', input: message });
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
      .map((row) => ({
        id: row.id,
        accountId: row.account_id,
        environment: row.environment,
        text: row.text,
        createdAt: Number(row.created_at),
        deliveredAt: row.delivered_at === null ? undefined : Number(row.delivered_at),
      }));
  }

  async forget(before: number): Promise<void> {
    while ((await this.#file.write({ name: 'forgetMessages', input: before })) > 0);
  }
}
