import type { Environment } from '../core/environments.ts';
import type { BatchMark, UsageStore } from '../core/usage.ts';
import {
  addCounts,
  hourOf,
  NO_USAGE,
  type Outcome,
  outcomeOf,
  type UsageRecord,
} from '../core/usage.ts';
import { CHUNK } from '../lib/chunks.ts';

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
  /** The same, as it was when it was last to be saved: what is not sent yet. */
  #unsaved = new Map<string, Count>();
  /** Of hours that are over; by account and hour. */
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
    await this.#sendAll();
    this.#unsaved = this.#counts;
    this.#counts = new Map();
    await this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      this.#sending ??= this.#nextBatch();
      if (!this.#sending) return;
      await this.#store.add(this.#sending.records, this.#sending.mark);
      this.#sending = undefined;
    }
  }

  /** Made as it is saved: all at once, those of many accounts would double what memory holds. */
  #nextBatch(): Batch | undefined {
    // Of one of the two at a time: an account's hour may be in both.
    const records =
      this.#rest.size > 0
        ? takeSome(this.#rest).map(([, record]) => record)
        : takeSome(this.#unsaved).map(([accountId, count]) => this.#recordOf(accountId, count));
    if (records.length === 0) return undefined;
    this.#batches += 1;
    return { records, mark: { source: this.#source, number: this.#batches } };
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

/** Takes entries out of the map, as many as are saved at once. */
function takeSome<Key, Value>(map: Map<Key, Value>): Array<[Key, Value]> {
  const taken = [...map.entries().take(CHUNK)];
  for (const [key] of taken) map.delete(key);
  return taken;
}
