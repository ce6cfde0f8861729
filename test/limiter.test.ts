import { describe, expect, test } from 'bun:test';
import type { ApiKey, BanRecord } from '../src/core/accounts.ts';
import { DAY, type Instant, MINUTE, SECOND } from '../src/core/clock.ts';
import { ADDRESS_CAPACITY, MemoryLimiter } from '../src/memory/limiter.ts';
import { ManualClock } from './harness.ts';
import { apiKey, NOON } from './ports/backend.ts';

const LIMITS = { perMinute: 1, perDay: 100 };

function address(number: number) {
  return { id: `address:${number}`, limits: LIMITS, key: undefined };
}

function holder(key: ApiKey) {
  return { id: `account:${key.accountId}`, limits: LIMITS, key };
}

/** A limiter that bans at the first refusal after the grace, for five minutes. */
function newLimiter() {
  const bans: BanRecord[] = [];
  const limiter = new MemoryLimiter({
    environment: 'production',
    policy: { after: 1, base: 5 * MINUTE, maximum: DAY },
    onBan: (ban) => bans.push(ban),
  });
  return { limiter, bans, clock: new ManualClock(NOON) };
}

/** Asks until the key is banned; gives the ban. */
function provoke({ limiter, bans, clock }: ReturnType<typeof newLimiter>, key: ApiKey): BanRecord {
  for (const pause of [0, 2 * SECOND, 0]) {
    limiter.take(holder(key), clock.now());
    clock.advance(pause);
  }
  const ban = bans.at(-1);
  if (!ban) throw new Error('no ban began');
  return ban;
}

function countAddresses(limiter: MemoryLimiter, from: number, to: number, now: Instant): void {
  for (let number = from; number < to; number += 1) limiter.take(address(number), now);
}

describe('quotas to be saved', () => {
  test('are given once, and again when they could not be saved', () => {
    const { limiter, clock } = newLimiter();
    countAddresses(limiter, 0, 2, clock.now());
    const unsaved = limiter.takeUnsaved(clock.now());
    expect(unsaved.changed.map(({ caller }) => caller)).toEqual(['address:0', 'address:1']);
    expect(limiter.takeUnsaved(clock.now())).toEqual({ changed: [], dropped: [] });
    limiter.returnUnsaved(unsaved);
    expect(limiter.takeUnsaved(clock.now())).toEqual(unsaved);
  });

  test('that could not be saved are given as they are by then', () => {
    const { limiter, clock } = newLimiter();
    countAddresses(limiter, 0, 1, clock.now());
    const unsaved = limiter.takeUnsaved(clock.now());
    clock.advance(MINUTE);
    countAddresses(limiter, 0, 1, clock.now());
    limiter.returnUnsaved(unsaved);
    expect(limiter.takeUnsaved(clock.now()).changed).toMatchObject([{ dayUsed: 2 }]);
  });
});

describe('addresses past the capacity', () => {
  test('push the oldest out, which is dropped where it was saved', () => {
    const { limiter, clock } = newLimiter();
    countAddresses(limiter, 0, ADDRESS_CAPACITY, clock.now());
    limiter.takeUnsaved(clock.now());
    countAddresses(limiter, ADDRESS_CAPACITY, ADDRESS_CAPACITY + 2, clock.now());
    const { changed, dropped } = limiter.takeUnsaved(clock.now());
    expect(changed.map(({ caller }) => caller)).toEqual([
      `address:${ADDRESS_CAPACITY}`,
      `address:${ADDRESS_CAPACITY + 1}`,
    ]);
    expect(dropped).toEqual(['address:0', 'address:1']);
    limiter.returnUnsaved({ changed: [], dropped });
    expect(limiter.takeUnsaved(clock.now()).dropped).toEqual(dropped);
  });

  test('do not come back when saved quotas are restored, and accounts are never among them', () => {
    const { limiter, clock } = newLimiter();
    const now = clock.now();
    const used = { minuteEndsAt: now.wall + MINUTE, minuteUsed: 1, dayUsed: 1 };
    const saved = Array.from({ length: ADDRESS_CAPACITY + 3 }, (_, index) => ({
      ...used,
      caller: index === 0 ? 'account:1' : `address:${index}`,
      day: Math.floor(now.wall / DAY),
    }));
    limiter.restore(saved, [], now);
    expect(limiter.takeUnsaved(now)).toEqual({
      changed: [],
      dropped: ['address:1', 'address:2'],
    });
    const outcome = (caller: ReturnType<typeof address>) => limiter.peek(caller, now);
    expect(outcome(address(2))).toMatchObject({ outcome: 'admitted' });
    expect(outcome(address(3))).not.toMatchObject({ outcome: 'admitted' });
  });

  test('take bounded room while nothing can be saved', () => {
    const { limiter, clock } = newLimiter();
    countAddresses(limiter, 0, 4 * ADDRESS_CAPACITY, clock.now());
    const { changed, dropped } = limiter.takeUnsaved(clock.now());
    expect(changed).toHaveLength(ADDRESS_CAPACITY);
    expect(dropped.length).toBeLessThanOrEqual(2 * ADDRESS_CAPACITY);
  });
});

describe('lifting a ban', () => {
  test('ends it; lifting an earlier one of the key ends nothing', () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    const first = provoke(it, key);
    it.clock.advance(5 * MINUTE);
    const second = provoke(it, key);
    const outcome = () => it.limiter.peek(holder(key), it.clock.now());
    expect(second).toMatchObject({ level: 2 });
    it.limiter.lift(first);
    expect(outcome()).toMatchObject({ outcome: 'banned' });
    it.limiter.lift(second);
    expect(outcome()).not.toMatchObject({ outcome: 'banned' });
  });
});

describe('a sweep', () => {
  test('forgets only what is spent', () => {
    const { limiter, clock } = newLimiter();
    const tomorrow = {
      wall: (Math.floor(NOON / DAY) + 1) * DAY,
      elapsed: clock.now().elapsed + DAY / 2,
    };
    const atLast = { wall: tomorrow.wall - SECOND, elapsed: tomorrow.elapsed - SECOND };
    countAddresses(limiter, 0, 1, clock.now());
    countAddresses(limiter, 1, 2, atLast);
    limiter.sweep(atLast);
    const { changed } = limiter.takeUnsaved(atLast);
    expect(changed.map(({ caller }) => caller)).toEqual(['address:0', 'address:1']);
    limiter.returnUnsaved({ changed, dropped: [] });
    limiter.sweep(tomorrow);
    expect(limiter.takeUnsaved(tomorrow)).toMatchObject({
      changed: [{ caller: 'address:1' }],
      dropped: ['address:0'],
    });
  });

  test('keeps the level of a ban for 24 hours after its end, and no longer', () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    provoke(it, key);
    it.clock.advance(5 * MINUTE + DAY - MINUTE);
    it.limiter.sweep(it.clock.now());
    expect(provoke(it, key).level).toBe(2);
    it.clock.advance(10 * MINUTE + DAY);
    it.limiter.sweep(it.clock.now());
    expect(provoke(it, key).level).toBe(1);
  });
});
