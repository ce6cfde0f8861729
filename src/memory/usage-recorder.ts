import { chunks } from '../core/chunks.ts';
import type { Environment } from '../core/environments.ts';
import type { UsageStore } from '../core/ports.ts';
import {
  addCounts,
  hourOf,
  NO_USAGE,
  type Outcome,
  outcomeOf,
  type UsageRecord,
} from '../core/usage.ts';

type Count = { readonly hour: number } & { -readonly [Each in Outcome]: number };

/** Counts the requests of one environment by account and hour, and adds them up in the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** Of the running hour, by account. */
  #counts = new Map<string, Count>();
  /** Of hours that are over, and what could not be saved yet; by account and hour. */
  #rest = new Map<string, UsageRecord>();

  constructor(store: Pick<UsageStore, 'add'>, environment: Environment) {
    this.#store = store;
    this.#environment = environment;
  }

  /**
   * Counts one reply; does not wait.
   * @param now epoch ms
   */
  note(accountId: string, status: number, now: number): void {
    const hour = hourOf(now);
    let count = this.#counts.get(accountId);
    if (count === undefined || count.hour !== hour) {
      if (count) this.#keep(this.#recordOf(accountId, count));
      count = { hour, ...NO_USAGE };
      this.#counts.set(accountId, count);
    }
    count[outcomeOf(status)] += 1;
  }

  /** Adds what was counted to the store. May raise `StorageUnavailable`; nothing is lost then. */
  async save(): Promise<void> {
    for (const [accountId, count] of this.#counts) this.#keep(this.#recordOf(accountId, count));
    this.#counts = new Map();
    const unsaved = chunks([...this.#rest.values()]);
    this.#rest = new Map();
    while (unsaved[0]) {
      try {
        await this.#store.add(unsaved[0]);
      } catch (error) {
        for (const record of unsaved.flat()) this.#keep(record);
        throw error;
      }
      unsaved.shift();
    }
  }

  #recordOf(accountId: string, count: Count): UsageRecord {
    return { accountId, environment: this.#environment, ...count };
  }

  #keep(record: UsageRecord): void {
    const name = `${record.accountId} ${record.hour}`;
    const kept = this.#rest.get(name);
    this.#rest.set(name, kept ? { ...kept, ...addCounts(kept, record) } : record);
  }
}
