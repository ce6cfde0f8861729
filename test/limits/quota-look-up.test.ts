import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { QuotaCaller } from '../../src/core/limits/limiter.ts';
import type { Limits } from '../../src/core/limits/plans.ts';
import type { SavedQuota } from '../../src/core/limits/quota.ts';
import { addQuotas, isQuotaExpired } from '../../src/core/limits/quota.ts';
import { DAY, HOUR, type Instant, later, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { MemoryLimiter } from '../../src/limits/memory/limiter.ts';
import { SavedQuotas } from '../../src/limits/memory/saved-quotas.ts';
import { ManualClock } from '../support/harness.ts';
import { ModelAccount } from './limit-model.ts';
import { takeUnsaved } from './unsaved.ts';

/** A quota store like one across a network: its look-ups are asynchronous. */
class SlowQuotaStore {
  readonly rows = new Map<string, SavedQuota>();
  lookUps = 0;
  isUnavailable = false;

  async find(caller: string): Promise<SavedQuota | undefined> {
    this.lookUps += 1;
    const row = this.rows.get(caller);
    await Promise.resolve();
    if (this.isUnavailable) throw new StorageUnavailable(new Error('unavailable'));
    return row;
  }

  /** Stores the unsaved quotas of the limiter. */
  save(limiter: MemoryLimiter, now: Instant): void {
    const { changed, dropped } = takeUnsaved(limiter, now);
    for (const quota of changed) this.rows.set(quota.caller, quota);
    for (const caller of dropped) this.rows.delete(caller);
  }

  prune({ wall }: Instant): void {
    for (const { caller, day, minuteEndsAt } of this.rows.values()) {
      if (day < Math.floor(wall / DAY) && minuteEndsAt <= wall) this.rows.delete(caller);
    }
  }
}

function limiterOn(store: SlowQuotaStore, now: Instant): MemoryLimiter {
  return new MemoryLimiter({
    environment: 'production',
    policy: { after: 1_000, base: MINUTE, maximum: DAY },
    saved: new SavedQuotas(store, now),
    onBan: () => {},
  });
}

const LIMITS = { perMinute: 5, perDay: 12 };

function caller(index: number, limits: Limits = LIMITS) {
  const id = index % 2 ? `address:${index}` : `account:acct_${String(index).padStart(32, '0')}`;
  return { id, limits, key: undefined };
}

function accountOf({ id, clockOffset = 0 }: QuotaCaller) {
  return { id: id.slice('account:'.length), clockOffset };
}

async function takeAtOnce(
  limiter: MemoryLimiter,
  asking: QuotaCaller,
  times: number,
  now: Instant,
): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, () => limiter.take(asking, now)));
  return results.filter(({ outcome }) => outcome === 'admitted').length;
}

const happenings = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ who: fc.nat(3), times: fc.integer({ min: 1, max: 9 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ pass: fc.constantFrom(1, SECOND, 40 * SECOND, MINUTE, HOUR) }),
    },
    { weight: 2, arbitrary: fc.constantFrom<Happening>('restart', 'tidy up', 'save') },
  ),
  { maxLength: 40 },
);

type Happening =
  | { readonly who: number; readonly times: number }
  | { readonly pass: number }
  | 'restart'
  | 'tidy up'
  | 'save';

/** Successive processes on one store, compared with a naive model. */
class Succession {
  readonly #store = new SlowQuotaStore();
  readonly #models = Array.from({ length: 4 }, () => new ModelAccount(LIMITS));
  #moment: Instant = { wall: Date.UTC(2027, 0, 2, 23, 30), elapsed: 5_000_000 };
  /** Each process counts elapsed time from its own start. */
  #startedAt = 0;
  #limiter = limiterOn(this.#store, this.#now());

  async follow(step: Happening): Promise<void> {
    if (step === 'restart') this.#restart();
    else if (step === 'save') this.#store.save(this.#limiter, this.#now());
    else if (step === 'tidy up') this.#pruneExpired();
    else if ('pass' in step) {
      const { wall, elapsed } = this.#moment;
      this.#moment = { wall: wall + step.pass, elapsed: elapsed + step.pass };
    } else await this.#ask(step.who, step.times);
  }

  #now(): Instant {
    return { wall: this.#moment.wall, elapsed: this.#moment.elapsed - this.#startedAt };
  }

  #restart(): void {
    this.#store.save(this.#limiter, this.#now());
    this.#startedAt = this.#moment.elapsed - 1_000;
    this.#limiter = limiterOn(this.#store, this.#now());
  }

  #pruneExpired(): void {
    this.#limiter.pruneExpired(this.#now());
    this.#store.prune(this.#now());
  }

  async #ask(who: number, times: number): Promise<void> {
    const model = this.#models[who];
    const expected = Array.from({ length: times }, () => model?.take(this.#moment));
    const taken = await takeAtOnce(this.#limiter, caller(who), times, this.#now());
    expect(taken).toBe(expected.filter(Boolean).length);
  }
}

describe('quotas that are looked up', () => {
  test('agree with a naive model across restarts, tidying and midnight', async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async (steps) => {
        const succession = new Succession();
        for (const step of steps) await succession.follow(step);
      }),
      { numRuns: 300 },
    );
  });

  test('are asked for once, whatever comes meanwhile: requests that count, and looks', async () => {
    const store = new SlowQuotaStore();
    const clock = new ManualClock();
    const limiter = limiterOn(store, clock.now());
    const looks = Array.from({ length: 3 }, () => limiter.peek(caller(0), clock.now()));
    expect(await takeAtOnce(limiter, caller(0), 9, clock.now())).toBe(5);
    expect((await Promise.all(looks)).map(({ minute }) => minute.remaining)).toEqual([5, 5, 5]);
    expect(store.lookUps).toBe(1);
  });
});

describe('quotas that cannot be read just now', () => {
  /** A caller that used three of five requests in an earlier process. */
  async function usedThree(user: QuotaCaller = caller(1)) {
    const store = new SlowQuotaStore();
    const clock = new ManualClock();
    const before = limiterOn(store, clock.now());
    await takeAtOnce(before, { ...user }, 3, later(clock.now(), user.clockOffset ?? 0));
    store.save(before, clock.now());
    const kept = store.rows.get(user.id);
    store.isUnavailable = true;
    return { store, clock, kept, limiter: limiterOn(store, clock.now()) };
  }

  test('are counted from nothing, and neither saved nor written over', async () => {
    const { store, clock, kept, limiter } = await usedThree();
    expect(await takeAtOnce(limiter, caller(1), 1, clock.now())).toBe(1);
    await expect(limiter.readUnread(clock.now())).rejects.toBeInstanceOf(StorageUnavailable);
    store.save(limiter, clock.now());
    expect(store.rows.get(caller(1).id)).toEqual(kept);
  });

  test('keep none from being saved that are known', async () => {
    const { store, clock, limiter } = await usedThree();
    await takeAtOnce(limiter, caller(1), 1, clock.now());
    store.isUnavailable = false;
    await takeAtOnce(limiter, caller(2), 1, clock.now());
    const { changed } = takeUnsaved(limiter, clock.now(), 1);
    expect(changed).toMatchObject([{ caller: caller(2).id, dayUsed: 1 }]);
  });

  test('have what is kept added once it can be read, and are saved then', async () => {
    const { store, clock, limiter } = await usedThree();
    await takeAtOnce(limiter, caller(1), 1, clock.now());
    store.save(limiter, clock.now());
    store.isUnavailable = false;
    await limiter.readUnread(clock.now());
    await limiter.readUnread(clock.now());
    store.save(limiter, clock.now());
    expect(store.rows.get(caller(1).id)).toMatchObject({ minuteUsed: 4, dayUsed: 4 });
    expect(await takeAtOnce(limiter, caller(1), 3, clock.now())).toBe(1);
  });

  test.each([
    [0, 0, 4],
    [DAY, 0, 4],
    [DAY, MINUTE, 1],
  ])(
    'are not added to numbers that were set meanwhile, on a clock %i ms ahead, %i ms later',
    async (clockOffset, pause, minuteUsed) => {
      const user = { ...caller(0), clockOffset };
      const { store, clock, limiter } = await usedThree(user);
      clock.advance(pause);
      const moment = later(clock.now(), clockOffset);
      const set = (day: number) => limiter.setUsed(accountOf(user), { day }, moment);
      await limiter.take(user, moment);
      await expect(set(7)).rejects.toBeInstanceOf(StorageUnavailable);
      store.isUnavailable = false;
      for (const day of [7, 8]) {
        await set(day);
        await limiter.readUnread(clock.now());
        store.save(limiter, clock.now());
        expect(store.rows.get(user.id)).toMatchObject({ minuteUsed, dayUsed: day });
      }
    },
  );

  test('are not added to an account whose quota was cleared meanwhile', async () => {
    const user = caller(0);
    const { store, clock, limiter } = await usedThree(user);
    for (const saved of [3, 1]) {
      await limiter.take(user, clock.now());
      store.save(limiter, clock.now());
      expect(store.rows.get(user.id)).toMatchObject({ dayUsed: saved });
      await limiter.forget(accountOf(user));
      store.isUnavailable = false;
      await limiter.readUnread(clock.now());
      store.save(limiter, clock.now());
      expect(store.rows.get(user.id)).toMatchObject({ minuteUsed: 0, dayUsed: 0 });
    }
  });

  test('leave nothing to be saved when numbers are set while the environment is reset', async () => {
    const user = caller(0);
    const { store, clock, limiter } = await usedThree(user);
    await limiter.take(user, clock.now());
    store.isUnavailable = false;
    const setting = limiter.setUsed(accountOf(user), { day: 7 }, clock.now());
    limiter.reset();
    await setting;
    expect(limiter.unsaved.size).toBe(0);
    expect((await limiter.peek(user, clock.now())).day.remaining).toBe(LIMITS.perDay);
  });

  test('are added once when their caller was evicted and returned in the meantime', async () => {
    const { store, clock, limiter } = await usedThree();
    await limiter.peek(caller(1), clock.now());
    limiter.pruneExpired({ wall: clock.now().wall + DAY, elapsed: clock.now().elapsed + DAY });
    store.isUnavailable = false;
    await limiter.take(caller(1), clock.now());
    await limiter.readUnread(clock.now());
    expect((await limiter.peek(caller(1), clock.now())).minute.remaining).toBe(1);
  });
});

describe('two counts of one caller', () => {
  const moment = { wall: 100 * DAY, elapsed: 10 * MINUTE };
  const windows = (minuteEndsAt: number, day: number) => ({
    minuteEndsAt,
    minuteUsed: 2,
    day,
    dayUsed: 3,
  });

  test('add up in the minutes that are not over, and in the later of their days', () => {
    const running = windows(moment.elapsed + 1, 100);
    const over = windows(moment.elapsed, 99);
    expect(addQuotas(running, running, moment)).toMatchObject({ minuteUsed: 4, dayUsed: 6 });
    expect(addQuotas(over, running, moment)).toEqual(running);
    expect(addQuotas(running, over, moment)).toEqual(running);
    expect(isQuotaExpired(addQuotas(over, over, moment), moment)).toBe(true);
  });
});
