import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { rateLimitField } from '../../src/http/reply/reply.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

const NOON = Date.UTC(2027, 0, 2, 12);

function limits(perMinute: number, perDay: number) {
  return subscribe('enterprise', { perMinute, perDay });
}

describe('X-RateLimit-*', () => {
  test('are of the window with fewer requests remaining', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(limits(3, 4));

    expect(await ask(service, secret)).toMatchObject({ limit: 3, remaining: 2 });
    clock.advance(MINUTE);
    const day = await ask(service, secret);

    expect(day).toMatchObject({ limit: 3, remaining: 2, reset: NOON / 1_000 + 120 });
    clock.advance(MINUTE);
    const fewer = await ask(service, secret);
    expect(fewer).toMatchObject({ limit: 4, remaining: 1, reset: Date.UTC(2027, 0, 3) / 1_000 });
  });

  test('are of the minute on a tie', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { secret } = await service.account(limits(3, 3));

    expect(await ask(service, secret)).toMatchObject({
      limit: 3,
      remaining: 2,
      reset: NOON / 1_000 + 60,
    });
  });

  test('are of the exhausted window on a refusal', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(limits(2, 3));
    await ask(service, secret);
    await ask(service, secret);

    const minute = await ask(service, secret);
    clock.advance(MINUTE);
    await ask(service, secret);
    const day = await ask(service, secret);

    expect(minute).toMatchObject({ status: 429, limit: 2, remaining: 0, retryAfter: 60 });
    expect(day).toMatchObject({ status: 429, limit: 3, remaining: 0 });
    expect(day.reset).toBe(Date.UTC(2027, 0, 3) / 1_000);
  });

  test('round the reset up to whole seconds', async () => {
    for (const [milliseconds, later] of [
      [0, 60],
      [1, 61],
      [999, 61],
      [1_000, 61],
    ] as const) {
      const clock = new ManualClock(NOON + milliseconds);
      await using service = await TestService.start({ clock });
      const { secret } = await service.account(limits(5, 100));

      expect((await ask(service, secret)).reset).toBe(NOON / 1_000 + later);
    }
  });
});

describe('the IETF headers', () => {
  test('are written exactly so', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(subscribe('free'));
    await ask(service, secret);
    clock.advance(17_500);

    const { headers } = await service.request('/pets', { key: secret });

    expect(headers.get('RateLimit-Policy')).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
    expect(headers.get('RateLimit')).toBe('"minute";r=58;t=43, "day";r=998;t=43183');
    expect(headers.get('X-RateLimit-Limit')).toBe('60');
    expect(headers.get('X-RateLimit-Remaining')).toBe('58');
    expect(headers.get('X-RateLimit-Reset')).toBe(String(NOON / 1_000 + 60));
    expect(headers.has('Retry-After')).toBe(false);
  });

  test('are of whoever asks, also where only the limit of the day differs', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const one = await service.account(limits(60, 1_000));
    const other = await service.account(limits(60, 2_000));

    for (const [{ secret }, perDay] of [
      [one, 1_000],
      [other, 2_000],
      [one, 1_000],
    ] as const) {
      const { headers } = await service.request('/pets', { key: secret });
      const policy = `"minute";q=60;w=60, "day";q=${perDay};w=86400`;
      expect(headers.get('RateLimit-Policy')).toBe(policy);
    }
  });

  test('the shipped client reads both windows from them', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(subscribe('pro'));
    const client = service.client(secret, { now: () => clock.now().wall });

    await client.listPets();

    expect(client.rateLimit).toEqual({
      limit: 300,
      remaining: 299,
      resetAt: new Date(NOON + MINUTE),
      windows: [
        {
          name: 'minute',
          limit: 300,
          windowMs: 60_000,
          remaining: 299,
          resetAt: new Date(NOON + MINUTE),
        },
        {
          name: 'day',
          limit: 10_000,
          windowMs: 86_400_000,
          remaining: 9_999,
          resetAt: new Date(Date.UTC(2027, 0, 3)),
        },
      ],
    });
  });
});

test('RateLimit gives no minute more than 60 s, even for a request that was decided after a later one', () => {
  const minute = { limit: 3, remaining: 2, resetIn: MINUTE + 5 * SECOND };
  const day = { limit: 9, remaining: 8, resetIn: 5 * MINUTE + 1 };
  expect(rateLimitField(minute, day)).toBe('"minute";r=2;t=60, "day";r=8;t=301');
});
