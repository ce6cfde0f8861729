import { describe, expect, test } from 'bun:test';
import { PLAN_NAMES, type Plan, subscribe } from '../../src/core/plans.ts';
import { account, NOON, type OpenBackend } from './backend.ts';

const CUSTOM = { perMinute: 123, perDay: 45_678 };

function subscription(plan: Plan) {
  return plan === 'enterprise' ? subscribe(plan, CUSTOM) : subscribe(plan);
}

/** What a store of accounts does, whichever database keeps them. */
export function accountStoreSuite(open: OpenBackend): void {
  describe('an account store', () => {
    making(open);
    changing(open);
  });
}

function making(open: OpenBackend): void {
  test('finds an account of every plan as it was made', async () => {
    await using backend = await open();
    for (const plan of PLAN_NAMES) {
      const made = await account(backend, `${plan}@example.com`, subscription(plan));
      expect(made).toMatchObject({ plan, createdAt: NOON, email: `${plan}@example.com` });
      expect(await backend.accounts.findByEmail(`${plan}@example.com`)).toEqual(made);
    }
    expect(await backend.accounts.findByEmail('nobody@example.com')).toBeUndefined();
  });

  test('takes an address once, whatever the case of its letters', async () => {
    await using backend = await open();
    const made = await account(backend, 'Ada@Example.com');
    expect(
      await backend.accounts.create('aDA@example.COM', subscribe('pro'), NOON),
    ).toBeUndefined();
    expect(await backend.accounts.findByEmail('ada@example.com')).toEqual(made);
    expect(await backend.accounts.list()).toEqual([made]);
  });

  test('makes one account of an address that is asked for many times at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? backend : other).accounts.create('ada@example.com', subscribe('free'), NOON),
      ),
    );
    expect(made.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await backend.accounts.list()).toHaveLength(1);
  });

  test('lists the oldest first', async () => {
    await using backend = await open();
    for (const [email, age] of [
      ['b', 2],
      ['c', 1],
      ['a', 3],
    ] as const) {
      await backend.accounts.create(`${email}@example.com`, subscribe('free'), NOON - age);
    }
    const emails = (await backend.accounts.list()).map(({ email }) => email);
    expect(emails).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });
}

function changing(open: OpenBackend): void {
  test('changes the plan and its limits, from each plan to each', async () => {
    await using backend = await open();
    const made = await account(backend);
    for (const from of PLAN_NAMES) {
      for (const to of PLAN_NAMES) {
        await backend.accounts.setSubscription(made.id, subscription(from));
        await backend.accounts.setSubscription(made.id, subscription(to));
        const now = await backend.accounts.findByEmail(made.email);
        expect(now).toEqual({ ...made, ...subscription(to) });
      }
    }
  });

  test('changes no other account', async () => {
    await using backend = await open();
    const made = await account(backend, 'a@example.com');
    const other = await account(backend, 'b@example.com');
    await backend.accounts.setSubscription(made.id, subscribe('business'));
    await backend.accounts.setSubscription('acct_unknown', subscribe('business'));
    expect(await backend.accounts.findByEmail('b@example.com')).toEqual(other);
  });
}
