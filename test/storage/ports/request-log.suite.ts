import { expect, test } from 'bun:test';
import { KEPT_PER_ACCOUNT, type LoggedRequest } from '../../../src/core/requests/request-log.ts';
import { MINUTE } from '../../../src/lib/clock.ts';
import { account, NOON, type OpenBackend, portSuite } from './backend.ts';

let entries = 0;

/** An entry of the log; each is later than the one made before. */
export function entry(accountId: string, fields: Partial<LoggedRequest> = {}): LoggedRequest {
  entries += 1;
  return {
    id: String(entries).padStart(32, '0'),
    accountId,
    at: NOON,
    requestId: `request-${entries}`,
    environment: 'production',
    keyId: 'key_1',
    method: 'GET',
    path: '/v1/pets?limit=20',
    status: 200,
    code: undefined,
    message: undefined,
    durationMicros: 1_234,
    replyBytes: 2_000,
    address: '192.0.2.1',
    userAgent: 'curl/8',
    simulation: undefined,
    isReplayed: false,
    limits: {
      limit: 60,
      remaining: 59,
      reset: NOON / 1_000,
      minute: { limit: 60, remaining: 59, resetIn: 60 },
      day: { limit: 1_000, remaining: 900, resetIn: 43_200 },
      retryAfter: undefined,
    },
    notRecorded: 0,
    ...fields,
  };
}

/** Tests of a request log store, for every database. */
export const requestLogSuite = portSuite('a request log', reading, forgetting, trimming);

function reading(open: OpenBackend): void {
  test('gives the entries of an account as they were added, newest first, page by page', async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    const plain = entry(ada.id);
    const limits = { ...plain.limits, remaining: 0, retryAfter: 30 };
    const full = entry(ada.id, {
      environment: 'staging',
      status: 429,
      code: 'rate_limited',
      message: 'Too many requests. “Wait”, 世界 🐈.',
      userAgent: undefined,
      simulation: 'rate_limited',
      isReplayed: true,
      limits,
      notRecorded: 7,
    });
    const last = entry(ada.id);
    await backend.requestLog.add([]);
    await backend.requestLog.add([plain, entry(bob.id), full, last]);
    expect(await backend.requestLog.page(ada.id, {}, 10)).toEqual([last, full, plain]);
    expect(await backend.requestLog.page(ada.id, {}, 2)).toEqual([last, full]);
    expect(await backend.requestLog.page(ada.id, {}, 2, full.id)).toEqual([plain]);
    expect(await backend.requestLog.page('acct_unknown', {}, 10)).toEqual([]);
  });

  test('adds a batch once, however often it is sent', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const batch = [entry(id), entry(id)];
    await backend.requestLog.add(batch);
    await backend.requestLog.add(batch);
    expect(await backend.requestLog.page(id, {}, 10)).toEqual(batch.toReversed());
  });

  test('filters by each field', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const common = entry(id);
    const rare = entry(id, {
      environment: 'staging',
      keyId: 'key_2',
      status: 404,
      code: 'pet_not_found',
      path: '/staging/v1/pets/1_00%2F',
      at: NOON + MINUTE,
    });
    await backend.requestLog.add([common, rare, entry(id, { status: 500 })]);
    const filters = [
      { environment: 'staging' },
      { keyId: 'key_2' },
      { status: [400, 499] },
      { code: 'pet_not_found' },
      { path: 'PETS/1' },
      { path: '1_0' },
      { path: '00%2' },
      { from: NOON + 1 },
      { requestId: rare.requestId },
    ] as const;
    for (const filter of filters) {
      expect([filter, await backend.requestLog.page(id, filter, 10)]).toEqual([filter, [rare]]);
    }
    // Wildcards have no effect, and no request of another account is found.
    for (const path of ['pets_1', 'pets%limit', '\\']) {
      expect(await backend.requestLog.page(id, { path }, 10)).toEqual([]);
    }
    const early = await backend.requestLog.page(id, { to: NOON, status: [200, 299] }, 10);
    expect(early).toEqual([common]);
  });

  test('finds the entries with a request id, of all accounts', async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    const same = [ada, bob].map(({ id }) => entry(id, { requestId: 'mine' }));
    await backend.requestLog.add([...same, entry(ada.id)]);
    expect(await backend.requestLog.find('mine', 10)).toEqual(same.toReversed());
    expect(await backend.requestLog.find('unknown', 10)).toEqual([]);
  });
}

function forgetting(open: OpenBackend): void {
  test('deletes what is older than a moment, thousands at once', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const old = Array.from({ length: 2_001 }, () => entry(id, { at: NOON - 1 }));
    const young = entry(id);
    await backend.requestLog.add([...old, young]);
    await backend.requestLog.prune(NOON);
    expect(await backend.requestLog.page(id, {}, 10)).toEqual([young]);
  });

  test("deletes an account's entries with the account, and no other account's", async () => {
    await using backend = await open();
    const [ada, bob] = [await account(backend), await account(backend, 'bob@example.com')];
    const kept = entry(bob.id);
    await backend.requestLog.add([entry(ada.id), kept]);
    await backend.accounts.delete(ada.id, NOON, 'test');
    expect(await backend.requestLog.page(ada.id, {}, 10)).toEqual([]);
    expect(await backend.requestLog.page(bob.id, {}, 10)).toEqual([kept]);
  });

  test("deletes an environment's entries with its reset, and not the other's", async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const kept = entry(id);
    await backend.requestLog.add([entry(id, { environment: 'staging' }), kept]);
    await backend.environmentResets.reset(['staging'], 'test', NOON);
    expect(await backend.requestLog.page(id, {}, 10)).toEqual([kept]);
  });
}

function trimming(open: OpenBackend): void {
  /** The numbers of errors and successes of an account that remain after a trim. */
  async function trimmed(errors: number, successes: number) {
    await using backend = await open();
    const { id } = await account(backend);
    const other = await account(backend, 'other@example.com');
    const add = async (count: number, status: number) => {
      const batch = Array.from({ length: count }, () => entry(id, { status }));
      await backend.requestLog.add(batch);
      return batch;
    };
    const batches = [await add(errors, 404), await add(successes, 200)];
    await backend.requestLog.add([entry(other.id)]);
    await backend.requestLog.trim(id);
    expect(await backend.requestLog.page(other.id, {}, 10)).toHaveLength(1);
    const left = await backend.requestLog.page(id, {}, KEPT_PER_ACCOUNT + 1);
    const counts = batches.map((batch) => {
      const ids = new Set(left.map((each) => each.id));
      const kept = batch.filter((each) => ids.has(each.id));
      // The latest requests remain.
      expect(kept).toEqual(batch.slice(batch.length - kept.length));
      return kept.length;
    });
    return { errors: counts[0], successes: counts[1] };
  }

  test('leaves an account that has few as it is', async () => {
    expect(await trimmed(10, 20)).toEqual({ errors: 10, successes: 20 });
  });

  test('deletes the oldest successes before any error', async () => {
    expect(await trimmed(5_000, 5_500)).toEqual({ errors: 5_000, successes: 4_750 });
  });

  test('deletes the oldest errors once few successes are left', async () => {
    expect(await trimmed(9_000, 2_500)).toEqual({ errors: 7_750, successes: 2_000 });
    expect(await trimmed(10_100, 5)).toEqual({ errors: 9_745, successes: 5 });
  });
}
