import type { KeyRecord } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import {
  type AccountUsage,
  addCounts,
  type BatchMark,
  hourOf,
  NO_USAGE,
  outcomeOf,
  type UsageRecord,
  type UsageStore,
} from '../core/usage.ts';
import { CHUNK } from '../lib/chunks.ts';

interface Batch {
  readonly records: readonly UsageRecord[];
  readonly mark: BatchMark;
}

/** Counts the requests of one environment by account and hour, and adds them up in the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** By account; requests are added to these. */
  #open = new Map<string, AccountUsage>();
  /** By account; closed by the latest save, and not sent yet. */
  #closed = new Map<string, AccountUsage>();
  /** Of earlier hours, by account and hour. */
  readonly #earlier = new Map<string, UsageRecord>();
  readonly #source = crypto.randomUUID();
  #batches = 0;
  /** A batch that the store has not confirmed. It is sent again unchanged, since the store may have it. */
  #sending: Batch | undefined;

  constructor(store: Pick<UsageStore, 'add'>, environment: Environment) {
    this.#store = store;
    this.#environment = environment;
  }

  /**
   * Records one reply; does not wait.
   * @param now epoch ms
   */
  record(key: Pick<KeyRecord, 'accountId' | 'usage'>, status: number, now: number): void {
    const hour = hourOf(now);
    if (!key.usage?.isOpen || key.usage.hour !== hour)
      key.usage = this.#usageOf(key.accountId, hour);
    key.usage.counts[outcomeOf(status)] += 1;
  }

  /** Adds what was recorded to the store. May raise `StorageUnavailable`; nothing is lost then. */
  async save(): Promise<void> {
    await this.#sendAll();
    for (const usage of this.#open.values()) usage.isOpen = false;
    this.#closed = this.#open;
    this.#open = new Map();
    await this.#sendAll();
  }

  /** Drops what was recorded and is not in the store yet. */
  forget(): void {
    for (const usage of this.#open.values()) usage.isOpen = false;
    this.#open.clear();
    this.#closed.clear();
    this.#earlier.clear();
    this.#sending = undefined;
  }

  #usageOf(accountId: string, hour: number): AccountUsage {
    const known = this.#open.get(accountId);
    if (known?.hour === hour) return known;
    if (known) this.#setAside(known);
    const usage = { accountId, hour, counts: { ...NO_USAGE }, isOpen: true };
    this.#open.set(accountId, usage);
    return usage;
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      this.#sending ??= this.#nextBatch();
      if (!this.#sending) return;
      await this.#store.add(this.#sending.records, this.#sending.mark);
      this.#sending = undefined;
    }
  }

  /** Made one at a time: all at once would double what memory holds of many accounts. */
  #nextBatch(): Batch | undefined {
    // From one of the two maps at a time: an account's hour may be in both.
    const records =
      this.#earlier.size > 0
        ? takeSome(this.#earlier).map(([, record]) => record)
        : takeSome(this.#closed).map(([, usage]) => this.#recordOf(usage));
    if (records.length === 0) return undefined;
    this.#batches += 1;
    return { records, mark: { source: this.#source, number: this.#batches } };
  }

  #recordOf({ accountId, hour, counts }: AccountUsage): UsageRecord {
    return { accountId, environment: this.#environment, hour, ...counts };
  }

  /** Closes the usage of an hour that is over. */
  #setAside(usage: AccountUsage): void {
    usage.isOpen = false;
    const record = this.#recordOf(usage);
    const name = `${record.accountId} ${record.hour}`;
    const known = this.#earlier.get(name);
    this.#earlier.set(name, known ? { ...known, ...addCounts(known, record) } : record);
  }
}

/** Takes entries out of the map, as many as are saved at once. */
function takeSome<Key, Value>(map: Map<Key, Value>): Array<[Key, Value]> {
  const taken = [...map.entries().take(CHUNK)];
  for (const [key] of taken) map.delete(key);
  return taken;
}
