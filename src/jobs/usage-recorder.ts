import type { KeyRecord } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import {
  type BatchMark,
  clientErrorOf,
  hourOf,
  type KeyUsage,
  NO_USAGE,
  type OperationUsage,
  outcomeOf,
  type RecordedReply,
  type UsageRecord,
  type UsageStore,
} from '../core/usage.ts';
import { DURATION_BUCKETS, durationBucket } from '../core/usage-durations.ts';
import { CHUNK } from '../lib/chunks.ts';

interface Batch {
  readonly records: readonly UsageRecord[];
  readonly mark: BatchMark;
}

/** Counts the requests of one environment by key, operation and hour, and adds them up in the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** By key; requests are added to these. */
  #open = new Map<string, KeyUsage>();
  /** Closed by the latest save, or of earlier hours; not sent yet. */
  #closed: KeyUsage[] = [];
  readonly #source = crypto.randomUUID();
  #batches = 0;
  /** A batch that the store has not confirmed. It is sent again unchanged, since the store may have it. */
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

  /** Adds what was recorded to the store. May raise `StorageUnavailable`; nothing is lost then. */
  async save(): Promise<void> {
    await this.#sendAll();
    for (const usage of this.#open.values()) this.#close(usage);
    this.#open = new Map();
    await this.#sendAll();
  }

  /** Drops what was recorded and is not in the store yet. */
  forget(): void {
    for (const usage of this.#open.values()) usage.isOpen = false;
    this.#open.clear();
    this.#closed = [];
    this.#sending = undefined;
  }

  #usageOf({ id, accountId }: Pick<KeyRecord, 'id' | 'accountId'>, hour: number): KeyUsage {
    const known = this.#open.get(id);
    if (known?.hour === hour) return known;
    if (known) this.#close(known);
    const usage: KeyUsage = { accountId, keyId: id, hour, operations: [], isOpen: true };
    this.#open.set(id, usage);
    return usage;
  }

  #close(usage: KeyUsage): void {
    usage.isOpen = false;
    this.#closed.push(usage);
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      this.#sending ??= this.#nextBatch();
      if (!this.#sending) return;
      await this.#store.add(this.#sending.records, this.#sending.mark);
      this.#sending = undefined;
    }
  }

  /** Made one at a time: all at once would double what memory holds of many keys. */
  #nextBatch(): Batch | undefined {
    const records = this.#closed.splice(-CHUNK).flatMap((usage) => this.#recordsOf(usage));
    if (records.length === 0) return undefined;
    this.#batches += 1;
    return { records, mark: { source: this.#source, number: this.#batches } };
  }

  #recordsOf({ accountId, keyId, hour, operations }: KeyUsage): UsageRecord[] {
    const environment = this.#environment;
    return operations.map(({ operation, counts, durations }) => ({
      ...{ accountId, environment, keyId, operation, hour, ...counts },
      durations: [...durations],
    }));
  }
}

/** What was counted of an operation; added where it was not used yet. */
function operationIn(operations: OperationUsage[], operation: string): OperationUsage {
  for (const each of operations) if (each.operation === operation) return each;
  const added: OperationUsage = {
    operation,
    counts: { ...NO_USAGE, invalid: 0, unauthorized: 0, notFound: 0, conflicts: 0 },
    durations: new Uint32Array(DURATION_BUCKETS),
  };
  operations.push(added);
  return added;
}
