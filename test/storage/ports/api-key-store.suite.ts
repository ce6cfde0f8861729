import { expect, test } from 'bun:test';
import { HOUR } from '../../../src/lib/clock.ts';
import { account, apiKey, digest, keptKey, NOON, type OpenBackend, portSuite } from './backend.ts';

/** Tests of an API key store, for every database. */
export const apiKeyStoreSuite = portSuite('an API key store', finding, bounding, replacing, ending);

function finding(open: OpenBackend): void {
  test('finds a key with the limits of its account by its digest, byte for byte', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const secret = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 8));
    const key = apiKey(owner.id, { environment: 'staging', expiresAt: NOON + HOUR, name: "it's" });
    expect(await backend.keys.insert(key, secret, { live: 1 }, NOON, 'test')).toBe('added');
    expect(await backend.keys.findByDigest(Buffer.from(secret))).toEqual({
      key: {
        id: key.id,
        accountId: owner.id,
        chainId: key.id,
        caller: `account:${owner.id}`,
        environment: 'staging',
        expiresAt: NOON + HOUR,
        revokedAt: undefined,
        lastUsedAt: undefined,
        simulate: undefined,
        limits: owner.limits,
        sandbox: undefined,
        isSuspended: false,
      },
      digest: secret,
    });
    const wrong = Buffer.from(secret);
    wrong[31] = 1;
    expect(await backend.keys.findByDigest(wrong)).toBeUndefined();
    expect(await backend.keys.findByDigest(secret.subarray(0, 31))).toBeUndefined();
  });

  test("finds a key by its id, and lists an account's keys, the oldest first", async () => {
    await using backend = await open();
    const owner = await account(backend);
    const other = await account(backend, 'other@example.com');
    const younger = await keptKey(backend, owner.id, { createdAt: NOON + 1 });
    const older = await keptKey(backend, owner.id, { createdAt: NOON - 1 });
    const foreign = await keptKey(backend, other.id);
    expect(await backend.keys.find(foreign.id)).toEqual(foreign);
    expect(await backend.keys.find('key_unknown')).toBeUndefined();
    expect(await backend.keys.list(owner.id)).toEqual([older, younger]);
    expect(await backend.keys.list('acct_unknown')).toEqual([]);
  });

  test('tells whether there is any key', async () => {
    await using backend = await open();
    const owner = await account(backend);
    expect(await backend.keys.any()).toBe(false);
    await keptKey(backend, owner.id);
    expect(await backend.keys.any()).toBe(true);
  });

  test('notes when keys were last used', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const [used, idle] = [await keptKey(backend, owner.id), await keptKey(backend, owner.id)];
    await backend.keys.touch([
      [used.id, NOON + 5],
      ['key_unknown', NOON + 6],
    ]);
    await backend.keys.touch([[used.id, NOON + 4]]);
    expect(await backend.keys.find(used.id)).toEqual({ ...used, lastUsedAt: NOON + 5 });
    expect(await backend.keys.find(idle.id)).toEqual(idle);
  });

  test('tells how many keys of an account are live, and when one was last used', async () => {
    await using backend = await open();
    const [owner, other] = [await account(backend), await account(backend, 'other@example.com')];
    const activity = (now = NOON) => backend.keys.activity(owner.id, now);
    expect(await activity()).toEqual({ live: 0, lastUsedAt: undefined });
    const used = await keptKey(backend, owner.id, { expiresAt: NOON + HOUR });
    const revoked = await keptKey(backend, owner.id);
    const stranger = await keptKey(backend, other.id);
    await backend.keys.touch([
      [used.id, NOON + 5],
      [stranger.id, NOON + 6],
    ]);
    expect(await activity()).toEqual({ live: 2, lastUsedAt: NOON + 5 });
    await backend.keys.revoke(revoked.id, NOON, 'test');
    expect(await activity()).toEqual({ live: 1, lastUsedAt: NOON + 5 });
    expect((await activity(NOON + HOUR)).live).toBe(0);
  });
}

function bounding(open: OpenBackend): void {
  test('keeps no more active keys of an account than it may have', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const other = await account(backend, 'other@example.com');
    for (const _ of [1, 2]) {
      expect(await backend.keys.insert(apiKey(owner.id), digest(), { live: 2 }, NOON, 'test')).toBe(
        'added',
      );
    }
    const third = apiKey(owner.id);
    const secret = digest();
    expect(await backend.keys.insert(third, secret, { live: 2 }, NOON, 'test')).toBe('too_many');
    expect(await backend.keys.find(third.id)).toBeUndefined();
    expect(await backend.keys.findByDigest(secret)).toBeUndefined();
    expect(await backend.keys.insert(apiKey(other.id), digest(), { live: 2 }, NOON, 'test')).toBe(
      'added',
    );
  });

  test('does not count keys that are revoked or expired', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const revoked = await keptKey(backend, owner.id);
    await backend.keys.revoke(revoked.id, NOON, 'test');
    await keptKey(backend, owner.id, { expiresAt: NOON });
    expect(await backend.keys.insert(apiKey(owner.id), digest(), { live: 1 }, NOON, 'test')).toBe(
      'added',
    );
    const live = apiKey(owner.id, { expiresAt: NOON + 1 });
    expect(await backend.keys.insert(live, digest(), { live: 2 }, NOON, 'test')).toBe('added');
    expect(await backend.keys.insert(apiKey(owner.id), digest(), { live: 2 }, NOON, 'test')).toBe(
      'too_many',
    );
    expect(
      await backend.keys.insert(apiKey(owner.id), digest(), { live: 2 }, NOON + 1, 'test'),
    ).toBe('added');
  });

  test('keeps to the bound when many are made at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const owner = await account(backend);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 ? backend : other).keys.insert(
          apiKey(owner.id),
          digest(),
          { live: 10 },
          NOON,
          'test',
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(10);
    expect(await backend.keys.list(owner.id)).toHaveLength(10);
  });
}

function replacing(open: OpenBackend): void {
  test.each([
    ['never', undefined, HOUR],
    ['later', 2 * HOUR, HOUR],
    ['earlier', HOUR - 1, HOUR - 1],
  ])(
    'replaces a key that was to expire %s: it ends at the given time at the latest, and the successor exists',
    async (_, lifetime, left) => {
      await using backend = await open();
      const owner = await account(backend);
      const expiresAt = lifetime === undefined ? undefined : NOON + lifetime;
      const old = await keptKey(backend, owner.id, { expiresAt });
      const next = apiKey(owner.id, { createdAt: NOON + 1 });
      const ending = { id: old.id, expiresAt: NOON + HOUR };
      expect(await backend.keys.replace(ending, next, digest(), { live: 2 }, NOON, 'test')).toBe(
        'added',
      );
      expect(await backend.keys.list(owner.id)).toEqual([{ ...old, expiresAt: NOON + left }, next]);
    },
  );

  test('replaced twice at once, the old key ends at the earlier moment', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const owner = await account(backend);
    const old = await keptKey(backend, owner.id);
    const replace = ({ keys }: typeof backend, expiresAt: number) =>
      keys.replace(
        { id: old.id, expiresAt },
        apiKey(owner.id),
        digest(),
        { live: 100 },
        NOON,
        'test',
      );
    const outcomes = [replace(backend, NOON + HOUR), replace(other, NOON + 72 * HOUR)];
    expect(await Promise.all(outcomes)).toEqual(['added', 'added']);
    expect((await backend.keys.find(old.id))?.expiresAt).toBe(NOON + HOUR);
  });

  test('changes nothing when the overlap would make one active key too many', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const old = await keptKey(backend, owner.id);
    const next = apiKey(owner.id);
    const ending = { id: old.id, expiresAt: NOON + HOUR };
    expect(await backend.keys.replace(ending, next, digest(), { live: 1 }, NOON, 'test')).toBe(
      'too_many',
    );
    expect(await backend.keys.list(owner.id)).toEqual([old]);
  });

  test('replaces a key that ends at once even when the account has as many as it may', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const old = await keptKey(backend, owner.id);
    const next = apiKey(owner.id);
    const ending = { id: old.id, expiresAt: NOON };
    expect(await backend.keys.replace(ending, next, digest(), { live: 1 }, NOON, 'test')).toBe(
      'added',
    );
    expect(await backend.keys.insert(apiKey(owner.id), digest(), { live: 1 }, NOON, 'test')).toBe(
      'too_many',
    );
  });

  test('replaces no key that was revoked, has expired or never was, and says so', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const revoked = await keptKey(backend, owner.id);
    await backend.keys.revoke(revoked.id, NOON, 'test');
    const expired = await keptKey(backend, owner.id, { expiresAt: NOON });
    const before = await backend.keys.list(owner.id);
    for (const id of [revoked.id, expired.id, 'key_unknown']) {
      const old = { id, expiresAt: NOON + HOUR };
      const next = apiKey(owner.id);
      expect(await backend.keys.replace(old, next, digest(), { live: 100 }, NOON, 'test')).toBe(
        'not_live',
      );
    }
    expect(await backend.keys.list(owner.id)).toEqual(before);
  });
}

function ending(open: OpenBackend): void {
  test("ends an account's keys with the account, and no other account's", async () => {
    await using backend = await open();
    const owner = await account(backend);
    const other = await account(backend, 'other@example.com');
    const secret = digest();
    await backend.keys.insert(apiKey(owner.id), secret, { live: 1 }, NOON, 'test');
    const kept = await keptKey(backend, other.id);
    const seen = await backend.changes.revision();
    await backend.accounts.delete(owner.id, NOON, 'test');
    expect(await backend.keys.findByDigest(secret)).toBeUndefined();
    expect(await backend.keys.find(kept.id)).toEqual(kept);
    expect(await backend.changes.revision()).toBeGreaterThan(seen);
  });

  test('revokes a key once', async () => {
    await using backend = await open();
    const owner = await account(backend);
    const key = await keptKey(backend, owner.id);
    expect(await backend.keys.revoke(key.id, NOON + 1, 'test')).toBe(true);
    expect(await backend.keys.revoke(key.id, NOON + 2, 'test')).toBe(false);
    expect(await backend.keys.revoke('key_unknown', NOON, 'test')).toBe(false);
    expect(await backend.keys.find(key.id)).toEqual({ ...key, revokedAt: NOON + 1 });
  });
}
