import type { UsageRecord, UsageStore } from '../../core/usage.ts';
import { type UsageRow, usageFromRow } from '../rows.ts';
import type { SqliteFile } from './file.ts';

/** Requests of accounts, counted by hour. */
export class SqliteUsageStore implements UsageStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  add(records: readonly UsageRecord[]): Promise<void> {
    return this.#file.write({ name: 'addUsage', input: records });
  }

  since(accountId: string, hour: number): UsageRecord[] {
    return this.#file
      .all<UsageRow>(
        'SELECT * FROM usage WHERE account_id = ? AND hour >= ? ORDER BY hour, environment',
        accountId,
        hour,
      )
      .map(usageFromRow);
  }

  async forget(hour: number): Promise<void> {
    while ((await this.#file.write({ name: 'forgetUsage', input: hour })) > 0);
  }
}
