import { SQL } from 'bun';
import { SECOND } from '../../lib/clock.ts';

/** How long the server works on one statement, in ms, before it gives up. */
export const STATEMENT_LIMIT = 5 * SECOND;

/** After so many ms without a word from its client the server takes a transaction back. */
const SILENCE_LIMIT = 10 * SECOND;

/** How long the server may take to greet, in seconds. */
const CONNECT_WITHIN = 2;

/** @param statementLimit ms; 0 for none. */
export function connect(url: string, statementLimit: number, connections: number): SQL {
  return new SQL({
    url,
    adapter: 'postgres',
    max: connections,
    bigint: true,
    connectionTimeout: CONNECT_WITHIN,
    // Either would cut off statements under way.
    idleTimeout: 0,
    maxLifetime: 0,
    connection: {
      application_name: 'petstore',
      statement_timeout: statementLimit,
      idle_in_transaction_session_timeout: SILENCE_LIMIT,
    },
  });
}

/**
 * Does something over one connection of its own, which is closed afterwards.
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
