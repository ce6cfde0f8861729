import type { LoggedRequest } from '../../core/requests/request-log.ts';
import type { AddRequests } from '../requests/request-log.ts';
import { REQUEST_COLUMNS, rowFromRequest } from '../requests/request-log-rows.ts';
import { TABLES } from '../schema/schema.ts';
import type { PostgresDatabase } from './database.ts';
import { insertNew } from './several-nodes.ts';

const KINDS: Readonly<Record<string, { readonly kind: string }>> = TABLES.request_log.columns;

const DEFINITIONS = REQUEST_COLUMNS.map(
  (name) => `${name} ${KINDS[name]?.kind === 'integer' ? 'bigint' : 'text'}`,
);

// One JSON parameter, because an array for each column takes longer to send.
const ADD_NEW = `INSERT INTO request_log (${REQUEST_COLUMNS.join(', ')})
  SELECT ${REQUEST_COLUMNS.map((name) => `added.${name}`).join(', ')}
  FROM json_to_recordset($1::text::json) AS added (${DEFINITIONS.join(', ')})
  JOIN accounts ON accounts.id = added.account_id`;

const ADD = `${ADD_NEW} ON CONFLICT (account_id, id) DO NOTHING`;

/** Adds requests in one statement; drops those of accounts that were deleted in the meantime. */
export function postgresAddRequests(database: PostgresDatabase): AddRequests {
  const saves = database.of('saves');
  return async (requests: readonly LoggedRequest[]) => {
    const rows = JSON.stringify(requests.map(rowFromRequest));
    if (database.isDistributed && (await insertNew(saves, ADD_NEW, rows))) return;
    await saves.run(ADD, rows);
  };
}
