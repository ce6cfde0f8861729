import { SetupError } from '../../core/errors.ts';
import { connect, IDLE_LIMIT, STATEMENT_LIMIT, withConnection } from './connection.ts';
import { sqlStateOf } from './failures.ts';

/** The beginning of PgBouncer's message about a setting that it neither tracks nor ignores. */
const REFUSED_SETTING = 'unsupported startup parameter';

/** PgBouncer's message about a transaction when it lends a connection for a single statement. */
const REFUSED_TRANSACTION = 'transaction blocks not allowed in statement pooling mode';

/** SQLSTATE: a prepared statement with this name already exists, or none exists. */
const MIXED_UP_STATEMENTS = /^(42P05|26000)$/;

/**
 * Checks that a pooler between the service and PostgreSQL, such as PgBouncer, passes on what the service relies on:
 * transactions, prepared statements, and limits to the time of a statement and of an idle transaction.
 * @throws SetupError that says how to configure the pooler.
 */
export async function requireCapablePooler(url: string): Promise<void> {
  try {
    await prepareTwice(url);
  } catch (cause) {
    const problem = problemOf(cause, url);
    // Anything else is reported by the first use of the database.
    if (problem !== undefined) throw new SetupError(problem, { cause });
  }
}

/** Prepares a statement on two connections, which a pooler may pass on over one. */
async function prepareTwice(url: string): Promise<void> {
  const other = connect(url, STATEMENT_LIMIT, 1);
  try {
    await withConnection(url, STATEMENT_LIMIT, async (connection) => {
      const [limits] = await connection.begin((transaction) =>
        transaction.unsafe<{ statement: string; idle: string }[]>(
          'SELECT current_setting($1::text) AS statement, current_setting($2::text) AS idle',
          ['statement_timeout', 'idle_in_transaction_session_timeout'],
        ),
      );
      if (limits?.statement === '0' || limits?.idle === '0') {
        throw new SetupError(dropsLimits(url));
      }
    });
    await other.unsafe('SELECT $1::bigint AS number', [1]);
  } finally {
    await other.close({ timeout: 0 });
  }
}

function problemOf(error: unknown, url: string): string | undefined {
  if (error instanceof SetupError) return error.message;
  if (error instanceof Error && error.message.startsWith(REFUSED_SETTING)) {
    return `${poolerAt(url)} refuses the settings of a connection (${error.message}). In PgBouncer, set ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout. docs/operations.md has all that it needs.`;
  }
  if (error instanceof Error && error.message === REFUSED_TRANSACTION) {
    return `${poolerAt(url)} refuses transactions (${error.message}). In PgBouncer, set pool_mode = transaction.`;
  }
  if (MIXED_UP_STATEMENTS.test(sqlStateOf(error) ?? '')) {
    return `${poolerAt(url)} does not support prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements = 200, or connect to PostgreSQL itself. docs/operations.md has all that it needs.`;
  }
  return undefined;
}

function dropsLimits(url: string): string {
  const role = `ALTER ROLE "${decodeURIComponent(new URL(url).username)}" SET`;
  return `${poolerAt(url)} drops the limits to the time of a statement and of an idle transaction, so that one that waits for a lock, or was cut off, would hold up others. Run in PostgreSQL: ${role} statement_timeout = '${STATEMENT_LIMIT}ms'; ${role} idle_in_transaction_session_timeout = '${IDLE_LIMIT}ms'; and restart the pooler.`;
}

function poolerAt(url: string): string {
  return `The pooler at ${new URL(url).host}, to which PETSTORE_DATABASE_URL leads,`;
}
