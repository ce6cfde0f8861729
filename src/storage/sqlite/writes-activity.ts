import type { Database, SQLQueryBindings } from 'bun:sqlite';
import type { Message } from '../../core/messages.ts';
import type { UsageRecord } from '../../core/usage.ts';
import { type MessageRow, messageFromRow } from '../rows.ts';

/** A statement that another library wrote, with its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SQLQueryBindings[];
}

interface Arrival {
  readonly message: Message;
  readonly idempotencyKey?: string | undefined;
}

/** What accounts do, and what is counted of it; each runs inside of a transaction of the writer thread. */
export const activityWrites = {
  /**
   * Gives the message that is there already under this idempotency key, which stays. May be asked for
   * again, when it is not known whether it was done. A message of an account that is gone meanwhile is
   * dropped, as its inbox was.
   */
  enqueueMessage(database: Database, { message, idempotencyKey }: Arrival): Message | undefined {
    const { id, accountId, environment, text, createdAt } = message;
    const { changes } = database
      .query(
        `INSERT INTO messages (id, account_id, environment, text, created_at, idempotency_key)
         SELECT ?, id, ?, ?, ?, ? FROM accounts WHERE id = ? ON CONFLICT DO NOTHING`,
      )
      .run(id, environment, text, createdAt, idempotencyKey ?? null, accountId);
    if (changes > 0 || idempotencyKey === undefined) return undefined;
    const row = database
      .query<MessageRow, [string, string, string, string]>(
        `SELECT * FROM messages
         WHERE account_id = ? AND environment = ? AND idempotency_key = ? AND id <> ?`,
      )
      .get(accountId, environment, idempotencyKey, id);
    return row ? messageFromRow(row) : undefined;
  },

  /** Tells how many were delivered. */
  deliverMessages(database: Database, { now, limit }: { now: number; limit: number }): number {
    return database
      .query(
        `UPDATE messages SET delivered_at = ? WHERE sequence IN (
           SELECT sequence FROM messages WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?)`,
      )
      .run(now, limit).changes;
  },

  /** Drops some of what was delivered before this moment; tells how many. */
  forgetMessages(database: Database, before: number): number {
    return database
      .query(
        `DELETE FROM messages WHERE sequence IN (
           SELECT sequence FROM messages WHERE delivered_at < ? LIMIT 1000)`,
      )
      .run(before).changes;
  },

  /** Usage of an account that is gone meanwhile is dropped. */
  addUsage(database: Database, records: readonly UsageRecord[]): void {
    const statement = database.query(
      `INSERT INTO usage
       SELECT id, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ?
       ON CONFLICT DO UPDATE SET
         succeeded = succeeded + excluded.succeeded,
         client_errors = client_errors + excluded.client_errors,
         limited = limited + excluded.limited,
         server_errors = server_errors + excluded.server_errors`,
    );
    for (const each of records) {
      const counts = [each.succeeded, each.clientErrors, each.limited, each.serverErrors];
      statement.run(each.environment, each.hour, ...counts, each.accountId);
    }
  },

  /** Drops some of the hours before this one; tells how many. */
  forgetUsage(database: Database, hour: number): number {
    return database
      .query(
        `DELETE FROM usage WHERE (account_id, hour, environment) IN (
           SELECT account_id, hour, environment FROM usage WHERE hour < ? LIMIT 1000)`,
      )
      .run(hour).changes;
  },

  runStatement(database: Database, { sql, values }: Statement): StatementResult {
    const rows = database.query<Row, SQLQueryBindings[]>(sql).all(...values);
    const changes = database.query<{ changes: bigint }, []>('SELECT changes() AS changes').get();
    return { rows, changes: Number(changes?.changes ?? 0) };
  },
};

type Row = Record<string, unknown>;

interface StatementResult {
  readonly rows: Row[];
  /** Rows inserted, changed or deleted. */
  readonly changes: number;
}
