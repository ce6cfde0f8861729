import type { Database } from 'bun:sqlite';
import type { Message } from '../../core/messages/messages.ts';
import type { UsageRecord } from '../../core/requests/usage.ts';
import { MESSAGE_COLUMNS, messageFromRow } from '../messages.ts';
import { REQUEST_COLUMNS, type RequestRow } from '../requests/request-log-rows.ts';
import { addedCounts, COUNT_COLUMNS, countsOf } from '../requests/usage-columns.ts';
import type { CompiledStatement, StatementResult } from '../schema/kysely.ts';
import { select } from '../schema/selection.ts';
import { query } from './database.ts';

interface Arrival {
  readonly message: Message;
  readonly idempotencyKey?: string | undefined;
}

const EARLIER = select(
  'messages',
  MESSAGE_COLUMNS,
  'WHERE account_id = ? AND environment = ? AND idempotency_key = ? AND id <> ?',
);

const ADD_USAGE = `INSERT INTO key_usage
    (account_id, hour, hours, environment, key_id, operation, ${COUNT_COLUMNS.join(', ')})
  SELECT id, ?, 1, ?, ?, ?, ${COUNT_COLUMNS.map(() => '?').join(', ')} FROM accounts WHERE id = ?
  ON CONFLICT DO UPDATE SET ${addedCounts('key_usage')}`;

const ADD_REQUEST = `INSERT INTO request_log (${REQUEST_COLUMNS.join(', ')})
  VALUES (${REQUEST_COLUMNS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;

/**
 * Frequent changes to the accounts file and to the request log, and changes to any file. Each runs within a transaction
 * of the writer thread.
 */
export const activityWrites = {
  /**
   * Returns the existing message with this idempotency key, if there is one. May run again if it is unknown
   * whether it was committed. A message of an account that was deleted in the meantime is dropped.
   */
  enqueueMessage(database: Database, { message, idempotencyKey }: Arrival): Message | undefined {
    const { id, accountId, keyId, environment, text, createdAt } = message;
    const { changes } = database
      .query(
        `INSERT INTO messages (id, account_id, environment, text, created_at, idempotency_key, key_id)
         SELECT ?, id, ?, ?, ?, ?, ? FROM accounts WHERE id = ? ON CONFLICT DO NOTHING`,
      )
      .run(id, environment, text, createdAt, idempotencyKey ?? null, keyId ?? null, accountId);
    if (changes > 0 || idempotencyKey === undefined) return undefined;
    const [row] = query(database, EARLIER).all(accountId, environment, idempotencyKey, id);
    return row && messageFromRow(row);
  },

  /** Drops the usage of accounts that were deleted in the meantime. */
  addUsage(database: Database, records: readonly UsageRecord[]): void {
    const statement = database.query(ADD_USAGE);
    for (const each of records) {
      const { accountId, hour, environment, keyId, operation } = each;
      statement.run(hour, environment, keyId, operation, ...countsOf(each), accountId);
    }
  },

  touchKeys(database: Database, uses: ReadonlyArray<readonly [id: string, at: number]>): void {
    const statement = database.query(
      'UPDATE api_keys SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, 0) < ?1',
    );
    for (const [id, usedAt] of uses) statement.run(usedAt, id);
  },

  addRequests(database: Database, rows: readonly RequestRow[]): void {
    const statement = database.query(ADD_REQUEST);
    for (const row of rows) statement.run(...REQUEST_COLUMNS.map((name) => row[name] ?? null));
  },

  /** Changes nothing, but makes the thread start and open the file. */
  open(_database: Database, _: null): void {},

  /** Rewrites the first page, which contains the version of the schema, without changing it. */
  probe(database: Database, _: null): void {
    const [version] = database.query('PRAGMA user_version').values().flat();
    database.run(`PRAGMA user_version = ${version}`);
  },

  /** Runs a statement compiled by Kysely. */
  runStatement(
    database: Database,
    { sql, values }: Pick<CompiledStatement, 'sql' | 'values'>,
  ): StatementResult {
    const statement = database.query<Record<string, unknown>, typeof values>(sql);
    if (statement.columnNames.length === 0) {
      return { rows: [], changes: statement.run(...values).changes };
    }
    const rows = statement.all(...values);
    return { rows, changes: rows.length };
  },
};
