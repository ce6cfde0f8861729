import type { Selectable } from 'kysely';
import type { Message, MessageActivity, MessageStore } from '../core/messages.ts';
import type { Engine } from './access.ts';
import { deleteInBatches } from './batches.ts';
import type { Database } from './schema.ts';

/** The number of latest messages of an inbox that are watched for delivery. */
const WATCHED = 100;

/** The columns that a message is read from. */
export const MESSAGE_COLUMNS = [
  ...(['id', 'account_id', 'environment', 'text', 'created_at', 'delivered_at'] as const),
  'key_id',
] as const;

export type MessageRow = Pick<Selectable<Database['messages']>, (typeof MESSAGE_COLUMNS)[number]>;

/** The path of messages into inboxes, written for each engine without Kysely. */
export interface MessageQueue extends Pick<MessageStore, 'enqueue' | 'deliver'> {
  /** Decodes the text of a message from the form in which the engine stores it. */
  decodeText(stored: string): string;
}

/** The message queue and the inboxes, on either engine. */
export class StoredMessages implements MessageStore {
  readonly #engine: Engine;
  readonly #queue: MessageQueue;

  constructor(engine: Engine, queue: MessageQueue) {
    this.#engine = engine;
    this.#queue = queue;
  }

  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined> {
    return this.#queue.enqueue(message, idempotencyKey);
  }

  deliver(now: number, limit: number): Promise<number> {
    return this.#queue.deliver(now, limit);
  }

  async queued(): Promise<number> {
    const { queued } = await (await this.#engine.queries())
      .selectFrom('messages')
      .select((select) => select.fn.countAll<number>().as('queued'))
      .where('delivered_at', 'is', null)
      .executeTakeFirstOrThrow();
    return queued;
  }

  async list(accountId: string, limit: number): Promise<Message[]> {
    const rows = await (await this.#engine.queries())
      .selectFrom('messages')
      .select(MESSAGE_COLUMNS)
      .where('account_id', '=', accountId)
      .orderBy('sequence', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => messageFromRow({ ...row, text: this.#queue.decodeText(row.text) }));
  }

  async activity(accountId: string): Promise<MessageActivity> {
    const rows = await (await this.#engine.queries())
      .selectFrom('messages')
      .select(['id', 'delivered_at'])
      .where('account_id', '=', accountId)
      .orderBy('sequence', 'desc')
      .limit(WATCHED)
      .execute();
    return {
      latest: rows[0]?.id,
      queued: rows.filter(({ delivered_at }) => delivered_at === null).length,
    };
  }

  async prune(before: number): Promise<void> {
    await deleteInBatches(this.#engine, 'messages', 'delivered_at < ?', before);
  }
}

export function messageFromRow(row: MessageRow): Message {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id ?? undefined,
    environment: row.environment,
    text: row.text,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at ?? undefined,
  };
}
