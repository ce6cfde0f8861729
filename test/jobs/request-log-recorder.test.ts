import { describe, expect, test } from 'bun:test';
import type { Environment } from '../../src/core/environments.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import {
  type LoggedKey,
  type LoggedRequest,
  RECORDED_PER_SECOND,
  type SentReply,
} from '../../src/core/request-log.ts';
import { RECORDED_IN_ALL } from '../../src/jobs/recording-budget.ts';
import { RequestLogRecorder, WAITING_CAPACITY } from '../../src/jobs/request-log-recorder.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { ManualClock } from '../support/harness.ts';

const WINDOW = { limit: 60, remaining: 59, resetIn: SECOND };

function sent(key: LoggedKey, at: number, status: number): SentReply {
  return {
    at,
    requestId: 'id',
    key,
    method: 'GET',
    url: 'http://localhost/v1/pets',
    status,
    problem: undefined,
    took: 1,
    replyBytes: 2,
    address: '192.0.2.1',
    userAgent: null,
    simulation: undefined,
    isReplayed: false,
    limits: { outcome: 'admitted', ...WINDOW, minute: WINDOW, day: WINDOW },
    now: at,
    retryAfter: undefined,
  };
}

function keyOf(accountId: string, environment: Environment = 'production'): LoggedKey {
  return { id: `${environment} key of ${accountId}`, accountId, environment };
}

/** A recorder with a store that uses this `add`. */
function scene(add: (requests: readonly LoggedRequest[]) => Promise<void>) {
  const clock = new ManualClock();
  const counts = { dropped: 0 };
  const keys = new Map<string, LoggedKey>();
  const trimmed: string[] = [];
  const none = async () => {};
  const recorder = new RequestLogRecorder({
    store: {
      ...{ add, page: () => [], find: () => [], forgetAccount: none, forgetEnvironments: none },
      ...{ prune: none, trim: async (id: string) => void trimmed.push(id) },
    },
    accounts: { find: async () => undefined },
    clock,
    onDropped: (count) => {
      counts.dropped += count;
    },
  });
  const record = (accountId: string, status = 200, environment?: Environment) => {
    const at = clock.now().wall;
    const fresh = keyOf(accountId, environment);
    const key = keys.get(fresh.id) ?? fresh;
    keys.set(key.id, key);
    recorder.record(key, at, status, () => sent(key, at, status));
  };
  return { clock, recorder, record, counts, trimmed };
}

/** A recorder that saves into a list. */
function savingScene() {
  const saved: LoggedRequest[] = [];
  const it = scene(async (requests) => void saved.push(...requests));
  const save = async () => {
    it.clock.advance(SECOND);
    await it.recorder.save();
    return saved.splice(0);
  };
  return { ...it, save };
}

describe('the recorder of requests', () => {
  test('saves a second when it is over, and not before', async () => {
    const it = savingScene();
    it.record('ada');
    await it.recorder.save();
    expect(await it.save()).toHaveLength(1);
  });

  test('does not count requests that a reset has dropped as not recorded', async () => {
    const it = savingScene();
    it.record('ada');
    it.record('ada', 200, 'staging');
    it.recorder.forget('staging');
    expect(await it.save()).toMatchObject([{ environment: 'production', notRecorded: 0 }]);
  });

  test('takes as many in a second when replies of two seconds alternate', async () => {
    const { clock, record, save } = savingScene();
    for (let round = 0; round < 100; round += 1) {
      record('a');
      clock.advance(-SECOND);
      record('a');
      clock.advance(SECOND);
    }
    expect((await save()).length).toBeLessThanOrEqual(2 * RECORDED_PER_SECOND);
  });

  test('of many that succeed in a second takes a random sample', async () => {
    const it = savingScene();
    let late = 0;
    for (let round = 0; round < 200; round += 1) {
      for (let count = 0; count < 40; count += 1) it.record('ada', count < 20 ? 200 : 201);
      const saved = await it.save();
      expect(saved).toHaveLength(20);
      late += saved.filter(({ status }) => status === 201).length;
    }
    // Half of 4,000; with this margin the test fails by chance once in 10^30 runs.
    expect(Math.abs(late - 2_000)).toBeLessThan(260);
  });

  test('prefers errors to refusals, and refusals to the rest, whatever comes first', async () => {
    const it = savingScene();
    const flood = (status: number, count: number) => {
      for (let done = 0; done < count; done += 1) it.record('ada', status);
    };
    flood(200, 100);
    flood(429, 100);
    flood(404, 5);
    flood(200, 100);
    flood(500, 1);
    flood(429, 100);
    const saved = await it.save();
    const of = (status: number) => saved.filter((each) => each.status === status).length;
    expect([of(404), of(500), of(429), of(200)]).toEqual([5, 1, 14, 0]);
    expect(saved.reduce((sum, { notRecorded }) => sum + notRecorded, 0)).toBe(386);
  });

  test('of a flood over many accounts records a bounded sample, spread over the second', async () => {
    const it = savingScene();
    const [rest] = RECORDED_IN_ALL;
    const flood = () => {
      for (let count = 0; count < 20_000; count += 1) {
        it.record(`acct_${count % 5_000}`, count < 10_000 ? 200 : 201);
      }
    };
    flood();
    expect(await it.save()).toHaveLength(rest);
    flood();
    const saved = await it.save();
    expect(saved.length).toBeLessThanOrEqual(rest);
    const late = saved.filter(({ status }) => status === 201).length;
    // With these margins the test fails by chance once in 10^12 runs.
    expect(saved.length).toBeGreaterThan(rest * 0.5);
    expect(Math.abs(late - saved.length / 2)).toBeLessThan(rest * 0.3);
  });

  test('records errors whatever else floods, and says how many requests are missing', async () => {
    const it = savingScene();
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 5_000; count += 1) {
        it.record(`acct_${count}`);
        it.record(`acct_${count}`, 429);
      }
      it.record('acct_4999', 500);
      const saved = (await it.save()).filter(({ accountId }) => accountId === 'acct_4999');
      expect(saved.filter(({ status }) => status === 500)).toHaveLength(1);
      expect(saved.length + saved.reduce((sum, { notRecorded }) => sum + notRecorded, 0)).toBe(3);
    }
  });

  test('holds a bounded number in memory while the store does not answer, and counts the others', async () => {
    const it = scene(() => new Promise(() => {}));
    const flood = (status: number, perSecond: number, seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        it.clock.advance(SECOND);
        for (let count = 0; count < perSecond; count += 1) it.record(`acct_${count}`, status);
      }
    };
    const [rest, , errors] = RECORDED_IN_ALL;
    flood(200, rest, 12);
    expect(it.counts.dropped).toBe(12 * rest - WAITING_CAPACITY / 2);
    void it.recorder.save();
    // The other half is reserved for errors.
    flood(404, errors, 8);
    expect(it.counts.dropped).toBe(12 * rest + 8 * errors - WAITING_CAPACITY);
  });

  test('sends the same batch again after a failure of the store', async () => {
    const batches: string[][] = [];
    const it = scene(async (requests) => {
      batches.push(requests.map(({ id }) => id));
      if (batches.length === 1) throw new StorageUnavailable(new Error('full'));
    });
    it.record('ada');
    it.clock.advance(SECOND);
    expect(await it.recorder.save().catch(() => 'failed')).toBe('failed');
    await it.recorder.save();
    expect(batches).toHaveLength(2);
    expect(batches[1]).toEqual(batches[0] ?? []);
    expect(it.counts.dropped).toBe(0);
  });

  test('drops a batch that the store refuses, and goes on', async () => {
    let refusals = 0;
    const it = scene(async () => {
      refusals += 1;
      if (refusals === 1) throw new Error('It cannot be added.');
    });
    it.record('ada');
    it.clock.advance(SECOND);
    expect(await it.recorder.save().catch(() => 'failed')).toBe('failed');
    expect(it.counts.dropped).toBe(1);
    it.record('ada');
    it.clock.advance(SECOND);
    await it.recorder.save();
    expect(refusals).toBe(2);
  });

  test('has the excess of an account deleted after some hundred requests', async () => {
    const it = savingScene();
    for (let second = 0; second < 13; second += 1) {
      expect(it.trimmed).toEqual([]);
      for (let count = 0; count < 20; count += 1) it.record('ada');
      await it.save();
    }
    expect(it.trimmed).toEqual(['ada']);
  });
});
