import type { AuditAction, AuditEntry, AuditRecord } from '../core/audit.ts';
import type { AuditLog } from '../core/ports.ts';
import type { SqliteFile } from './file.ts';

interface AuditRow {
  number: bigint;
  at: bigint;
  actor: string;
  action: AuditAction;
  account_id: string;
  detail: string;
}

/** What was changed on purpose. */
export class SqliteAuditLog implements AuditLog {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  record(entry: AuditEntry): Promise<void> {
    return this.#file.write({ name: 'recordAudit', input: entry });
  }

  list(limit: number, before = Number.MAX_SAFE_INTEGER): AuditRecord[] {
    return this.#file
      .all<AuditRow>(
        'SELECT * FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?',
        before,
        limit,
      )
      .map((row) => ({
        number: Number(row.number),
        at: Number(row.at),
        by: row.actor,
        action: row.action,
        accountId: row.account_id,
        detail: row.detail,
      }));
  }
}
