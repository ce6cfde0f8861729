import type { AuditEntry, AuditLog, AuditRecord } from '../../core/audit.ts';
import { type AuditRow, auditFromRow } from '../rows.ts';
import type { SqliteFile } from './file.ts';

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
      .map(auditFromRow);
  }
}
