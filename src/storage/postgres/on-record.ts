import type { AuditEntry } from '../../core/audit.ts';
import type { Queries } from './database.ts';

/** Puts a change on the audit log, in the transaction of the change itself. */
export async function putOnRecord(queries: Queries, entry: AuditEntry): Promise<void> {
  const { at, by, action, accountId, detail } = entry;
  await queries.run(
    'INSERT INTO audit (at, actor, action, account_id, detail) VALUES ($1, $2, $3, $4, $5)',
    at,
    by,
    action,
    accountId,
    detail,
  );
}

/** Lets servers know, in the transaction of the change itself, that what they remember changed. */
export async function announceChange(queries: Queries): Promise<void> {
  await queries.run("UPDATE revision SET value = value + 1 WHERE name = 'changes'");
}
