import type { UsageRecord } from '../../core/usage.ts';
import type { UsageBatches } from '../usage.ts';
import type { SqliteFile } from './file.ts';

/** Adds the usage of many accounts. */
export class SqliteUsageBatches implements UsageBatches {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** What is written here is never sent twice, so that batches need no mark. */
  add(records: readonly UsageRecord[]): Promise<void> {
    return this.#file.write({ name: 'addUsage', input: records });
  }
}
