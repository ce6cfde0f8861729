import type { Environment } from '../core/environments.ts';
import type { UsageStore } from '../core/ports.ts';
import type { UsageRecord } from '../core/usage.ts';
import type { SqliteFile } from './file.ts';

interface UsageRow {
  account_id: string;
  environment: Environment;
  hour: bigint;
  succeeded: bigint;
  client_errors: bigint;
  limited: bigint;
  server_errors: bigint;
}

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
      .map((row) => ({
        accountId: row.account_id,
        environment: row.environment,
        hour: Number(row.hour),
        succeeded: Number(row.succeeded),
        clientErrors: Number(row.client_errors),
        limited: Number(row.limited),
        serverErrors: Number(row.server_errors),
      }));
  }

  async forget(hour: number): Promise<void> {
    while ((await this.#file.write({ name: 'forgetUsage', input: hour })) > 0);
  }
}
