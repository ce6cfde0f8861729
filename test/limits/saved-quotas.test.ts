import { Database } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR, SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { admitted, ask, askTimes } from '../support/limit-readings.ts';

const FIVE = subscribe('enterprise', { perMinute: 5, perDay: 100 });

describe('a start', () => {
  test('reads no quota; each is read once, when its caller first asks', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(FIVE);
    await askTimes(first, 2, secret);
    await first.stop();

    const asked = spyOn(Database.prototype, 'query');
    const readings = () => asked.mock.calls.filter(([sql]) => /FROM quotas/.test(String(sql)));
    await using second = await TestService.start({ clock, folder: first.folder.path });
    expect(readings()).toEqual([]);
    expect((await ask(second, secret)).minute.remaining).toBe(2);
    expect((await ask(second, secret)).minute.remaining).toBe(1);
    expect(readings()).toHaveLength(1);
    asked.mockRestore();
  });
});

describe('a quota that the last process kept', () => {
  test('has exactly what is left of it admitted to many first requests at once', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(subscribe('enterprise', { perMinute: 50, perDay: 900 }));
    await askTimes(first, 20, secret);
    await first.stop();

    await using second = await TestService.start({ clock, folder: first.folder.path });
    const answers = await Promise.all(Array.from({ length: 90 }, () => ask(second, secret)));
    expect(admitted(answers)).toBe(30);
  });

  for (const step of [HOUR, -HOUR]) {
    test(`keeps its minute when the clock is set by ${step / HOUR} h before its caller asks`, async () => {
      const clock = new ManualClock();
      await using first = await TestService.start({ clock });
      const { secret } = await first.account(FIVE);
      await askTimes(first, 4, secret);
      await first.stop();
      clock.advance(10 * SECOND);

      await using second = await TestService.start({ clock, folder: first.folder.path });
      clock.step(step);
      clock.advance(10 * SECOND);
      expect((await ask(second, secret)).minute).toMatchObject({ remaining: 0, resetsIn: 40 });
      expect((await ask(second, secret)).status).toBe(429);
      clock.advance(40 * SECOND);
      expect((await ask(second, secret)).minute).toMatchObject({ remaining: 4, resetsIn: 60 });
    });
  }

  test('is not written over by a process that has not read it', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const [one, other] = [await first.account(FIVE), await first.account(FIVE)];
    await askTimes(first, 3, one.secret);
    await askTimes(first, 3, other.secret);
    await first.stop();
    const { path: folder } = first.folder;
    await using second = await TestService.start({ clock, folder });
    await ask(second, one.secret);
    await second.runJobs('prune expired rows');
    await second.stop();

    await using third = await TestService.start({ clock, folder });
    expect((await ask(third, one.secret)).day.remaining).toBe(95);
    expect((await ask(third, other.secret)).day.remaining).toBe(96);
  });
});
