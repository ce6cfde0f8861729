import type { Environment } from '../core/environments.ts';
import type { KeyRecord } from '../core/keys/api-keys.ts';
import {
  type BatchMark,
  clientErrorOf,
  hourOf,
  type KeyUsage,
  NO_REPLIES,
  type OperationUsage,
  outcomeOf,
  type RecordedReply,
  type UsageRecord,
  type UsageStore,
} from '../core/requests/usage.ts';
import { DURATION_BUCKET_COUNT, durationBucket } from '../core/requests/usage-durations.ts';

/** The number of rows of a batch, which holds neither this thread nor the writer for more than some 3 ms. */
const ROWS_AT_ONCE = 150;

interface Batch {
  readonly records: readonly UsageRecord[];
  readonly mark: BatchMark;
}

/** Counts the requests of one environment by key, operation and hour, and adds the counts to the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** The counts since the last save, by key. */
  readonly #open = new Map<string, KeyUsage>();
  /** Counts of earlier hours that are not sent yet. */
  readonly #closed = new Set<KeyUsage>();
  readonly #source = crypto.randomUUID();
  #batches = 0;
  /** A batch that the store has not confirmed. It is sent again unchanged, because the store may have added it. */
  #sending: Batch | undefined;

  constructor(store: Pick<UsageStore, 'add'>, environment: Environment) {
    this.#store = store;
    this.#environment = environment;
  }

  /** Records one reply; does not wait. */
  record(key: Pick<KeyRecord, 'id' | 'accountId' | 'usage'>, reply: RecordedReply): void {
    const hour = hourOf(reply.at);
    if (!key.usage?.isOpen || key.usage.hour !== hour) key.usage = this.#usageOf(key, hour);
    const { counts, durations } = operationIn(key.usage.operations, reply.operation);
    const outcome = outcomeOf(reply.status);
    counts[outcome] += 1;
    if (outcome === 'clientErrors') counts[clientErrorOf(reply.status)] += 1;
    const bucket = durationBucket(reply.took);
    durations[bucket] = (durations[bucket] ?? 0) + 1;
  }

  /** Adds the recorded usage to the store. May raise `StorageUnavailable`; nothing is lost then. */
  async save(): Promise<void> {
    await this.#send();
    let records: UsageRecord[] = [];
    for (const usage of [...this.#closed, ...this.#open.values()]) {
      records.push(...this.#takeRecords(usage));
      if (records.length < ROWS_AT_ONCE) continue;
      await this.#sendBatch(records);
      records = [];
    }
    await this.#sendBatch(records);
  }

  /** Drops the recorded usage that is not in the store yet. */
  forget(): void {
    for (const usage of this.#open.values()) usage.isOpen = false;
    this.#open.clear();
    this.#closed.clear();
    this.#sending = undefined;
  }

  #usageOf({ id, accountId }: Pick<KeyRecord, 'id' | 'accountId'>, hour: number): KeyUsage {
    const known = this.#open.get(id);
    if (known?.hour === hour) return known;
    if (known) {
      known.isOpen = false;
      this.#closed.add(known);
    }
    const usage: KeyUsage = { accountId, keyId: id, hour, operations: [], isOpen: true };
    this.#open.set(id, usage);
    return usage;
  }

  async #sendBatch(records: readonly UsageRecord[]): Promise<void> {
    if (records.length === 0) return;
    this.#batches += 1;
    this.#sending = { records, mark: { source: this.#source, number: this.#batches } };
    await this.#send();
  }

  async #send(): Promise<void> {
    if (!this.#sending) return;
    await this.#store.add(this.#sending.records, this.#sending.mark);
    this.#sending = undefined;
  }

  /** Takes the counts since the last save. The next request of the key begins new ones. */
  #takeRecords(usage: KeyUsage): UsageRecord[] {
    // It may have been dropped while the previous batch was sent.
    if (!usage.isOpen && !this.#closed.delete(usage)) return [];
    if (usage.isOpen) {
      usage.isOpen = false;
      this.#open.delete(usage.keyId);
    }
    const { accountId, keyId, hour } = usage;
    const environment = this.#environment;
    return usage.operations.map(({ operation, counts, durations }) => ({
      ...{ accountId, environment, keyId, operation, hour },
      ...counts,
      durations,
    }));
  }
}

/** The counts of an operation, which is added if it is missing. */
function operationIn(operations: OperationUsage[], operation: string): OperationUsage {
  for (const each of operations) if (each.operation === operation) return each;
  const durations = new Array<number>(DURATION_BUCKET_COUNT).fill(0);
  const added = { operation, counts: { ...NO_REPLIES }, durations };
  operations.push(added);
  return added;
}
