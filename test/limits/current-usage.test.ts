import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import { currentUsageFrom } from '../../src/limits/current-usage.ts';
import { MemoryLimiter } from '../../src/limits/memory/limiter.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

test('current usage without a limiter shows no minute longer than one, after a clock was set back', async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock });
  const { account, secret } = await service.account(subscribe('free'));
  await ask(service, secret);
  await service.runJobs('save production quotas');
  clock.step(-HOUR);
  const usage = await currentUsageFrom(new Map(), service.stores, clock)(account, 'production');
  expect(usage.minute).toEqual({ limit: 60, remaining: 59, resetsAt: clock.now().wall + MINUTE });
});

test.each([0, 499.75, 999.25, 999.75])(
  'the moment of a reset stays the same from one reading to the next, %p ms after a second',
  async (phase) => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { account } = await service.account(subscribe('free'));
    let passed = 0;
    const ticking = {
      // The wall clock has whole milliseconds, the elapsed time has fractions.
      now: () => {
        passed += 0.25;
        const time = 1_800_000_000_000 + phase + passed;
        return { wall: Math.floor(time), elapsed: 7_777.5 + phase + passed };
      },
    };
    const limiter = new MemoryLimiter({
      environment: 'production',
      policy: { after: 10, base: 1, maximum: 1 },
      onBan: () => {},
    });
    const caller = { id: `account:${account.id}`, limits: account.limits, key: undefined };
    await limiter.take(caller, ticking.now());
    const limiters = new Map([['production', limiter] as const]);
    const read = currentUsageFrom(limiters, service.stores, ticking);
    const first = await read(account, 'production');
    expect(first.minute.remaining).toBe(59);
    for (let reading = 0; reading < 20; reading += 1) {
      expect(await read(account, 'production')).toEqual(first);
    }
  },
);
