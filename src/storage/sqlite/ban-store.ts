import type { Actor } from '../../core/audit.ts';
import type { BanRecord, BanStore } from '../../core/ban-records.ts';
import { type BanRow, banFromRow } from '../rows.ts';
import type { SqliteFile } from './file.ts';

/** Bans on record. */
export class SqliteBanStore implements BanStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  record(ban: BanRecord): Promise<void> {
    return this.#file.write({ name: 'recordBan', input: ban });
  }

  active(now: number): BanRecord[] {
    return this.#select('ends_at > ? AND lifted_at IS NULL ORDER BY starts_at', now);
  }

  latest(since: number): BanRecord[] {
    return this.#select(
      `ends_at > ? AND lifted_at IS NULL AND starts_at =
         (SELECT max(starts_at) FROM bans AS other WHERE other.key_id = bans.key_id)`,
      since,
    );
  }

  lifted(now: number): BanRecord[] {
    return this.#select('ends_at > ? AND lifted_at IS NOT NULL', now);
  }

  ofAccount(accountId: string, since: number): BanRecord[] {
    return this.#file
      .all<BanRow>(
        'SELECT * FROM bans WHERE account_id = ? AND ends_at > ? ORDER BY starts_at DESC, id DESC',
        accountId,
        since,
      )
      .map(banFromRow);
  }

  lift(id: string, by: Actor, now: number): Promise<boolean> {
    return this.#file.write({ name: 'liftBan', input: { id, by, now } });
  }

  #select(condition: string, moment: number): BanRecord[] {
    return this.#file.all<BanRow>(`SELECT * FROM bans WHERE ${condition}`, moment).map(banFromRow);
  }
}
