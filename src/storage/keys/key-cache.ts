import { LRUCache } from 'lru-cache';
import type { KeyCache, KeyRecord, KeyRow, KeySource } from '../../core/keys/api-keys.ts';
import type { Awaitable } from '../../lib/awaitable.ts';

/** The maximum number of keys in memory, some 0.5 KB each. Reading one from the store takes some 10 µs. */
export const CAPACITY = 32_000;

/** Caches keys by the digest with the current secret. Unknown digests are not cached, so that guesses take no memory. */
export class MemoryKeyCache implements KeyCache {
  readonly #source: KeySource;
  readonly #records = new LRUCache<string, KeyRecord>({ max: CAPACITY });
  #generation = 0;

  constructor(source: KeySource) {
    this.#source = source;
  }

  get(digest: string): KeyRecord | undefined {
    // `get` would track the order of use, but takes twice the time. Reading evicted keys again costs less.
    return this.#records.peek(digest);
  }

  load(digest: string, others: readonly string[] = []): Awaitable<KeyRecord | undefined> {
    const generation = this.#generation;
    const digests = [digest, ...others].map((each) => Buffer.from(each, 'latin1'));
    const row = this.#source.findByDigest(...digests);
    if (row instanceof Promise) {
      return row.then((found) => this.#add(found, digest, digests, generation));
    }
    return this.#add(row, digest, digests, generation);
  }

  forgetAll(): void {
    this.#generation += 1;
    this.#records.clear();
  }

  forget({ keys = [], accounts = [] }: Parameters<KeyCache['forget']>[0]): void {
    this.#generation += 1;
    const [keyIds, accountIds] = [new Set(keys), new Set(accounts)];
    for (const [name, { id, accountId }] of [...this.#records.entries()]) {
      if (keyIds.has(id) || accountIds.has(accountId)) this.#records.delete(name);
    }
  }

  /** @param digests those that the row may have, beginning with `digest`. */
  #add(
    row: KeyRow | undefined,
    digest: string,
    digests: readonly Buffer[],
    generation: number,
  ): KeyRecord | undefined {
    if (!row) return undefined;
    const match = digests.findIndex((each) => crypto.timingSafeEqual(row.digest, each));
    if (match < 0) return undefined;
    const { key } = row;
    const { caller, limits, sandbox } = key;
    const quota = { id: caller, limits, key, clockOffset: sandbox?.clockOffset };
    const record = { ...key, quota, ...(match > 0 && { formerDigest: row.digest }) };
    // Another request may have loaded it in the meantime: there must be only one record for each key.
    const known = this.#records.peek(digest);
    if (known) return known;
    // A row that was read before the latest change may be outdated.
    if (generation === this.#generation) this.#records.set(digest, record);
    return record;
  }
}
