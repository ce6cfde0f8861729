import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { PLAN_NAMES, subscribe } from '../../src/core/limits/plans.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

describe('the published plans', () => {
  for (const [plan, perMinute, perDay] of [
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const) {
    test(`${plan} has ${perMinute} a minute and ${perDay} a day`, async () => {
      await using service = await TestService.start({ clock: new ManualClock() });
      const { secret } = await service.account(subscribe(plan));

      const { headers } = await service.request('/pets', { key: secret });

      expect(headers.get('X-RateLimit-Limit')).toBe(String(perMinute));
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(perMinute - 1));
      expect(headers.get('RateLimit-Policy')).toBe(
        `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`,
      );
      expect(headers.get('RateLimit')).toBe(
        `"minute";r=${perMinute - 1};t=60, "day";r=${perDay - 1};t=43200`,
      );
    });
  }

  test('enterprise has the numbers stored with each account', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const one = await service.account(subscribe('enterprise', { perMinute: 7, perDay: 9_999 }));
    const other = await service.account(subscribe('enterprise', { perMinute: 5_000, perDay: 8 }));

    expect(await ask(service, one.secret)).toMatchObject({
      minute: { quota: 7, remaining: 6 },
      day: { quota: 9_999, remaining: 9_998 },
    });
    expect(await ask(service, other.secret)).toMatchObject({
      minute: { quota: 5_000 },
      day: { quota: 8, remaining: 7 },
      limit: 8,
      remaining: 7,
    });
  });

  test('are these four', () => {
    expect(PLAN_NAMES).toEqual(['free', 'pro', 'business', 'enterprise']);
  });
});

describe('a plan', () => {
  for (const name of ['platinum', '', 'Free', 'free ', 'constructor', '__proto__', 'toString']) {
    test(`named "${name}" is an error, never Free`, () => {
      expect(() => subscribe(name)).toThrow(`Unknown plan "${name}".`);
    });
  }

  test('of fixed limits takes no others', () => {
    for (const plan of ['free', 'pro', 'business']) {
      expect(() => subscribe(plan, { perMinute: 1, perDay: 1 })).toThrow(/fixed limits/);
      expect(() => subscribe(plan, { perDay: 5_000 })).toThrow(/fixed limits/);
    }
  });

  test('of agreed limits needs both, as whole numbers of at least 1', () => {
    for (const limits of [
      undefined,
      {},
      { perMinute: 1 },
      { perDay: 1 },
      { perMinute: 0, perDay: 1 },
      { perMinute: 1, perDay: 1.5 },
      { perMinute: -1, perDay: 1 },
      { perMinute: Number.NaN, perDay: 1 },
      { perMinute: Number.POSITIVE_INFINITY, perDay: 1 },
    ]) {
      expect(() => subscribe('enterprise', limits)).toThrow(/per minute and per day/);
    }
    expect(subscribe('enterprise', { perMinute: 1, perDay: 1 }).limits.perMinute).toBe(1);
  });
});

describe('an unknown plan in the database', () => {
  test('is an error to its requests, never Free, and leaves other accounts alone', async () => {
    await using service = await TestService.start({
      clock: new ManualClock(),
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '7' },
    });
    const { account, secret } = await service.account(subscribe('pro'));
    const other = await service.account(subscribe('pro'));
    using file = new Database(service.stores.folder.accounts);
    file.run('PRAGMA ignore_check_constraints = ON');
    file.run('UPDATE accounts SET plan = ? WHERE id = ?', ['platinum', account.id]);

    const reply = await service.request('/pets', { key: secret });

    expect(reply.status).toBe(500);
    expect(reply.headers.get('X-RateLimit-Limit')).toBe('7');
    expect(await reply.json()).toMatchObject({ code: 'internal_error', status: 500 });
    expect(() => service.stores.accounts.list()).toThrow('Unknown plan "platinum".');
    expect((await ask(service, other.secret)).limit).toBe(300);
  });

  test('cannot be put there by way of the schema', async () => {
    await using service = await TestService.start();
    const { account } = await service.account();
    using file = new Database(service.stores.folder.accounts);

    expect(() =>
      file.run('UPDATE accounts SET plan = ? WHERE id = ?', ['platinum', account.id]),
    ).toThrow(/CHECK/);
    expect(() => file.run('UPDATE accounts SET per_day = NULL')).toThrow(/CHECK/);
  });
});
