import { describe, expect, test } from 'bun:test';
import { rejection } from '../../client/testing/test-client.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { banLengths, banScene, provokeBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask, askTimes } from '../support/limit-readings.ts';

describe('a ban', () => {
  for (const after of [1, 2, 25]) {
    test(`comes with refusal ${after} when PETSTORE_BAN_AFTER says so`, async () => {
      await using it = await banScene({ PETSTORE_BAN_AFTER: String(after) });
      await provokeBan(it, after);
    });
  }

  test('comes with the tenth refusal after the grace, and lasts 300 seconds', async () => {
    await using it = await banScene();

    const banned = await provokeBan(it, 10);

    expect(banned).toMatchObject({ status: 429, retryAfter: 300, remaining: 0 });
    expect(banned.reset).toBe(it.clock.now().wall / SECOND + 300);
    it.clock.advance(299 * SECOND);
    const later = await ask(it.service, it.secret);
    expect(later).toMatchObject({ code: 'api_key_banned', retryAfter: 1, reset: banned.reset });
    it.clock.advance(SECOND);
    expect((await ask(it.service, it.secret)).status).toBe(200);
  });

  test('reads as such in the shipped client', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    await provokeBan(it, 1);

    const error = await rejection(it.service.client(it.secret).listPets());

    expect(error).toMatchObject({
      code: 'api_key_banned',
      status: 429,
      retryAfterMs: 300_000,
    });
  });

  test('does not come of what was in flight: refusals within 2 seconds are forgiven', async () => {
    await using it = await banScene();
    await askTimes(it.service, 2, it.secret);

    it.clock.advance(2 * SECOND - 1);
    const forgiven = await askTimes(it.service, 50, it.secret);
    it.clock.advance(1);
    const counted = await askTimes(it.service, 9, it.secret);

    const codes = new Set([...forgiven, ...counted].map(({ code }) => code));
    expect([...codes]).toEqual(['rate_limited']);
    expect((await ask(it.service, it.secret)).code).toBe('api_key_banned');
  });

  test('does not come of refusals in different windows', async () => {
    await using it = await banScene();

    for (let minute = 0; minute < 5; minute += 1) {
      await askTimes(it.service, 2, it.secret);
      it.clock.advance(3 * SECOND);
      const refused = await askTimes(it.service, 9, it.secret);
      expect(refused.at(-1)?.code).toBe('rate_limited');
      it.clock.advance(MINUTE);
    }
  });

  test('hits the key, not the account', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    const other = await it.service.stores.apiKeyService.issue(
      it.account,
      {
        environment: 'production',
        name: 'other',
      },
      'test',
    );
    await provokeBan(it, 1);

    expect((await ask(it.service, other.text)).code).toBe('rate_limited');
    it.clock.advance(MINUTE);
    expect((await ask(it.service, other.text)).status).toBe(200);
    expect((await ask(it.service, it.secret)).code).toBe('api_key_banned');
  });

  test('is not extended by requests, which take no quota either', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    await provokeBan(it, 1);

    it.clock.advance(200 * SECOND);
    const during = await askTimes(it.service, 30, it.secret);
    expect(during.every(({ retryAfter }) => retryAfter === 100)).toBe(true);
    expect(during.at(-1)?.minute).toMatchObject({ remaining: 1, resetsIn: 60 });
    it.clock.advance(100 * SECOND);
    expect((await ask(it.service, it.secret)).status).toBe(200);
  });

  test('never hits an address, however often it is refused', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_BAN_AFTER: '1', PETSTORE_ANONYMOUS_PER_MINUTE: '1' };
    await using service = await TestService.start({ clock, settings });
    await askTimes(service, 2);
    clock.advance(3 * SECOND);

    const refused = await askTimes(service, 30);

    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['rate_limited']));
    clock.advance(MINUTE);
    expect((await ask(service)).status).toBe(401);
  });

  test('sends clients past an exhausted window that resets later than it ends', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1', PETSTORE_BAN_SECONDS: '1' });

    const banned = await provokeBan(it, 1);

    expect(banned.retryAfter).toBe(58);
    it.clock.advance(58 * SECOND);
    expect((await ask(it.service, it.secret)).status).toBe(200);
  });

  test('in an exhausted day sends clients to midnight', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: { PETSTORE_BAN_AFTER: '1' } });
    const { secret } = await service.account(subscribe('enterprise', { perMinute: 10, perDay: 1 }));
    await askTimes(service, 2, secret);
    clock.advance(2 * SECOND);

    const banned = await ask(service, secret);

    expect(banned).toMatchObject({ code: 'api_key_banned', limit: 1 });
    expect(banned.retryAfter).toBe((12 * HOUR) / SECOND - 2);
    clock.advance(12 * HOUR - 2 * SECOND);
    expect((await ask(service, secret)).status).toBe(200);
  });
});

describe('the length of a ban', () => {
  test('doubles, up to 24 hours', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });

    expect(await banLengths(it, 11)).toEqual([
      300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 76_800, 86_400, 86_400,
    ]);
  });

  test('follows PETSTORE_BAN_SECONDS and PETSTORE_BAN_MAX_SECONDS', async () => {
    await using it = await banScene({
      PETSTORE_BAN_AFTER: '1',
      PETSTORE_BAN_SECONDS: '100',
      PETSTORE_BAN_MAX_SECONDS: '250',
    });

    expect(await banLengths(it, 4)).toEqual([100, 200, 250, 250]);
  });

  test('doubles within 24 hours of the last one, and starts afresh after them', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });

    expect(await banLengths(it, 1)).toEqual([300]);
    // The ban begins 2 s after the first request, because of the grace.
    it.clock.advance(DAY - 2 * SECOND - 1);
    expect(await banLengths(it, 1)).toEqual([600]);
    it.clock.advance(DAY - 2 * SECOND);
    expect(await banLengths(it, 2)).toEqual([300, 600]);
  });
});
