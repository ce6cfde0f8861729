import { SetupError } from '../../core/errors.ts';
import { connect, IDLE_LIMIT, STATEMENT_LIMIT, withConnection } from './connection.ts';
import { sqlStateOf } from './failures.ts';

/** The beginning of PgBouncer's message about a setting that it neither tracks nor ignores. */
const REFUSED_SETTING = 'unsupported startup parameter';

/** SQLSTATE: a prepared statement with this name already exists, or none exists. */
const MIXED_UP_STATEMENTS = /^(42P05|26000)$/;

/**
 * Checks that a pooler between the service and PostgreSQL, such as PgBouncer, passes on what the service relies on:
 * prepared statements, and a limit to the time of a statement.
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
      const [row] = await connection.unsafe<{ limit: string }[]>(
        'SELECT current_setting($1::text) AS "limit"',
        ['statement_timeout'],
      );
      if (row?.limit === '0') throw new SetupError(dropsLimit(url));
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
  if (MIXED_UP_STATEMENTS.test(sqlStateOf(error) ?? '')) {
    return `${poolerAt(url)} does not support prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements = 200, or connect to PostgreSQL itself. docs/operations.md has all that it needs.`;
  }
  return undefined;
}

function dropsLimit(url: string): string {
  const role = `ALTER ROLE "${decodeURIComponent(new URL(url).username)}" SET`;
  return `${poolerAt(url)} drops the limit to the time of a statement, so that one that waits for a lock would hold up others. Run in PostgreSQL: ${role} statement_timeout = '${STATEMENT_LIMIT}ms'; ${role} idle_in_transaction_session_timeout = '${IDLE_LIMIT}ms'; and restart the pooler.`;
}

function poolerAt(url: string): string {
  return `The pooler at ${new URL(url).host}, to which PETSTORE_DATABASE_URL leads,`;
}
