import { describe, expect, test } from 'bun:test';
import type { ApiKey } from '../../src/core/keys/api-keys.ts';
import type { BanRecord } from '../../src/core/limits/ban-records.ts';
import { DAY, HOUR, type Instant, later, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { MemoryLimiter } from '../../src/limits/memory/limiter.ts';
import { ADDRESS_CAPACITY } from '../../src/limits/memory/windows-table.ts';
import { apiKey, NOON } from '../storage/ports/backend.ts';
import { ManualClock } from '../support/harness.ts';
import { takeUnsaved } from './unsaved.ts';

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

/** Sends requests until the key is banned; returns the ban. */
async function provoke(
  { limiter, bans, clock }: ReturnType<typeof newLimiter>,
  key: ApiKey,
): Promise<BanRecord> {
  for (const pause of [0, 2 * SECOND, 0]) {
    await limiter.take(holder(key), clock.now());
    clock.advance(pause);
  }
  const ban = bans.at(-1);
  if (!ban) throw new Error('no ban began');
  return ban;
}

async function countAddresses(
  limiter: MemoryLimiter,
  from: number,
  to: number,
  now: Instant,
): Promise<void> {
  for (let number = from; number < to; number += 1) await limiter.take(address(number), now);
}

test('refusals of a day whose limit was raised do not count against the next minute', async () => {
  const { limiter, bans, clock } = newLimiter();
  const key = apiKey('acct_1');
  const take = (perDay: number) =>
    limiter.take({ ...holder(key), limits: { perMinute: 2, perDay } }, clock.now());
  for (let sent = 0; sent < 2; sent += 1) await take(1);
  clock.advance(3 * SECOND);
  const outcomes: string[] = [];
  for (let sent = 0; sent < 4; sent += 1) outcomes.push((await take(100)).outcome);
  expect(outcomes).toEqual(['admitted', 'limited', 'limited', 'limited']);
  clock.advance(3 * SECOND);
  await take(100);
  expect(bans).toHaveLength(1);
});

describe('quotas to be saved', () => {
  test('are given once, and again when they could not be saved', async () => {
    const { limiter, clock } = newLimiter();
    await countAddresses(limiter, 0, 2, clock.now());
    const unsaved = takeUnsaved(limiter, clock.now());
    expect(unsaved.changed.map(({ caller }) => caller)).toEqual(['address:0', 'address:1']);
    expect(takeUnsaved(limiter, clock.now())).toEqual({ changed: [], dropped: [] });
    limiter.unsaved.putBack(unsaved.changed);
    expect(takeUnsaved(limiter, clock.now())).toEqual(unsaved);
  });

  test('that could not be saved are given as they are by then', async () => {
    const { limiter, clock } = newLimiter();
    await countAddresses(limiter, 0, 1, clock.now());
    const unsaved = takeUnsaved(limiter, clock.now());
    clock.advance(MINUTE);
    await countAddresses(limiter, 0, 1, clock.now());
    limiter.unsaved.putBack(unsaved.changed);
    expect(takeUnsaved(limiter, clock.now()).changed).toMatchObject([{ dayUsed: 2 }]);
  });

  test('are given so many at a time, in turns', async () => {
    const { limiter, clock } = newLimiter();
    await countAddresses(limiter, 0, 3, clock.now());
    const callers = () => takeUnsaved(limiter, clock.now(), 2).changed.map(({ caller }) => caller);
    expect(callers()).toEqual(['address:0', 'address:1']);
    expect(callers()).toEqual(['address:2']);
    expect(callers()).toEqual([]);
  });
});

describe('addresses past the capacity', () => {
  test('push the oldest out, which is dropped where it was saved', async () => {
    const { limiter, clock } = newLimiter();
    await countAddresses(limiter, 0, ADDRESS_CAPACITY, clock.now());
    takeUnsaved(limiter, clock.now());
    await countAddresses(limiter, ADDRESS_CAPACITY, ADDRESS_CAPACITY + 2, clock.now());
    expect(limiter.unsaved.dropped).toEqual(['address:0', 'address:1']);
    const { changed, dropped } = takeUnsaved(limiter, clock.now());
    expect(changed.map(({ caller }) => caller)).toEqual([
      `address:${ADDRESS_CAPACITY}`,
      `address:${ADDRESS_CAPACITY + 1}`,
    ]);
    expect(dropped).toEqual(['address:0', 'address:1']);
    expect(limiter.unsaved.dropped).toEqual([]);
  });

  test('take bounded room while nothing can be saved', async () => {
    const { limiter, clock } = newLimiter();
    await countAddresses(limiter, 0, 4 * ADDRESS_CAPACITY, clock.now());
    const { changed, dropped } = takeUnsaved(limiter, clock.now());
    expect(changed).toHaveLength(ADDRESS_CAPACITY);
    expect(dropped.length).toBeLessThanOrEqual(2 * ADDRESS_CAPACITY);
  });
});

describe('lifting a ban', () => {
  test('ends it; lifting an earlier one of the key ends nothing', async () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    const first = await provoke(it, key);
    it.clock.advance(5 * MINUTE);
    const second = await provoke(it, key);
    const outcome = () => it.limiter.peek(holder(key), it.clock.now());
    expect(second).toMatchObject({ level: 2 });
    it.limiter.lift(first);
    expect(await outcome()).toMatchObject({ outcome: 'banned' });
    it.limiter.lift(second);
    expect(await outcome()).not.toMatchObject({ outcome: 'banned' });
  });
});

describe('restoring bans', () => {
  test('keeps a later ban of the key, which can still be lifted', async () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    const first = await provoke(it, key);
    it.clock.advance(5 * MINUTE);
    const second = await provoke(it, key);
    const look = () => it.limiter.peek(holder(key), it.clock.now());
    it.limiter.restore([first], it.clock.now());
    expect(await look()).toMatchObject({ outcome: 'banned', resetIn: 10 * MINUTE });
    it.limiter.lift(second);
    expect(await look()).not.toMatchObject({ outcome: 'banned' });
  });

  test('replaces an earlier ban of the key, in whichever order they are stored', async () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    const first = await provoke(it, key);
    it.clock.advance(5 * MINUTE);
    const second = await provoke(it, key);
    for (const stored of [
      [first, second],
      [second, first],
    ]) {
      const { limiter } = newLimiter();
      limiter.restore(stored, it.clock.now());
      const restored = await limiter.peek(holder(key), it.clock.now());
      expect(restored).toMatchObject({ outcome: 'banned', resetIn: 10 * MINUTE });
    }
  });
});

describe('a request on the clock of a sandbox that is reset before the decision', () => {
  test.each([MINUTE, HOUR, 365 * DAY])(
    '%i ms ahead uses up no minute of the time after the reset',
    async (clockOffset) => {
      const { limiter, clock } = newLimiter();
      const caller = holder(apiKey('acct_1'));
      const now = clock.now();
      await limiter.forget({ id: caller.key.accountId, clockOffset: 0 });
      await limiter.take({ ...caller, clockOffset }, later(now, clockOffset));
      expect(await limiter.take(caller, now)).toMatchObject({ outcome: 'admitted' });
      const refused = await limiter.take(caller, now);
      expect(refused).toMatchObject({ outcome: 'limited', resetIn: MINUTE });
    },
  );
});

test('a request that is decided after a later one counts in the minute which that one started', async () => {
  const { limiter, clock } = newLimiter();
  const caller = { ...holder(apiKey('acct_1')), limits: { perMinute: 2, perDay: 100 } };
  const now = clock.now();
  await limiter.take(caller, later(now, 20 * SECOND));
  expect(await limiter.take(caller, now)).toMatchObject({ outcome: 'admitted', remaining: 0 });
  expect(await limiter.take(caller, now)).toMatchObject({ outcome: 'limited' });
});

test('a reset gives every caller unused windows, and has what was saved of the old ones dropped', async () => {
  const { limiter, clock } = newLimiter();
  const callers = [address(1), holder(apiKey('acct_1'))];
  const now = clock.now();
  for (const caller of callers) await limiter.take(caller, now);
  takeUnsaved(limiter, now);
  limiter.reset();
  const ids = callers.map(({ id }) => id).sort();
  const { changed, dropped } = takeUnsaved(limiter, now);
  expect({ changed, dropped: dropped.toSorted() }).toEqual({ changed: [], dropped: ids });
  for (const caller of callers) {
    expect(await limiter.take({ ...caller }, now)).toMatchObject({ outcome: 'admitted' });
    expect(await limiter.take(caller, now)).toMatchObject({ outcome: 'limited' });
  }
});

describe('pruning', () => {
  test('leaves expired quotas that were saved to the store, which prunes them itself', async () => {
    const { limiter, clock } = newLimiter();
    for (const caller of [address(1), holder(apiKey('acct_1'))]) {
      await limiter.take(caller, clock.now());
    }
    takeUnsaved(limiter, clock.now());
    clock.advance(DAY);
    limiter.pruneExpired(clock.now());
    expect(takeUnsaved(limiter, clock.now())).toEqual({ changed: [], dropped: [] });
  });

  test('drops only expired quotas', async () => {
    const { limiter, clock } = newLimiter();
    const tomorrow = {
      wall: (Math.floor(NOON / DAY) + 1) * DAY,
      elapsed: clock.now().elapsed + DAY / 2,
    };
    const atLast = { wall: tomorrow.wall - SECOND, elapsed: tomorrow.elapsed - SECOND };
    await countAddresses(limiter, 0, 1, clock.now());
    await countAddresses(limiter, 1, 2, atLast);
    limiter.pruneExpired(atLast);
    const { changed } = takeUnsaved(limiter, atLast);
    expect(changed.map(({ caller }) => caller)).toEqual(['address:0', 'address:1']);
    limiter.unsaved.putBack(changed);
    limiter.pruneExpired(tomorrow);
    expect(takeUnsaved(limiter, tomorrow)).toMatchObject({
      changed: [{ caller: 'address:1' }],
      dropped: ['address:0'],
    });
  });

  test('leaves no caller with windows that others of its account do not share', async () => {
    const { limiter, clock } = newLimiter();
    const first = holder(apiKey('acct_1'));
    await limiter.take(first, clock.now());
    clock.advance(DAY);
    limiter.pruneExpired(clock.now());
    expect(await limiter.take(first, clock.now())).toMatchObject({ outcome: 'admitted' });
    const second = holder(apiKey('acct_1'));
    expect(await limiter.take(second, clock.now())).toMatchObject({ outcome: 'limited' });
  });

  test('drops the ban itself: lifting it later clears no newer strikes', async () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    const expired = await provoke(it, key);
    it.clock.advance(10 * MINUTE + DAY);
    it.limiter.pruneExpired(it.clock.now());
    for (const pause of [0, 2 * SECOND]) {
      await it.limiter.take(holder(key), it.clock.now());
      it.clock.advance(pause);
    }
    it.limiter.lift(expired);
    expect(await it.limiter.take(holder(key), it.clock.now())).toMatchObject({ outcome: 'banned' });
  });

  test('keeps the level of a ban for 24 hours after its end, and no longer', async () => {
    const it = newLimiter();
    const key = apiKey('acct_1');
    await provoke(it, key);
    it.clock.advance(5 * MINUTE + DAY - MINUTE);
    it.limiter.pruneExpired(it.clock.now());
    expect((await provoke(it, key)).level).toBe(2);
    it.clock.advance(10 * MINUTE + DAY);
    it.limiter.pruneExpired(it.clock.now());
    expect((await provoke(it, key)).level).toBe(1);
  });
});
