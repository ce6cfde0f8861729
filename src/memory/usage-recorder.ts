import { CHUNK } from '../core/chunks.ts';
import type { Environment } from '../core/environments.ts';
import type { BatchMark, UsageStore } from '../core/ports.ts';
import {
  addCounts,
  hourOf,
  NO_USAGE,
  type Outcome,
  outcomeOf,
  type UsageRecord,
} from '../core/usage.ts';

type Count = { readonly hour: number } & { -readonly [Each in Outcome]: number };

interface Batch {
  readonly records: readonly UsageRecord[];
  readonly mark: BatchMark;
}

/** Counts the requests of one environment by account and hour, and adds them up in the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** Of the running hour, by account. */
  #counts = new Map<string, Count>();
  /** Of hours that are over, and what is about to be saved; by account and hour. */
  readonly #rest = new Map<string, UsageRecord>();
  readonly #source = crypto.randomUUID();
  #batches = 0;
  /** What the store has not confirmed yet: it is sent again as it was, since the store may have it. */
  #sending: Batch | undefined;

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
    for (;;) {
      this.#sending ??= this.#nextBatch();
      if (!this.#sending) return;
      await this.#store.add(this.#sending.records, this.#sending.mark);
      this.#sending = undefined;
    }
  }

  #nextBatch(): Batch | undefined {
    if (this.#rest.size === 0) return undefined;
    const taken = [...this.#rest.entries().take(CHUNK)];
    for (const [name] of taken) this.#rest.delete(name);
    this.#batches += 1;
    const mark = { source: this.#source, number: this.#batches };
    return { records: taken.map(([, record]) => record), mark };
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
