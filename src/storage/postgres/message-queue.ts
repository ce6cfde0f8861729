import type { Message } from '../../core/messages/messages.ts';
import { type MessageQueue, type MessageRow, messageFromRow } from '../messages.ts';
import { select } from '../schema/selection.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { integers, texts } from './queries.ts';
import { QueueWatch } from './queue-watch.ts';
import { insertNew } from './several-nodes.ts';

const OLDEST = select(
  'messages',
  ['account_id', 'id'],
  'WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?',
);

const INSERT_NEW = `INSERT INTO messages
    (account_id, id, environment, text, created_at, idempotency_key, key_id)
  SELECT sent.account_id, sent.id, sent.environment, sent.text, sent.created_at,
    nullif(sent.key, ''), nullif(sent.key_id, '')
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[])
    WITH ORDINALITY AS sent (account_id, id, environment, text, created_at, key, key_id, place)
  JOIN accounts ON accounts.id = sent.account_id
  ORDER BY sent.place`;

const INSERT = `${INSERT_NEW} ON CONFLICT DO NOTHING RETURNING id`;

const LOCK_ACCOUNTS =
  'SELECT id FROM accounts WHERE id = ANY($1::text[]) FOR NO KEY UPDATE SKIP LOCKED';

/**
 * For a sharded database, where locking a row would need the first of its nodes. The number separates these advisory
 * locks from others; any would do.
 */
const LOCK_NAMES = `SELECT id FROM unnest($1::text[]) AS id
  WHERE pg_try_advisory_xact_lock(1684368999, hashtext(id))`;

/** Queues messages and delivers them. */
export class PostgresMessageQueue implements MessageQueue {
  readonly #database: PostgresDatabase;
  readonly #saves: Statements;
  readonly #additions: Statements;
  readonly #watch: QueueWatch;
  /** Messages to be queued, many in one transaction. */
  readonly arrivals: GroupCommit<Arrival, Message | undefined>;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#saves = database.of('saves');
    this.#additions = database.of('messages');
    this.#watch = new QueueWatch(this.#saves);
    this.arrivals = new GroupCommit((arrivals) => this.#insert(arrivals), 1);
  }

  enqueue(message: Message, idempotencyKey?: string): Promise<Message | undefined> {
    return this.arrivals.add({ ...message, idempotencyKey });
  }

  /**
   * Locks the accounts of the messages to deliver, and skips accounts that another process has locked. With locks
   * on single messages, a message could be delivered before an earlier one of the same account.
   */
  async deliver(now: number, limit: number): Promise<number> {
    if (this.#database.isDistributed && !(await this.#watch.mayHaveMessages())) return 0;
    const oldest = await this.#saves.rows(OLDEST, limit);
    if (oldest.length === 0) return 0;
    return this.#saves.transaction(async (queries) => {
      const accounts = [...new Set(oldest.map(({ account_id }) => account_id))].sort();
      const lock = this.#database.isDistributed ? LOCK_NAMES : LOCK_ACCOUNTS;
      const mine = await queries.all<{ id: string }>(lock, texts(accounts));
      return queries.run(
        `UPDATE messages SET delivered_at = $1
         WHERE delivered_at IS NULL AND account_id = ANY($2::text[]) AND id = ANY($3::text[])`,
        now,
        texts(mine.map(({ id }) => id)),
        texts(oldest.map(({ id }) => id)),
      );
    });
  }

  decodeText(stored: string): string {
    const text: unknown = JSON.parse(stored);
    return typeof text === 'string' ? text : stored;
  }

  /** Waits for the messages that are being queued. Accepts no further messages. */
  close(): Promise<void> {
    return this.arrivals.close();
  }

  /**
   * May run again if it is unknown whether it was committed. A message of an account that was deleted in the
   * meantime is dropped, like its inbox.
   */
  async #insert(arrivals: readonly Arrival[]): Promise<Array<Message | undefined>> {
    const columns = [
      texts(arrivals.map(({ accountId }) => accountId)),
      texts(arrivals.map(({ id }) => id)),
      texts(arrivals.map(({ environment }) => environment)),
      texts(arrivals.map(({ text }) => JSON.stringify(text))),
      integers(arrivals.map(({ createdAt }) => createdAt)),
      texts(arrivals.map(({ idempotencyKey = '' }) => idempotencyKey)),
      texts(arrivals.map(({ keyId = '' }) => keyId)),
    ];
    const { isDistributed } = this.#database;
    if (isDistributed && (await insertNew(this.#additions, INSERT_NEW, ...columns))) {
      return arrivals.map(() => undefined);
    }
    const rows = await this.#additions.all<{ id: string }>(INSERT, ...columns);
    const added = new Set(rows.map(({ id }) => id));
    const earlier = await this.#earlier(arrivals.filter(({ id }) => !added.has(id)));
    return arrivals.map(({ id }) => earlier.get(id));
  }

  /**
   * The existing messages with the idempotency keys of these arrivals, by the ids of the arrivals. The condition on
   * the accounts keeps a sharded database from querying every shard.
   */
  async #earlier(arrivals: readonly Arrival[]): Promise<Map<string, Message>> {
    const named = arrivals.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
    if (named.length === 0) return new Map();
    const rows = await this.#additions.all<MessageRow & { sent_id: string }>(
      `SELECT sent.id AS sent_id, messages.id, messages.account_id, messages.environment, text,
         messages.key_id, created_at::float8 AS created_at, delivered_at::float8 AS delivered_at
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
         AS sent (account_id, id, environment, key)
       JOIN messages ON messages.account_id = sent.account_id
         AND messages.environment = sent.environment
         AND messages.idempotency_key = sent.key AND messages.id <> sent.id
       WHERE messages.account_id = ANY($1::text[])`,
      texts(named.map(({ accountId }) => accountId)),
      texts(named.map(({ id }) => id)),
      texts(named.map(({ environment }) => environment)),
      texts(named.map(({ idempotencyKey = '' }) => idempotencyKey)),
    );
    return new Map(
      rows.map((row) => [row.sent_id, messageFromRow({ ...row, text: this.decodeText(row.text) })]),
    );
  }
}

interface Arrival extends Message {
  readonly idempotencyKey: string | undefined;
}
