import type { BatchMark, UsageRecord, UsageStore } from '../core/usage.ts';
import type { Access } from './access.ts';
import type { Transaction } from './schema.ts';

/** Hours that are deleted in one transaction. */
const DELETED_AT_ONCE = 1_000;

/** The batches of usage, which each engine adds by hand. */
export interface UsageBatches extends Pick<UsageStore, 'add'> {
  /** Deletes the marks of batches before this hour, where the engine keeps any. */
  pruneMarks?(hour: number): Promise<void>;
}

export const usageChanges = {
  /** Deletes some of the hours before this one; gives how many. */
  async pruneUsage(transaction: Transaction, hour: number): Promise<number> {
    const { numDeletedRows } = await transaction
      .deleteFrom('usage')
      .where('hour', '<', hour)
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('account_id', 'hour', 'environment'),
          'in',
          selectFrom('usage')
            .select(['account_id', 'hour', 'environment'])
            .where('hour', '<', hour)
            .limit(DELETED_AT_ONCE)
            .$asTuple('account_id', 'hour', 'environment'),
        ),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  },
};

/** Requests of accounts by hour, on either engine. */
export class StoredUsage implements UsageStore {
  readonly #access: Access<typeof usageChanges>;
  readonly #batches: UsageBatches;

  constructor(access: Access<typeof usageChanges>, batches: UsageBatches) {
    this.#access = access;
    this.#batches = batches;
  }

  async add(records: readonly UsageRecord[], mark?: BatchMark): Promise<void> {
    if (records.length > 0) await this.#batches.add(records, mark);
  }

  async since(
    accountId: string,
    first: number,
    last = Number.MAX_SAFE_INTEGER,
  ): Promise<UsageRecord[]> {
    const rows = await (await this.#access.queries())
      .selectFrom('usage')
      .select(['account_id as accountId', 'environment', 'hour', 'succeeded', 'limited'])
      .select(['client_errors as clientErrors', 'server_errors as serverErrors'])
      .where('account_id', '=', accountId)
      .where('hour', '>=', first)
      .where('hour', '<=', last)
      .orderBy('hour')
      .orderBy('environment')
      .execute();
    return rows;
  }

  async prune(hour: number): Promise<void> {
    while ((await this.#access.changes.pruneUsage(hour)) > 0);
    await this.#batches.pruneMarks?.(hour);
  }
}
