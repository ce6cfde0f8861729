import type { Selectable } from 'kysely';
import {
  type AuditEntry,
  type AuditLog,
  type AuditRecord,
  REFUSAL_INTERVAL,
  SECURITY_EVENTS,
} from '../../core/accounts/audit.ts';
import type { Access, Engine } from '../access.ts';
import { recordChange } from '../change-log.ts';
import { deleteInBatches } from '../schema/batches.ts';
import type { Database, Transaction } from '../schema/schema.ts';
import { containsText } from '../schema/selection.ts';
import { lockAccount } from './lock-account.ts';

/** The condition for security events, in SQL that both engines understand. */
const IS_EVENT = `action IN (${SECURITY_EVENTS.map((action) => `'${action}'`).join(', ')})`;

/**
 * Adds an entry to the audit log, in the transaction of the change that it describes. The change feed notifies
 * pages that show the account.
 */
export async function recordAudit(transaction: Transaction, entry: AuditEntry): Promise<void> {
  const { at, by: actor, action, accountId: account_id, detail, client } = entry;
  const { device = null, address = null } = client ?? {};
  await transaction
    .insertInto('audit')
    .values({ at, actor, action, account_id, detail, device, address })
    .execute();
  // A change that concerns all accounts is already in the feed.
  if (account_id !== '') await recordChange(transaction, 'audit', account_id);
}

export const auditChanges = {
  record: recordAudit,

  async recordEvent(transaction: Transaction, entry: AuditEntry): Promise<void> {
    const { action, accountId, at } = entry;
    // Two processes at the same time wait for each other, so that the second one sees the entry of the first one.
    if (!(await lockAccount(transaction, accountId))) return;
    if (action === 'session.refused') {
      const earlier = await transaction
        .selectFrom('audit')
        .select('number')
        .where('account_id', '=', accountId)
        .where('action', '=', action)
        .where('at', '>', at - REFUSAL_INTERVAL)
        // Not of a clock that was far ahead.
        .where('at', '<', at + REFUSAL_INTERVAL)
        .limit(1)
        .executeTakeFirst();
      if (earlier) return;
    }
    await recordAudit(transaction, entry);
  },
};

/** The audit log, on either engine. */
export function storedAuditLog(access: Access<typeof auditChanges>): AuditLog {
  const { changes, queries } = access;
  return {
    ...changes,
    async list(
      limit,
      before = Number.MAX_SAFE_INTEGER,
      { actor = '', accountId, actions, from, to } = {},
    ) {
      let selected = (await queries())
        .selectFrom('audit')
        .select(['number', 'at', 'actor', 'action', 'account_id', 'detail', 'device', 'address'])
        .where('number', '<', before);
      if (accountId !== undefined) selected = selected.where('account_id', '=', accountId);
      if (actions !== undefined) selected = selected.where('action', 'in', actions);
      if (from !== undefined) selected = selected.where('at', '>=', from);
      if (to !== undefined) selected = selected.where('at', '<', to);
      if (actor !== '') {
        selected = selected.where((where) => containsText(where, where.ref('actor'), actor));
      }
      const rows = await selected.orderBy('number', 'desc').limit(limit).execute();
      return rows.map(recordFromRow);
    },
    async prune(end) {
      await deleteInBatches(access, 'audit', `${IS_EVENT} AND at < ?`, end);
      await access.run(
        'UPDATE audit SET device = NULL, address = NULL WHERE address IS NOT NULL AND at < ?',
        end,
      );
    },
  };
}

/** Deletes the security events of an account, in batches. */
export async function deleteEvents(access: Pick<Engine, 'run'>, accountId: string): Promise<void> {
  await deleteInBatches(access, 'audit', `account_id = ? AND ${IS_EVENT}`, accountId);
}

/** Deletes the security events of an account that are left, and the devices and addresses of its other entries. */
export async function forgetClients(transaction: Transaction, accountId: string): Promise<void> {
  await transaction
    .deleteFrom('audit')
    .where('account_id', '=', accountId)
    .where('action', 'in', SECURITY_EVENTS)
    .execute();
  await transaction
    .updateTable('audit')
    .set({ device: null, address: null })
    .where('account_id', '=', accountId)
    .where('address', 'is not', null)
    .execute();
}

function recordFromRow(row: Selectable<Database['audit']>): AuditRecord {
  const { number, at, actor: by, action, account_id: accountId, detail, device, address } = row;
  const client = device !== null && address !== null ? { client: { device, address } } : {};
  return { number, at, by, action, accountId, detail, ...client };
}
