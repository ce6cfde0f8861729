import type { AuthenticatedKey, KeyCache, KeyRow, KeySource } from '../core/api-keys.ts';
import { type Awaitable, then } from '../lib/awaitable.ts';
import { BoundedMap } from '../lib/bounded-map.ts';

/**
 * Keys remembered; the oldest makes room for the next. Some 0.5 KB each, and as much again until the
 * collector gets to those that made room: what is old is collected last. Finding one costs some 5 µs.
 */
export const CAPACITY = 32_000;

/** Remembers keys by digest. What is unknown is not remembered, so that guesses take no room. */
export class MemoryKeyCache implements KeyCache {
  readonly #source: KeySource;
  #remembered = new BoundedMap<string, AuthenticatedKey>(CAPACITY);

  constructor(source: KeySource) {
    this.#source = source;
  }

  recall(digest: Buffer): AuthenticatedKey | undefined {
    return this.#remembered.get(nameOf(digest));
  }

  findByDigest(digest: Buffer): Awaitable<KeyRow | undefined> {
    const known = this.recall(digest);
    if (known) return { credential: known, digest };
    const generation = this.#remembered;
    return then(this.#source.findByDigest(digest), (row) => {
      // An answer from before a `forget` may be out of date.
      if (row && generation === this.#remembered) {
        generation.put(nameOf(digest), row.credential);
      }
      return row;
    });
  }

  forget(): void {
    this.#remembered = new BoundedMap(CAPACITY);
  }
}

function nameOf(digest: Buffer): string {
  return digest.toString('latin1');
}
