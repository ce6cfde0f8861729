import { SERVICE } from '../../core/accounts/audit.ts';
import { type ApiKey, describeKey } from '../../core/keys/api-keys.ts';
import { DAY } from '../../lib/clock.ts';
import type { Transaction } from '../schema/schema.ts';
import { apiKeyFromRow, KEY_COLUMNS } from './api-key-rows.ts';

/** The number of keys that are deleted in one transaction. */
const REMOVED_AT_ONCE = 200;

/**
 * Deletes some of the keys that ended before `before`, or a day ago if they were temporary, with their bans, and
 * records in the audit log when each ended. Keys whose bans end after `bannedUntil` are kept. Times are epoch ms.
 * @returns how many were deleted.
 */
export async function pruneKeys(
  transaction: Transaction,
  before: number,
  bannedUntil: number,
  at: number,
): Promise<number> {
  const found = await endedKeys(transaction, before, bannedUntil, at).execute();
  if (found.length === 0) return 0;
  const removed = await transaction
    .deleteFrom('api_keys')
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .returning(KEY_COLUMNS)
    .execute();
  // Another process may have deleted them in the meantime.
  if (removed.length === 0) return 0;
  await transaction
    .deleteFrom('simulated_requests')
    .where(
      'counter',
      'in',
      removed.map(({ id }) => id),
    )
    .execute();
  const entries = removed
    .map((row) => apiKeyFromRow(row))
    .map((key) => ({
      at,
      actor: SERVICE,
      action: 'key.removed' as const,
      account_id: key.accountId,
      detail: `${describeKey(key)}, ${describeEnd(key)}`,
    }));
  await transaction.insertInto('audit').values(entries).execute();
  return removed.length;
}

/** Selects some of the keys to delete; parameters as in `pruneKeys`. */
function endedKeys(transaction: Transaction, before: number, bannedUntil: number, at: number) {
  return transaction
    .selectFrom('api_keys')
    .select('id')
    .where(({ or, and, eb }) =>
      or([
        eb('revoked_at', '<', before),
        eb('expires_at', '<', before),
        and([eb('is_temporary', '=', 1), eb('expires_at', '<', at - DAY)]),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bans')
            .select('bans.id')
            .whereRef('bans.key_id', '=', 'api_keys.id')
            .where('bans.ends_at', '>', bannedUntil),
        ),
      ),
    )
    .limit(REMOVED_AT_ONCE);
}

/** Whether a key expired or was revoked first, and when. */
function describeEnd({ expiresAt = Infinity, revokedAt = Infinity }: ApiKey): string {
  const how = revokedAt < expiresAt ? 'revoked' : 'expired';
  return `${how} at ${new Date(Math.min(expiresAt, revokedAt)).toISOString()}`;
}
