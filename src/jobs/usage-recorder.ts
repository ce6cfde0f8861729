import type { KeyRecord } from '../core/api-keys.ts';
import type { Environment } from '../core/environments.ts';
import { NodeLost } from '../core/node-lost.ts';
import {
  addFigures,
  type BatchMark,
  clientErrorOf,
  hourOf,
  type KeyUsage,
  NO_REPLIES,
  type OperationUsage,
  outcomeOf,
  type RecordedReply,
  requestsOf,
  type UsageRecord,
  type UsageStore,
} from '../core/usage.ts';
import { DURATION_BUCKET_COUNT, durationBucket } from '../core/usage-durations.ts';
import { chunks } from '../lib/chunks.ts';

interface Batch {
  readonly records: readonly UsageRecord[];
  readonly mark: BatchMark;
}

/** Counts the requests of one environment by key, operation and hour, and adds the counts to the store. */
export class UsageRecorder {
  readonly #store: Pick<UsageStore, 'add'>;
  readonly #environment: Environment;
  /** The current counts, by key. A key that is not used between two saves is dropped. */
  readonly #open = new Map<string, KeyUsage>();
  /** Counts of earlier hours that are not sent yet. */
  readonly #closed = new Set<KeyUsage>();
  readonly #source = crypto.randomUUID();
  #batches = 0;
  /** A batch that the store has not confirmed. It is sent again unchanged, because the store may have added it. */
  #sending: Batch | undefined;
  /** Records that are not sent yet, or that the store did not add. */
  #unsent: UsageRecord[][] = [];
  /** Records of lost nodes by subject and hour, which the next save sends again. */
  readonly #heldBack = new Map<string, UsageRecord>();

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

  /**
   * Adds the recorded usage to the store. If some nodes of the store are lost, adds that of the others.
   * May raise `StorageUnavailable`; nothing is lost then.
   */
  async save(): Promise<void> {
    this.#unsent.push(...chunks([...this.#heldBack.values()]));
    this.#heldBack.clear();
    let lost = await this.#sendAll();
    // One batch at a time: a single batch would double the memory needed for many keys.
    for (const usages of chunks([...this.#closed, ...this.#open.values()])) {
      this.#unsent.push(usages.flatMap((usage) => this.#takeRecords(usage)));
      lost = (await this.#sendAll()) ?? lost;
    }
    if (lost) throw lost;
  }

  /** Drops the recorded usage that is not in the store yet. */
  forget(): void {
    for (const usage of this.#open.values()) usage.isOpen = false;
    this.#open.clear();
    this.#closed.clear();
    this.#sending = undefined;
    this.#unsent = [];
    this.#heldBack.clear();
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

  /** Returns an error if nodes are lost. */
  async #sendAll(): Promise<NodeLost | undefined> {
    let lost: NodeLost | undefined;
    for (;;) {
      this.#sending ??= this.#nextBatch();
      if (!this.#sending) return lost;
      const { records, mark } = this.#sending;
      try {
        await this.#store.add(records, mark);
      } catch (error) {
        if (!(error instanceof NodeLost)) throw error;
        lost = error;
        this.#separate(error.partsOf(records));
      }
      this.#sending = undefined;
    }
  }

  /** Sends the records of each node in a batch of their own; holds them back if that has failed. */
  #separate(parts: UsageRecord[][]): void {
    if (parts.length > 1) {
      this.#unsent.push(...parts);
      return;
    }
    for (const record of parts.flat()) {
      const { hour, keyId, operation } = record;
      const subject = JSON.stringify([hour, keyId, operation]);
      const held = this.#heldBack.get(subject);
      this.#heldBack.set(subject, held ? { ...held, ...addFigures(held, record) } : record);
    }
  }

  #nextBatch(): Batch | undefined {
    const records = this.#unsent.shift();
    if (!records) return undefined;
    if (records.length === 0) return this.#nextBatch();
    this.#batches += 1;
    return { records, mark: { source: this.#source, number: this.#batches } };
  }

  /** Takes the counts since the last save; counting goes on from 0. */
  #takeRecords(usage: KeyUsage): UsageRecord[] {
    const isClosed = this.#closed.delete(usage);
    // It may have been dropped while the previous batch was sent.
    if (!isClosed && this.#open.get(usage.keyId) !== usage) return [];
    const used = usage.operations.filter(({ counts }) => requestsOf(counts) > 0);
    if (used.length === 0 && !isClosed) {
      usage.isOpen = false;
      this.#open.delete(usage.keyId);
    }
    const { accountId, keyId, hour } = usage;
    const environment = this.#environment;
    return used.map((each) => {
      const { operation, counts, durations } = each;
      Object.assign(each, noFigures());
      return { accountId, environment, keyId, operation, hour, ...counts, durations };
    });
  }
}

/** The counts of an operation, which is added if it is missing. */
function operationIn(operations: OperationUsage[], operation: string): OperationUsage {
  for (const each of operations) if (each.operation === operation) return each;
  const added: OperationUsage = { operation, ...noFigures() };
  operations.push(added);
  return added;
}

function noFigures(): Pick<OperationUsage, 'counts' | 'durations'> {
  return { counts: { ...NO_REPLIES }, durations: new Array<number>(DURATION_BUCKET_COUNT).fill(0) };
}
