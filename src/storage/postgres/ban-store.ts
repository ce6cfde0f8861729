import type { Actor } from '../../core/audit.ts';
import type { BanRecord, BanStore } from '../../core/ban-records.ts';
import { type BanRow, banFromRow } from '../rows.ts';
import { BAN_COLUMNS } from './account-rows.ts';
import type { PostgresDatabase, Value } from './database.ts';
import { announceChange, putOnRecord } from './on-record.ts';

/** Bans on record. */
export class PostgresBanStore implements BanStore {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** May be asked for again, when it is not known whether it was done. */
  async record(ban: BanRecord): Promise<void> {
    await this.#database.run(
      `INSERT INTO bans (id, key_id, account_id, environment, reason, level, starts_at, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
      ban.id,
      ban.keyId,
      ban.accountId,
      ban.environment,
      ban.reason,
      ban.level,
      ban.startsAt,
      ban.endsAt,
    );
  }

  active(now: number): Promise<BanRecord[]> {
    return this.#select('ends_at > $1 AND lifted_at IS NULL ORDER BY bans.starts_at', now);
  }

  latest(since: number): Promise<BanRecord[]> {
    return this.#select(
      `ends_at > $1 AND lifted_at IS NULL AND starts_at =
         (SELECT max(starts_at) FROM bans AS other WHERE other.key_id = bans.key_id)`,
      since,
    );
  }

  lifted(now: number): Promise<BanRecord[]> {
    return this.#select('ends_at > $1 AND lifted_at IS NOT NULL', now);
  }

  ofAccount(accountId: string, since: number): Promise<BanRecord[]> {
    return this.#select(
      'ends_at > $1 AND account_id = $2 ORDER BY bans.starts_at DESC, id DESC',
      since,
      accountId,
    );
  }

  lift(id: string, by: Actor, now: number): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      const row = await queries.get<BanRow>(
        `UPDATE bans SET lifted_at = $1, lifted_by = $2
         WHERE id = $3 AND lifted_at IS NULL AND ends_at > $1 RETURNING ${BAN_COLUMNS}`,
        now,
        by,
        id,
      );
      if (!row) return false;
      await announceChange(queries);
      const { keyId, accountId } = banFromRow(row);
      const detail = `${id} of key ${keyId}`;
      await putOnRecord(queries, { at: now, by, action: 'ban.lifted', accountId, detail });
      return true;
    });
  }

  async #select(condition: string, ...values: Value[]): Promise<BanRecord[]> {
    const rows = await this.#database.all<BanRow>(
      `SELECT ${BAN_COLUMNS} FROM bans WHERE ${condition}`,
      ...values,
    );
    return rows.map(banFromRow);
  }
}
