import { INSERT_MESSAGE, type MessageQueue } from '../messages.ts';
import { jsonOf } from '../schema/row-statements.ts';
import { type RowOf, select } from '../schema/selection.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { texts } from './queries.ts';
import { QueueWatch } from './queue-watch.ts';
import { insertNewRows } from './row-changes.ts';

type NewRow = RowOf<typeof INSERT_MESSAGE>;

const OLDEST = select(
  'messages',
  ['account_id', 'id'],
  'WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?',
);

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
  readonly arrivals: GroupCommit<NewRow, boolean>;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#saves = database.of('saves');
    this.#additions = database.of('messages');
    this.#watch = new QueueWatch(this.#saves);
    this.arrivals = new GroupCommit((arrivals) => this.#insert(arrivals), 1);
  }

  insert(row: NewRow): Promise<boolean> {
    return this.arrivals.add(row);
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

  encodeText(text: string): string {
    return JSON.stringify(text);
  }

  decodeText(stored: string): string {
    const text: unknown = JSON.parse(stored);
    return typeof text === 'string' ? text : stored;
  }

  /** Waits for the messages that are being queued. Accepts no further messages. */
  close(): Promise<void> {
    return this.arrivals.close();
  }

  async #insert(rows: readonly NewRow[]): Promise<boolean[]> {
    if (await insertNewRows(this.#database, this.#additions, INSERT_MESSAGE, rows)) {
      return rows.map(() => true);
    }
    const { postgres } = INSERT_MESSAGE;
    const added = await this.#additions.all<{ id: string }>(
      `${postgres} RETURNING id`,
      jsonOf(rows),
    );
    const ids = new Set<string | undefined>(added.map(({ id }) => id));
    return rows.map(({ id }) => ids.has(id));
  }
}
