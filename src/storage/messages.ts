import type { Selectable } from 'kysely';
import type { Message, MessageStore } from '../core/messages/messages.ts';
import type { Engine } from './access.ts';
import { deleteInBatches } from './schema/batches.ts';
import type { Database } from './schema/schema.ts';

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
export function storedMessages(engine: Engine, queue: MessageQueue): MessageStore {
  const select = async () => (await engine.queries()).selectFrom('messages');
  /** Of an account, the newest first. */
  const latest = async (accountId: string, limit: number) =>
    (await select()).where('account_id', '=', accountId).orderBy('sequence', 'desc').limit(limit);
  return {
    enqueue: (message, idempotencyKey) => queue.enqueue(message, idempotencyKey),
    deliver: (now, limit) => queue.deliver(now, limit),
    async queued() {
      const { queued } = await (await select())
        .select(({ fn }) => fn.countAll<number>().as('queued'))
        .where('delivered_at', 'is', null)
        .executeTakeFirstOrThrow();
      return queued;
    },
    async list(accountId, limit) {
      const rows = await (await latest(accountId, limit)).select(MESSAGE_COLUMNS).execute();
      return rows.map((row) => messageFromRow({ ...row, text: queue.decodeText(row.text) }));
    },
    async activity(accountId) {
      const watched = (await latest(accountId, WATCHED)).select(['id', 'delivered_at']);
      const rows = await watched.execute();
      return {
        latest: rows[0]?.id,
        queued: rows.filter(({ delivered_at }) => delivered_at === null).length,
      };
    },
    prune: (before) => deleteInBatches(engine, 'messages', 'delivered_at < ?', before),
  };
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
