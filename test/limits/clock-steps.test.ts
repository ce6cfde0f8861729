import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR, MINUTE, SECOND, systemClock } from '../../src/lib/clock.ts';
import { banScene, provokeBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { admitted, ask, askTimes } from '../support/limit-readings.ts';

const LENIENT = { PETSTORE_BAN_AFTER: '1000000' };
const MIDNIGHT = Date.UTC(2027, 0, 3);

/** Moments at which a clock step of an hour is an edge case, in ms from midnight. */
const MOMENTS: Readonly<Record<string, number>> = {
  noon: -12 * HOUR,
  'half an hour before midnight': -HOUR / 2,
  'the last ms of a day': -1,
  midnight: 0,
  'half an hour after midnight': HOUR / 2,
};

function limits(perMinute: number, perDay: number) {
  return subscribe('enterprise', { perMinute, perDay });
}

describe('a step of the clock', () => {
  for (const [moment, offset] of Object.entries(MOMENTS)) {
    for (const step of [HOUR, -HOUR]) {
      const name = `an hour ${step > 0 ? 'forth' : 'back'} at ${moment}`;

      test(`${name} changes nothing about an exhausted minute`, async () => {
        const clock = new ManualClock(MIDNIGHT + offset);
        await using service = await TestService.start({ clock, settings: LENIENT });
        const { secret } = await service.account(limits(3, 1_000));
        expect(admitted(await askTimes(service, 5, secret))).toBe(3);

        clock.advance(20 * SECOND);
        clock.step(step);
        const refused = await ask(service, secret);

        expect(refused).toMatchObject({ status: 429, retryAfter: 40, limit: 3 });
        expect(refused.reset).toBe(Math.ceil((clock.now().wall + 40 * SECOND) / SECOND));
        clock.step(-step);
        expect((await ask(service, secret)).retryAfter).toBe(40);
        clock.advance(40 * SECOND);
        expect(admitted(await askTimes(service, 5, secret))).toBe(3);
      });

      test(`${name} and then the other way never serves a day twice`, async () => {
        const clock = new ManualClock(MIDNIGHT + offset);
        await using service = await TestService.start({ clock, settings: LENIENT });
        const { secret } = await service.account(limits(100, 4));
        const dates = new Set<number>();
        let total = 0;

        for (const move of [0, step, -step, step, -step]) {
          clock.step(move);
          dates.add(Math.floor(clock.now().wall / (24 * HOUR)));
          const answers = await askTimes(service, 6, secret);
          total += admitted(answers);
          expect(answers.at(-1)?.retryAfter).toBeGreaterThanOrEqual(1);
          expect(answers.at(-1)?.reset).toBeGreaterThan(clock.now().wall / SECOND);
        }

        expect(total).toBeLessThanOrEqual(4 * dates.size);
      });

      test(`${name} neither ends a ban early nor prolongs it`, async () => {
        const clock = new ManualClock(MIDNIGHT + offset);
        await using it = await banScene({ PETSTORE_BAN_AFTER: '1' }, clock);
        await provokeBan(it, 1);

        clock.step(step);
        expect((await ask(it.service, it.secret)).retryAfter).toBe(300);
        clock.advance(300 * SECOND - 1);
        const last = await ask(it.service, it.secret);
        expect(last).toMatchObject({ code: 'api_key_banned', retryAfter: 1 });
        clock.advance(1);
        expect((await ask(it.service, it.secret)).status).toBe(200);
      });
    }
  }

  test('back over midnight leaves the later day in force, to its own end', async () => {
    const clock = new ManualClock(MIDNIGHT + 10 * MINUTE);
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(100, 2));
    await askTimes(service, 2, secret);

    clock.step(-HOUR);
    const refused = await ask(service, secret);

    expect(refused).toMatchObject({ status: 429, limit: 2, reset: (MIDNIGHT + 24 * HOUR) / 1_000 });
    clock.advance((refused.retryAfter ?? Number.NaN) * SECOND - 1);
    expect((await ask(service, secret)).status).toBe(429);
    clock.advance(1);
    expect((await ask(service, secret)).status).toBe(200);
  });

  test('back by days does not lock anyone out', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(100, 2));
    await askTimes(service, 3, secret);

    clock.step(-48 * HOUR);

    expect((await ask(service, secret)).status).toBe(200);
  });

  test('back during a restart makes no minute longer than a minute, no ban longer', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_BAN_AFTER: '1' };
    await using it = await banScene(settings, clock);
    const { secret: other } = await it.service.account(limits(1, 100));
    await ask(it.service, other);
    await provokeBan(it, 1);
    await it.service.stop();
    clock.step(-HOUR);

    const folder = it.service.folder.path;
    await using next = await TestService.start({ clock, settings, folder });

    expect((await ask(next, other)).retryAfter).toBeLessThanOrEqual(60);
    expect((await ask(next, it.secret)).retryAfter).toBe(300);
  });
});

describe("the machine's clock", () => {
  test('adds and subtracts without rounding, so that no wait grows by a fraction', () => {
    const year = 365 * 24 * HOUR;
    for (let sample = 0; sample < 1_000; sample += 1) {
      const { elapsed } = systemClock.now();
      for (const wait of [MINUTE, HOUR, year, 9 * year]) {
        expect(elapsed + wait - elapsed).toBe(wait);
        expect(elapsed + wait - wait).toBe(elapsed);
      }
    }
  });

  test('never goes back', () => {
    let last = systemClock.now().elapsed;
    for (let sample = 0; sample < 10_000; sample += 1) {
      const { elapsed } = systemClock.now();
      expect(elapsed).toBeGreaterThanOrEqual(last);
      last = elapsed;
    }
  });
});

test('a step of 25 hours forgets idempotency keys: a repeated creation adds a second animal', async () => {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock });
  const { secret } = await service.account();
  const create = async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const reply = await service.post(secret, { name: 'Rex', categoryId: 1 }, headers);
    return [reply.status, reply.headers.get('Idempotent-Replayed')];
  };
  expect(await create()).toEqual([201, null]);
  clock.step(HOUR);
  expect(await create()).toEqual([201, 'true']);
  clock.step(25 * HOUR);
  expect(await create()).toEqual([201, null]);
  expect(await (await service.request('/pets', { key: secret })).json()).toHaveLength(2);
});
