import type { Message, MessageStore } from '../core/messages/messages.ts';
import type { Engine } from './access.ts';
import { deleteInBatches } from './schema/batches.ts';
import { insertion } from './schema/row-statements.ts';
import { type RowOf, select } from './schema/selection.ts';

/** The number of latest messages of an inbox that are watched for delivery. */
const WATCHED = 100;

const COLUMNS = ['id', 'account_id', 'environment', 'text', 'created_at', 'key_id'] as const;

/** The columns that a message is read from. */
const MESSAGE_COLUMNS = [...COLUMNS, 'delivered_at'] as const;

export const INSERT_MESSAGE = insertion('messages', 'messages', [...COLUMNS, 'idempotency_key']);

const EARLIER = select(
  'messages',
  MESSAGE_COLUMNS,
  'WHERE account_id = ? AND environment = ? AND idempotency_key = ? AND id <> ?',
);

const ONE = select('messages', MESSAGE_COLUMNS, 'WHERE account_id = ? AND id = ?');

/** What differs between the engines. */
export interface MessageQueue extends Pick<MessageStore, 'deliver'> {
  /** Adds a row with `INSERT_MESSAGE`, after those of earlier calls; `false` if it was not added. */
  insert(row: RowOf<typeof INSERT_MESSAGE>): Promise<boolean>;
  /** The form in which the engine stores a text. */
  encodeText(text: string): string;
  decodeText(stored: string): string;
}

/** The message queue and the inboxes, on either engine. */
export function storedMessages(engine: Engine, queue: MessageQueue): MessageStore {
  const rows = async () => (await engine.queries()).selectFrom('messages');
  /** Of an account, the newest first. */
  const latest = async (accountId: string, limit: number) =>
    (await rows()).where('account_id', '=', accountId).orderBy('sequence', 'desc').limit(limit);
  return {
    // May run again if it is unknown whether it was committed.
    async enqueue(message, idempotencyKey) {
      const { id, accountId, environment, text, createdAt, keyId } = message;
      const isAdded = await queue.insert({
        ...{ id, account_id: accountId, environment, text: queue.encodeText(text) },
        ...{ created_at: createdAt, key_id: keyId, idempotency_key: idempotencyKey },
      });
      if (isAdded || idempotencyKey === undefined) return undefined;
      const [row] = await engine.rows(EARLIER, accountId, environment, idempotencyKey, id);
      return row && messageFromRow(row, queue);
    },
    deliver: (now, limit) => queue.deliver(now, limit),
    async queued() {
      const { queued } = await (await rows())
        .select(({ fn }) => fn.countAll<number>().as('queued'))
        .where('delivered_at', 'is', null)
        .executeTakeFirstOrThrow();
      return queued;
    },
    async list(accountId, limit, before) {
      let query = (await latest(accountId, limit)).select(MESSAGE_COLUMNS);
      if (before !== undefined) {
        query = query.where('sequence', '<', ({ selectFrom }) =>
          selectFrom('messages as given')
            .select('given.sequence')
            .where('given.account_id', '=', accountId)
            .where('given.id', '=', before),
        );
      }
      const rows = await query.execute();
      return rows.map((row) => messageFromRow(row, queue));
    },
    async find(accountId, id) {
      const [row] = await engine.rows(ONE, accountId, id);
      return row && messageFromRow(row, queue);
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

function messageFromRow(row: RowOf<typeof EARLIER>, queue: MessageQueue): Message {
  return {
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id ?? undefined,
    environment: row.environment,
    text: queue.decodeText(row.text),
    createdAt: row.created_at,
    deliveredAt: row.delivered_at ?? undefined,
  };
}
