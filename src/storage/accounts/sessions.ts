import type { Actor } from '../../core/accounts/audit.ts';
import type { SessionStore } from '../../core/accounts/sessions.ts';
import type { Access } from '../access.ts';
import type { Transaction } from '../schema/schema.ts';
import { recordAudit } from './audit.ts';

export const sessionChanges = {
  async endAll(
    transaction: Transaction,
    accountId: string,
    at: number,
    by: Actor,
  ): Promise<number> {
    const { numDeletedRows } = await transaction
      .deleteFrom('sessions')
      .where('user_id', '=', accountId)
      .executeTakeFirst();
    const ended = Number(numDeletedRows);
    if (ended === 0) return 0;
    const entry = { at, by, accountId, detail: String(ended) };
    await recordAudit(transaction, { ...entry, action: 'account.sessions_ended' });
    return ended;
  },
};

/** Sessions of the dashboard, on either engine. */
export function storedSessions({ changes, queries }: Access<typeof sessionChanges>): SessionStore {
  return {
    ...changes,
    async ofAccount(accountId, now) {
      const rows = await (await queries())
        .selectFrom('sessions')
        .select(['id', 'created_at', 'updated_at', 'expires_at'])
        .select(['ip_address', 'user_agent', 'second_factor'])
        .where('user_id', '=', accountId)
        .where('expires_at', '>', new Date(now).toISOString())
        .orderBy('created_at', 'desc')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        createdAt: Date.parse(row.created_at),
        lastActiveAt: Date.parse(row.updated_at),
        expiresAt: Date.parse(row.expires_at),
        ipAddress: row.ip_address || undefined,
        userAgent: row.user_agent || undefined,
        secondFactor: row.second_factor ?? undefined,
      }));
    },
  };
}
