import type { AuditEntry, AuditLog } from '../../core/audit.ts';
import type { Access } from '../access.ts';
import { recordChange } from '../change-log.ts';
import type { Transaction } from '../schema/schema.ts';
import { containsText } from '../schema/selection.ts';

/**
 * Adds an entry to the audit log, in the transaction of the change that it describes. The change feed notifies
 * pages that show the account.
 */
export async function recordAudit(transaction: Transaction, entry: AuditEntry): Promise<void> {
  const { at, by: actor, action, accountId: account_id, detail } = entry;
  await transaction.insertInto('audit').values({ at, actor, action, account_id, detail }).execute();
  // A change that concerns all accounts is already in the feed.
  if (account_id !== '') await recordChange(transaction, 'audit', account_id);
}

export const auditChanges = { record: recordAudit };

/** The audit log, on either engine. */
export function storedAuditLog({ changes, queries }: Access<typeof auditChanges>): AuditLog {
  return {
    ...changes,
    async list(
      limit,
      before = Number.MAX_SAFE_INTEGER,
      { actor = '', accountId, action, from, to } = {},
    ) {
      let selected = (await queries())
        .selectFrom('audit')
        .select(['number', 'at', 'actor as by', 'action', 'account_id as accountId', 'detail'])
        .where('number', '<', before);
      if (accountId !== undefined) selected = selected.where('account_id', '=', accountId);
      if (action !== undefined) selected = selected.where('action', '=', action);
      if (from !== undefined) selected = selected.where('at', '>=', from);
      if (to !== undefined) selected = selected.where('at', '<', to);
      if (actor !== '') {
        selected = selected.where((where) => containsText(where, where.ref('actor'), actor));
      }
      return selected.orderBy('number', 'desc').limit(limit).execute();
    },
  };
}
