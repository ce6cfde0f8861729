import { describe, expect, test } from 'bun:test';
import type { KeyRow, KeySource } from '../../src/core/keys/api-keys.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { CAPACITY, MemoryKeyCache } from '../../src/storage/keys/key-cache.ts';
import { apiKey } from '../storage/ports/backend.ts';

function row(digest: string | Buffer, accountId = 'acct_1'): KeyRow {
  const { limits } = subscribe('free');
  const key = {
    ...apiKey(accountId),
    caller: `account:${accountId}`,
    limits,
    isSuspended: false,
    sandbox: undefined,
  };
  return { key, digest: Buffer.from(digest) };
}

function digest(number: number): string {
  return String(number).padStart(32, '0');
}

/** A source like one across a network: it answers when the test resolves the answer. */
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
  test('caches what the source returned until it is invalidated', async () => {
    const source = new SlowSource();
    const cache = new MemoryKeyCache(source);
    const found = row(digest(1));
    const loading = cache.load(digest(1));
    expect(cache.get(digest(1))).toBeUndefined();
    source.answer(found);
    expect(await loading).toMatchObject(found.key);
    expect(cache.get(digest(1))).toBe(await loading);
    cache.forgetAll();
    expect(cache.get(digest(1))).toBeUndefined();
  });

  test('has one record for a key that several requests load at the same time', async () => {
    const source = new SlowSource();
    const cache = new MemoryKeyCache(source);
    const loading = [cache.load(digest(1)), cache.load(digest(1))];
    source.answer(row(digest(1)));
    const [one, other] = await Promise.all(loading);
    expect(one).toBe(other);
  });

  test('forgets a changed key, or the keys of a changed account, and no others', async () => {
    const rows = [
      row(digest(0)),
      row(digest(1)),
      row(digest(2), 'acct_2'),
      row(digest(3), 'acct_3'),
    ];
    const cache = new MemoryKeyCache({
      findByDigest: (asked) => rows.find((each) => each.digest.equals(asked)),
    });
    for (let number = 0; number < 4; number += 1) await cache.load(digest(number));
    cache.forget({ keys: [rows[0]?.key.id ?? ''], accounts: ['acct_2'] });
    const held = [0, 1, 2, 3].map((number) => cache.get(digest(number)) !== undefined);
    expect(held).toEqual([false, true, false, true]);
  });

  test('does not cache a result that was in flight when it was invalidated', async () => {
    for (const forget of [
      (cache: MemoryKeyCache) => cache.forgetAll(),
      (cache: MemoryKeyCache) => cache.forget({ keys: ['key_other'] }),
    ]) {
      const source = new SlowSource();
      const cache = new MemoryKeyCache(source);
      const loading = cache.load(digest(1));
      forget(cache);
      source.answer(row(digest(1)));
      expect(await loading).toBeDefined();
      expect(cache.get(digest(1))).toBeUndefined();
    }
  });

  test('refuses a row whose digest is another one', async () => {
    const cache = new MemoryKeyCache({ findByDigest: () => row(digest(2)) });
    expect(await cache.load(digest(1))).toBeUndefined();
    expect(cache.get(digest(1))).toBeUndefined();
  });

  test('is bounded: the key that was loaded first makes room for the next', async () => {
    const cache = new MemoryKeyCache({ findByDigest: (asked) => asked && row(asked) });
    for (let number = 0; number <= CAPACITY; number += 1) await cache.load(digest(number));
    expect(cache.get(digest(0))).toBeUndefined();
    expect(cache.get(digest(1))).toBeDefined();
    expect(cache.get(digest(CAPACITY))).toBeDefined();
  });
});
