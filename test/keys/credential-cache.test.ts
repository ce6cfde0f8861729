import { describe, expect, test } from 'bun:test';
import type { KeyRow, KeySource } from '../../src/core/api-keys.ts';
import { subscribe } from '../../src/core/plans.ts';
import { CAPACITY, MemoryKeyCache } from '../../src/storage/key-cache.ts';
import { apiKey } from '../storage/ports/backend.ts';

function row(digest: Buffer): KeyRow {
  const { limits } = subscribe('free');
  return { credential: { ...apiKey('acct_1'), caller: 'account:acct_1', limits }, digest };
}

function digest(number: number): Buffer {
  return Buffer.from(String(number).padStart(32, '0'));
}

/** A source that is asked over a network: it answers when it is told to. */
class SlowSource implements KeySource {
  readonly #asked: Array<(row: KeyRow) => void> = [];

  findByDigest(): Promise<KeyRow> {
    const { promise, resolve } = Promise.withResolvers<KeyRow>();
    this.#asked.push(resolve);
    return promise;
  }

  answer(found: KeyRow): void {
    for (const resolve of this.#asked.splice(0)) resolve(found);
  }
}

describe('the cache of keys', () => {
  test('remembers what the source said, until it is told to forget', async () => {
    const source = new SlowSource();
    const cache = new MemoryKeyCache(source);
    const found = row(digest(1));
    const asked = cache.findByDigest(digest(1));
    expect(cache.recall(digest(1))).toBeUndefined();
    source.answer(found);
    expect(await asked).toBe(found);
    expect(cache.recall(digest(1))).toBe(found.credential);
    cache.forget();
    expect(cache.recall(digest(1))).toBeUndefined();
  });

  test('does not remember an answer that was on its way when it was told to forget', async () => {
    const source = new SlowSource();
    const cache = new MemoryKeyCache(source);
    const asked = cache.findByDigest(digest(1));
    cache.forget();
    source.answer(row(digest(1)));
    expect(await asked).toBeDefined();
    expect(cache.recall(digest(1))).toBeUndefined();
  });

  test('is bounded: the oldest key makes room for the next', async () => {
    const cache = new MemoryKeyCache({ findByDigest: row });
    for (let number = 0; number <= CAPACITY; number += 1) await cache.findByDigest(digest(number));
    expect(cache.recall(digest(0))).toBeUndefined();
    expect(cache.recall(digest(1))).toBeDefined();
    expect(cache.recall(digest(CAPACITY))).toBeDefined();
  });
});
