import type { KeyRow } from '../../core/keys/api-keys.ts';
import { MOST_PREVIOUS_SECRETS } from '../../core/keys/secrets.ts';
import type { Message } from '../../core/messages/messages.ts';
import { authenticatedKeyFromRow } from '../keys/api-key-rows.ts';
import { FIND_SANDBOX } from '../sandbox/sandbox-rows.ts';
import { select } from '../schema/selection.ts';
import type { HotPathQueries } from '../shared-stores.ts';
import type { SqliteFile } from './file.ts';
import type { RequestLogFile } from './request-log-file.ts';

/** The statement for one digest, and for one more with each previous secret. */
const FIND = Array.from({ length: 1 + MOST_PREVIOUS_SECRETS }, (_, previous) =>
  select(
    'api_keys',
    [
      ...(['id', 'account_id', 'environment', 'digest'] as const),
      ...(['expires_at', 'revoked_at', 'last_used_at', 'chain_id'] as const),
      ...(['simulate', 'clock_offset'] as const),
    ],
    `WHERE digest IN (?${', ?'.repeat(previous)})`,
  ),
);

/** A separate statement, because a join of the two tables takes twice as long. */
const FIND_ACCOUNT = select(
  'accounts',
  ['plan', 'per_minute', 'per_day', 'suspended_at'],
  'WHERE id = ?',
);

const FIRST_QUEUED = select('messages', ['id'], 'WHERE delivered_at IS NULL LIMIT 1');

const DELIVER = `UPDATE messages SET delivered_at = ? WHERE sequence IN
  (SELECT sequence FROM messages WHERE delivered_at IS NULL ORDER BY sequence LIMIT ?)`;

/** The operations of the request path on the accounts file and the request log. */
export function sqliteHotPathQueries(
  file: SqliteFile,
  requestLogFile: RequestLogFile,
): HotPathQueries {
  return {
    requestLogFile,
    addRequests: requestLogFile.add,
    keys: {
      findByDigest(...digests: Buffer[]): KeyRow | undefined {
        const find = FIND[digests.length - 1];
        const row = find && file.getFromSnapshot(find, ...digests);
        const account = row && file.getFromSnapshot(FIND_ACCOUNT, row.account_id);
        if (!account) return undefined;
        const sandbox =
          row.environment === 'staging'
            ? file.getFromSnapshot(FIND_SANDBOX, row.account_id)
            : undefined;
        const key = authenticatedKeyFromRow(row, account, sandbox);
        return { key, digest: Buffer.from(row.digest) };
      },
      touch: (uses) => file.write({ name: 'touchKeys', input: uses }),
    },
    messages: {
      enqueue: (message: Message, idempotencyKey?: string) =>
        file.write({ name: 'enqueueMessage', input: { message, idempotencyKey } }),
      async deliver(now: number, limit: number): Promise<number> {
        // This check is cheap; an empty transaction would wait for the disk.
        if (!file.get(FIRST_QUEUED)) return 0;
        return file.run(DELIVER, now, limit);
      },
      decodeText: (stored) => stored,
    },
    // Writes to a file are never sent twice, so batches need no mark.
    usage: { add: (records) => file.write({ name: 'addUsage', input: records }) },
  };
}
