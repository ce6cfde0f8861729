import { SQL } from 'bun';
import { SECOND } from '../../lib/clock.ts';

/** Timeout of one statement on the server, in ms. */
export const STATEMENT_LIMIT = 5 * SECOND;

/** The server rolls back a transaction when its client has been idle for this time, in ms. */
export const IDLE_LIMIT = 10 * SECOND;

/** Timeout for connecting to the server, in seconds. */
const CONNECT_WITHIN = 2;

/** @param statementLimit ms; 0 for none. */
export function connect(url: string, statementLimit: number, connections: number): SQL {
  return new SQL({
    url,
    adapter: 'postgres',
    max: connections,
    bigint: true,
    connectionTimeout: CONNECT_WITHIN,
    // Either would interrupt running statements.
    idleTimeout: 0,
    maxLifetime: 0,
    connection: {
      application_name: 'petstore',
      statement_timeout: statementLimit,
      idle_in_transaction_session_timeout: IDLE_LIMIT,
    },
  });
}

/**
 * Runs `work` on a separate connection, which is closed afterwards.
 * @param statementLimit ms; 0 for none.
 */
export async function withConnection<T>(
  url: string,
  statementLimit: number,
  work: (connection: SQL) => Promise<T>,
): Promise<T> {
  const connection = connect(url, statementLimit, 1);
  try {
    return await work(connection);
  } finally {
    await connection.close({ timeout: 0 });
  }
}
