import type { AuditEntry, AuditLog, AuditRecord } from '../../core/audit.ts';
import { type AuditRow, auditFromRow } from '../rows.ts';
import type { PostgresDatabase } from './database.ts';
import { putOnRecord } from './on-record.ts';

/** What was changed on purpose. */
export class PostgresAuditLog implements AuditLog {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  record(entry: AuditEntry): Promise<void> {
    return putOnRecord(this.#database, entry);
  }

  async list(limit: number, before = Number.MAX_SAFE_INTEGER): Promise<AuditRecord[]> {
    const rows = await this.#database.all<AuditRow>(
      `SELECT number::float8 AS number, at::float8 AS at, actor, action, account_id, detail
       FROM audit WHERE number < $1 ORDER BY audit.number DESC LIMIT $2`,
      before,
      limit,
    );
    return rows.map(auditFromRow);
  }
}
