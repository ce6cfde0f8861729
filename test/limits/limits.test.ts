import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { type Clock, DAY, HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { admitted, ask, askTimes } from '../support/limit-readings.ts';

/** Never bans, so that any number of requests may be refused. */
const LENIENT = { PETSTORE_BAN_AFTER: '1000000' };

function limits(perMinute: number, perDay: number) {
  return subscribe('enterprise', { perMinute, perDay });
}

/** Ten seconds before midnight, UTC. */
const LATE = Date.UTC(2027, 0, 2, 23, 59, 50);

/** Advances by fractions of a ms; like on a real machine, its wall clock has whole milliseconds. */
class FractionalClock implements Clock {
  readonly #from = new ManualClock();
  #passed = 0;

  now(): Instant {
    const { wall, elapsed } = this.#from.now();
    return { wall: wall + Math.floor(this.#passed), elapsed: elapsed + this.#passed };
  }

  advance(milliseconds: number): void {
    this.#passed += milliseconds;
  }
}

describe('the minute', () => {
  test('begins with the first request after the last one ended', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(2, 100));

    expect((await ask(service, secret)).minute).toMatchObject({ remaining: 1, resetsIn: 60 });
    clock.advance(90 * SECOND);
    expect((await ask(service, secret)).minute).toMatchObject({ remaining: 1, resetsIn: 60 });
    clock.advance(MINUTE - 1);
    expect((await ask(service, secret)).minute).toMatchObject({ remaining: 0, resetsIn: 1 });
    expect((await ask(service, secret)).status).toBe(429);
    clock.advance(1);
    expect((await ask(service, secret)).minute).toMatchObject({ remaining: 1, resetsIn: 60 });
  });

  test('is not begun by a request that the day refuses', async () => {
    const clock = new ManualClock(LATE - MINUTE);
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(5, 1));

    await ask(service, secret);
    clock.advance(MINUTE);
    expect(await ask(service, secret)).toMatchObject({ status: 429, limit: 1 });
    clock.advance(10 * SECOND);
    expect((await ask(service, secret)).minute).toMatchObject({ remaining: 4, resetsIn: 60 });
  });

  test('has no more than 60 seconds left, also for a request that came before the one that began it', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account(limits(5, 100));
    const { reset } = await ask(service, secret);
    clock.advance(-5);

    const decidedLater = await ask(service, secret);

    expect(decidedLater.minute).toMatchObject({ remaining: 3, resetsIn: 60 });
    expect(decidedLater.reset).toBe(reset);
  });
});

describe('the day', () => {
  test('is the UTC date, and starts afresh at midnight', async () => {
    const clock = new ManualClock(LATE);
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(100, 3));

    expect(admitted(await askTimes(service, 5, secret))).toBe(3);
    clock.advance(9_999);
    expect((await ask(service, secret)).status).toBe(429);
    clock.advance(1);
    expect((await ask(service, secret)).day).toMatchObject({ remaining: 2, resetsIn: 86_400 });
    expect(admitted(await askTimes(service, 5, secret))).toBe(2);
  });

  test('continues across minutes', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(2, 5));

    const perMinute: number[] = [];
    for (let minute = 0; minute < 4; minute += 1) {
      perMinute.push(admitted(await askTimes(service, 4, secret)));
      clock.advance(MINUTE);
    }

    expect(perMinute).toEqual([2, 2, 1, 0]);
  });
});

describe('a refused request', () => {
  test('counts in neither window', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock, settings: LENIENT });
    const { secret } = await service.account(limits(2, 5));

    const answers = await askTimes(service, 10, secret);

    expect(answers.map(({ status }) => status)).toEqual([200, 200, ...Array(8).fill(429)]);
    expect(answers.at(-1)?.day.remaining).toBe(3);
    clock.advance(MINUTE);
    expect(await ask(service, secret)).toMatchObject({ minute: { remaining: 1 } });
    expect(await ask(service, secret)).toMatchObject({ day: { remaining: 1 } });
  });

  test('says rate_limited, and what to do', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { secret } = await service.account(limits(1, 5));

    await ask(service, secret);
    const refused = await service.request('/pets', { key: secret });

    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({
      code: 'rate_limited',
      message: 'Too many requests in this minute. Wait for the seconds in Retry-After, then go on.',
      status: 429,
    });
  });
});

describe('Retry-After', () => {
  const quarters = [0, 0.25, 0.5, 1, 999, 999.75, 1_000, 1_000.25, 59_000.25, 59_999.75];

  test('waited exactly, ends an exhausted minute; a second less does not', async () => {
    for (const pause of quarters) {
      const clock = new FractionalClock();
      await using service = await TestService.start({ clock, settings: LENIENT });
      const { secret } = await service.account(limits(1, 100));
      clock.advance(0.25);

      await ask(service, secret);
      clock.advance(pause);
      const { retryAfter = Number.NaN } = await ask(service, secret);

      expect(retryAfter).toBe(Math.max(1, Math.ceil((MINUTE - pause) / SECOND)));
      clock.advance((retryAfter - 1) * SECOND);
      expect((await ask(service, secret)).status).toBe(429);
      clock.advance(SECOND);
      expect((await ask(service, secret)).status).toBe(200);
    }
  });

  test('waited exactly, ends an exhausted day', async () => {
    for (const beforeMidnight of [1, 999, 1_000, 1_001, 12 * HOUR, DAY]) {
      const clock = new ManualClock(Date.UTC(2027, 0, 3) - beforeMidnight);
      await using service = await TestService.start({ clock, settings: LENIENT });
      const { secret } = await service.account(limits(10, 1));

      await ask(service, secret);
      const { retryAfter = Number.NaN } = await ask(service, secret);

      expect(retryAfter).toBe(Math.ceil(beforeMidnight / SECOND));
      clock.advance(retryAfter * SECOND);
      expect((await ask(service, secret)).status).toBe(200);
    }
  });

  test('shows the later reset when both windows are exhausted', async () => {
    for (const beforeMidnight of [10 * SECOND, 10 * HOUR]) {
      const clock = new ManualClock(Date.UTC(2027, 0, 3) - beforeMidnight);
      await using service = await TestService.start({ clock, settings: LENIENT });
      const { secret } = await service.account(limits(2, 2));

      await askTimes(service, 2, secret);
      const refused = await ask(service, secret);

      const later = Math.max(MINUTE, beforeMidnight) / SECOND;
      expect(refused).toMatchObject({ retryAfter: later, limit: 2, remaining: 0 });
      clock.advance((later - 1) * SECOND);
      expect((await ask(service, secret)).status).toBe(429);
      clock.advance(SECOND);
      expect((await ask(service, secret)).status).toBe(200);
    }
  });
});

describe('the caller that a request counts for', () => {
  test('more keys of an account do not buy more quota', async () => {
    await using service = await TestService.start({ clock: new ManualClock(), settings: LENIENT });
    const { account, secret } = await service.account(limits(5, 100));
    const second = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'production',
        name: 'second',
      },
      'test',
    );

    expect(admitted(await askTimes(service, 4, secret))).toBe(4);
    expect(admitted(await askTimes(service, 4, second.text))).toBe(1);
  });

  test('accounts do not share quota', async () => {
    await using service = await TestService.start({ clock: new ManualClock(), settings: LENIENT });
    const one = await service.account(limits(2, 100));
    const other = await service.account(limits(2, 100));

    expect(admitted(await askTimes(service, 3, one.secret))).toBe(2);
    expect(admitted(await askTimes(service, 3, other.secret))).toBe(2);
  });

  test('environments count apart', async () => {
    await using service = await TestService.start({ clock: new ManualClock(), settings: LENIENT });
    const { account, secret } = await service.account(limits(2, 100));
    const staging = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'staging',
        name: 'staging',
      },
      'test',
    );
    const onStaging = { key: staging.text, environment: 'staging' } as const;

    expect(admitted(await askTimes(service, 3, secret))).toBe(2);
    expect((await service.request('/pets', onStaging)).status).toBe(200);
    expect((await service.request('/pets', onStaging)).status).toBe(200);
    expect((await service.request('/pets', onStaging)).status).toBe(429);
  });

  test('with a key, what is refused for its path, method or body counts as well', async () => {
    await using service = await TestService.start({ clock: new ManualClock(), settings: LENIENT });
    const { secret } = await service.account(limits(100, 1_000));

    const replies = [
      await service.request('/nowhere', { key: secret }),
      await service.request('/pets', { key: secret, method: 'DELETE' }),
      await service.request('/pets?limit=0', { key: secret }),
      await service.post(secret, '{'),
      await service.request('/pets', { key: secret, method: 'OPTIONS' }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([404, 405, 400, 400, 204]);
    expect((await ask(service, secret)).minute.remaining).toBe(94);
  });

  test('neither a preflight nor the OpenAPI document counts', async () => {
    await using service = await TestService.start({
      clock: new ManualClock(),
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '3' },
    });
    const preflight = {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' },
    };

    for (let round = 0; round < 5; round += 1) {
      expect((await service.request('/pets', preflight)).status).toBe(204);
      expect((await service.request('/openapi.json')).status).toBe(200);
    }
    expect(await ask(service)).toMatchObject({ status: 401, remaining: 2 });
    expect((await service.request('/openapi.json')).headers.get('X-RateLimit-Remaining')).toBe('2');
  });

  test('the OpenAPI document is answered past the limit, too', async () => {
    await using service = await TestService.start({
      clock: new ManualClock(),
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '1' },
    });

    await ask(service);
    expect((await ask(service)).status).toBe(429);
    const document = await service.request('/openapi.json');

    expect(document.status).toBe(200);
    expect(document.headers.get('X-RateLimit-Remaining')).toBe('0');
    expect(document.headers.has('Retry-After')).toBe(false);
  });
});
