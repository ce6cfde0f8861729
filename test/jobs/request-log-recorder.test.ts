import { describe, expect, test } from 'bun:test';
import type { Environment } from '../../src/core/environments.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { type LoggedRequest, RECORDED_PER_MINUTE } from '../../src/core/requests/request-log.ts';
import {
  BURST,
  MORE_PER_MINUTE,
  RECORDED_PER_SECOND,
  RESERVED,
  WAITING_CAPACITY,
} from '../../src/jobs/request-log-recorder.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { recorderScene, savingScene } from '../support/recorder-scene.ts';

function missing(requests: readonly LoggedRequest[]): number {
  return requests.reduce((sum, { notRecorded }) => sum + notRecorded, 0);
}

describe('the recorder of requests', () => {
  test('records the first 1,000 of an account in a minute, even at once, and counts the others', async () => {
    const it = savingScene();
    it.record('ada', 200, { count: RECORDED_PER_MINUTE + 1 });
    it.record('bob');
    const saved = await it.save();
    expect(saved.map(({ accountId }) => accountId)).toEqual([
      ...Array.from({ length: RECORDED_PER_MINUTE }, () => 'ada'),
      'bob',
    ]);
    expect(saved.filter(({ notRecorded }) => notRecorded > 0)).toHaveLength(1);
    expect(missing(saved)).toBe(1);
  });

  test('begins a minute with the first request after the previous one', async () => {
    const it = savingScene();
    it.record('ada');
    it.clock.advance(MINUTE - 1);
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    expect(await it.save()).toHaveLength(RECORDED_PER_MINUTE);
    it.clock.advance(1);
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    expect(await it.save()).toHaveLength(RECORDED_PER_MINUTE);
  });

  test('says beforehand whether a reply could be recorded, even an error', async () => {
    const it = savingScene();
    expect(it.mayRecord('ada')).toBe(true);
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    it.record('ada', 500, { count: 2 * MORE_PER_MINUTE - 1 });
    expect(it.mayRecord('ada')).toBe(true);
    it.record('ada', 500);
    expect([it.mayRecord('ada'), it.mayRecord('bob')]).toEqual([false, true]);
    // Asking counts nothing.
    expect(await it.saveAndCount(200, 500)).toEqual([RECORDED_PER_MINUTE, 2 * MORE_PER_MINUTE]);
    it.clock.advance(MINUTE);
    expect(it.mayRecord('ada')).toBe(true);
  });

  test('says in the first entry after a gap how many are missing', async () => {
    const it = savingScene();
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    expect(missing(await it.save())).toBe(0);
    it.record('ada', 200, { count: 70 });
    expect(await it.save()).toEqual([]);
    it.clock.advance(MINUTE);
    it.record('ada', 200, { count: 2 });
    expect((await it.save()).map(({ notRecorded }) => notRecorded)).toEqual([70, 0]);
  });

  test('counts a slow reply in the minute in which it is sent', async () => {
    const it = savingScene();
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    it.clock.advance(-SECOND);
    it.record('ada');
    it.record('ada');
    expect(await it.save()).toHaveLength(RECORDED_PER_MINUTE);
  });

  test('counts the keys of an account together, and its environments separately', async () => {
    const it = savingScene();
    const half = RECORDED_PER_MINUTE / 2;
    it.record('ada', 200, { count: half });
    it.record('ada', 200, { count: half + 1, of: { id: 'other key' } });
    it.record('ada', 200, { count: half + 1, of: { environment: 'staging' } });
    const saved = await it.save();
    const of = (name: Environment) => saved.filter(({ environment }) => environment === name);
    expect(of('production')).toHaveLength(2 * half);
    expect(of('staging')).toHaveLength(half + 1);
  });

  test('records some more refusals and errors of an account, and refusals leave room for errors', async () => {
    const it = savingScene();
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    it.record('ada', 429, { count: 10_000 });
    it.record('ada', 404, { count: 10_000 });
    const { length } = await it.save();
    expect(length).toBe(RECORDED_PER_MINUTE + 2 * MORE_PER_MINUTE);
    it.clock.advance(MINUTE);
    it.record('ada', 429, { count: 10_000 });
    it.record('ada', 200);
    it.record('ada', 500);
    const counts = await it.saveAndCount(429, 200, 500);
    expect(counts).toEqual([RECORDED_PER_MINUTE + MORE_PER_MINUTE, 0, 1]);
  });

  test('begins the minute of every account anew after a reset of the environment', async () => {
    const it = savingScene();
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    it.recorder.forget('production');
    it.record('ada', 200, { count: RECORDED_PER_MINUTE });
    expect(await it.save()).toHaveLength(RECORDED_PER_MINUTE);
  });

  test('does not count requests that a reset has dropped as not recorded', async () => {
    const it = savingScene();
    it.record('ada');
    it.record('ada', 200, { of: { environment: 'staging' } });
    it.recorder.forget('staging');
    expect(await it.save()).toMatchObject([{ environment: 'production', notRecorded: 0 }]);
  });

  test('records everything of many accounts up to the rate of the process', async () => {
    const it = savingScene();
    for (let second = 0; second < 20; second += 1) {
      for (let count = 0; count < RECORDED_PER_SECOND; count += 1) it.record(`acct_${count}`);
      const saved = await it.save();
      expect([second, saved.length, missing(saved)]).toEqual([second, RECORDED_PER_SECOND, 0]);
      it.clock.advance(SECOND);
    }
  });

  test('above the rate takes a sample that is spread over the second, and counts the others', async () => {
    const it = savingScene();
    /** 20 requests of other accounts in each millisecond of a second. */
    const flood = () => {
      for (let count = 0; count < 20_000; count += 1) {
        if (count % 20 === 0) it.clock.advance(1);
        it.record(`acct_${count % 4_999}`, count < 10_000 ? 200 : 201);
      }
    };
    // Uses up what was saved for a burst.
    flood();
    let counted = missing(await it.save());
    for (let second = 0; second < 3; second += 1) {
      flood();
      const saved = await it.save();
      const late = saved.filter(({ status }) => status === 201);
      expect([saved.length, late.length]).toEqual([RECORDED_PER_SECOND, RECORDED_PER_SECOND / 2]);
      counted += missing(saved);
    }
    // All that are missing, but for those after the latest entry of each account.
    expect(counted).toBeGreaterThan(20_000);
  });

  test('above the rate records errors first, then refusals', async () => {
    const it = savingScene();
    const flood = (status: number) => {
      for (let count = 0; count < 10_000; count += 1) it.record(`acct_${count}`, status);
    };
    flood(200);
    flood(429);
    for (let count = 0; count < RESERVED; count += 1) it.record(`acct_${count}`, 500);
    const first = await it.saveAndCount(200, 429, 500);
    expect(first).toEqual([BURST - 2 * RESERVED, RESERVED, RESERVED]);
    it.clock.advance(SECOND);
    flood(404);
    flood(429);
    flood(200);
    expect(await it.saveAndCount(200, 429, 404)).toEqual([0, 0, RECORDED_PER_SECOND]);
  });

  test('holds a bounded number in memory while the store does not answer, and counts the others', async () => {
    const it = recorderScene(() => new Promise(() => {}));
    const flood = (status: number, seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        it.clock.advance(SECOND);
        for (let count = 0; count < RECORDED_PER_SECOND; count += 1) {
          it.record(`acct_${count}`, status);
        }
      }
    };
    flood(200, 12);
    expect(it.counts.dropped).toBe(12 * RECORDED_PER_SECOND - WAITING_CAPACITY + 2 * RESERVED);
    void it.recorder.save();
    // The rest is reserved for refusals and errors.
    flood(429, 1);
    flood(404, 1);
    expect(it.counts.dropped).toBe(14 * RECORDED_PER_SECOND - WAITING_CAPACITY);
  });

  test('sends the same batch again after a failure of the store', async () => {
    const batches: string[][] = [];
    const it = recorderScene(async (requests) => {
      batches.push(requests.map(({ id }) => id));
      if (batches.length === 1) throw new StorageUnavailable(new Error('full'));
    });
    it.record('ada');
    expect(await it.recorder.save().catch(() => 'failed')).toBe('failed');
    await it.recorder.save();
    expect(batches).toHaveLength(2);
    expect(batches[1]).toEqual(batches[0] ?? []);
    expect(it.counts.dropped).toBe(0);
  });

  test('drops a batch that the store refuses, and goes on', async () => {
    let refusals = 0;
    const it = recorderScene(async () => {
      refusals += 1;
      if (refusals === 1) throw new Error('It cannot be added.');
    });
    it.record('ada');
    expect(await it.recorder.save().catch(() => 'failed')).toBe('failed');
    expect(it.counts.dropped).toBe(1);
    it.record('ada');
    await it.recorder.save();
    expect(refusals).toBe(2);
  });

  test('sends what could not be saved again together with later requests, each once', async () => {
    let isAway = true;
    const saved: string[] = [];
    const it = recorderScene(async (requests) => {
      if (isAway) throw new StorageUnavailable(new Error('The server is unavailable.'));
      saved.push(...requests.map(({ id }) => id));
    });
    for (let second = 0; second < 3; second += 1) {
      it.record('ada', 200, { count: 300 });
      expect(await it.recorder.save().catch(() => 'failed')).toBe('failed');
    }
    isAway = false;
    await it.recorder.save();
    expect(new Set(saved).size).toBe(900);
    expect([saved.length, it.counts.dropped]).toEqual([900, 0]);
  });

  test('has the excess of an account deleted after some hundred requests', async () => {
    const it = savingScene();
    for (let second = 0; second < 12; second += 1) {
      it.record('ada', 200, { count: 20 });
      await it.save();
    }
    expect(it.trimmed).toEqual([]);
    it.record('ada', 200, { count: 20 });
    await it.save();
    expect(it.trimmed).toEqual(['ada']);
    it.record('ada', 200, { count: 700 });
    await it.save();
    expect(it.trimmed).toEqual(['ada', 'ada']);
  });
});
