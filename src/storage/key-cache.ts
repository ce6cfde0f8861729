import { LRUCache } from 'lru-cache';
import type { KeyCache, KeyRecord, KeyRow, KeySource } from '../core/api-keys.ts';
import type { Awaitable } from '../lib/awaitable.ts';

/** Keys in memory at the same time, some 0.5 KB each. Reading one from the store takes some 10 µs. */
export const CAPACITY = 32_000;

/** Caches keys by digest. Unknown digests are not cached, so that guesses take no room. */
export class MemoryKeyCache implements KeyCache {
  readonly #source: KeySource;
  readonly #records = new LRUCache<string, KeyRecord>({ max: CAPACITY });
  #generation = 0;

  constructor(source: KeySource) {
    this.#source = source;
  }

  get(digest: Buffer): KeyRecord | undefined {
    return this.#records.get(nameOf(digest));
  }

  load(digest: Buffer): Awaitable<KeyRecord | undefined> {
    const generation = this.#generation;
    const row = this.#source.findByDigest(digest);
    if (row instanceof Promise) return row.then((found) => this.#add(found, digest, generation));
    return this.#add(row, digest, generation);
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

  #add(row: KeyRow | undefined, digest: Buffer, generation: number): KeyRecord | undefined {
    if (!row || !crypto.timingSafeEqual(row.digest, digest)) return undefined;
    const { credential } = row;
    const record = {
      ...credential,
      quota: { id: credential.caller, limits: credential.limits, key: credential },
    };
    // Another request may have loaded it meanwhile: there must be one record for each key.
    const known = this.#records.get(nameOf(digest));
    if (known) return known;
    // A row that was read before the latest change may be out of date.
    if (generation === this.#generation) this.#records.set(nameOf(digest), record);
    return record;
  }
}

function nameOf(digest: Buffer): string {
  return digest.toString('latin1');
}
