import { expect, test } from 'bun:test';
import { PLAN_NAMES, type Plan, subscribe } from '../../../src/core/limits/plans.ts';
import { account, apiKey, digest, NOON, type OpenBackend, portSuite } from './backend.ts';

const CUSTOM = { perMinute: 123, perDay: 45_678 };

function subscription(plan: Plan) {
  return plan === 'enterprise' ? subscribe(plan, CUSTOM) : subscribe(plan);
}

/** Tests of an account store, for every database. */
export const accountStoreSuite = portSuite(
  'an account store',
  making,
  finding,
  changing,
  suspending,
);

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
      await backend.accounts.create('aDA@example.COM', subscribe('pro'), NOON, 'test'),
    ).toBeUndefined();
    expect(await backend.accounts.findByEmail('ada@example.com')).toEqual(made);
    expect(await backend.accounts.list()).toEqual([made]);
  });

  test('creates one account for an address when many requests arrive at once', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? backend : other).accounts.create(
          'ada@example.com',
          subscribe('free'),
          NOON,
          'test',
        ),
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
      await backend.accounts.create(`${email}@example.com`, subscribe('free'), NOON - age, 'test');
    }
    const emails = (await backend.accounts.list()).map(({ email }) => email);
    expect(emails).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });
}

function finding(open: OpenBackend): void {
  test('finds an account by its id', async () => {
    await using backend = await open();
    const made = await account(backend, 'ada@example.com', subscription('enterprise'));
    await account(backend, 'bob@example.com');
    expect(await backend.accounts.find(made.id)).toEqual(made);
    expect(await backend.accounts.find('acct_unknown')).toBeUndefined();
  });

  test('searches for a part of the address, without case, in the order of addresses', async () => {
    await using backend = await open();
    for (const email of ['zoe@Shop.example', 'Ada@shop.example', 'bob@farm.example']) {
      await account(backend, email);
    }
    const search = async (text: string, limit = 10) =>
      (await backend.accounts.search(text, limit)).map(({ email }) => email);
    expect(await search('sHOP')).toEqual(['Ada@shop.example', 'zoe@Shop.example']);
    expect(await search('ada@shop.example')).toEqual(['Ada@shop.example']);
    expect(await search('example', 2)).toEqual(['Ada@shop.example', 'bob@farm.example']);
    expect(await search('')).toHaveLength(3);
    expect(await search('nobody')).toEqual([]);
  });

  test.each(['%', '_', '*', '?', "'", '\\'])('searches for %s as it is written', async (sign) => {
    await using backend = await open();
    const made = await account(backend, `a${sign}b@example.com`);
    await account(backend, 'axb@example.com');
    expect(await backend.accounts.search(`A${sign}B`, 10)).toEqual([made]);
  });
}

function suspending(open: OpenBackend): void {
  test('suspends an account with a reason, once, and resumes it', async () => {
    await using backend = await open();
    const made = await account(backend, 'a@example.com');
    const other = await account(backend, 'b@example.com');
    const { accounts } = backend;
    expect(await accounts.suspend(made.id, 'Spam', NOON, 'test')).toBe(true);
    expect(await accounts.suspend(made.id, 'Again', NOON + 1, 'test')).toBe(false);
    const suspension = { at: NOON, reason: 'Spam' };
    expect(await accounts.find(made.id)).toEqual({ ...made, suspension });
    expect(await accounts.find(other.id)).toEqual(other);
    expect(await accounts.resume(made.id, NOON, 'test')).toBe(true);
    expect(await accounts.resume(made.id, NOON, 'test')).toBe(false);
    expect(await accounts.find(made.id)).toEqual(made);
    expect(await accounts.suspend('acct_unknown', 'Spam', NOON, 'test')).toBe(false);
  });

  test('marks the keys of a suspended account, and no others', async () => {
    await using backend = await open();
    const made = await account(backend, 'a@example.com');
    const other = await account(backend, 'b@example.com');
    const digests = [digest(), digest()];
    for (const [index, { id }] of [made, other].entries()) {
      const secret = digests[index] ?? digest();
      await backend.keys.insert(apiKey(id), secret, { live: 1 }, NOON, 'test');
    }
    const areSuspended = async () => {
      // Ends the snapshot that look-ups of keys share, like a process that is notified of a change.
      await backend.changes.revision();
      const found = await Promise.all(digests.map((each) => backend.keys.findByDigest(each)));
      return found.map((row) => row?.key.isSuspended);
    };
    await backend.accounts.suspend(made.id, 'Spam', NOON, 'test');
    expect(await areSuspended()).toEqual([true, false]);
    await backend.accounts.resume(made.id, NOON, 'test');
    expect(await areSuspended()).toEqual([false, false]);
  });
}

function changing(open: OpenBackend): void {
  test('gives the role of an operator, and takes it back', async () => {
    await using backend = await open();
    const made = await account(backend, 'a@example.com');
    const other = await account(backend, 'b@example.com');
    expect(made.role).toBe('customer');
    for (const role of ['operator', 'customer'] as const) {
      await backend.accounts.setRole(made.id, role, NOON, 'test');
      expect(await backend.accounts.find(made.id)).toEqual({ ...made, role });
      expect(await backend.accounts.find(other.id)).toEqual(other);
    }
  });

  test('changes the plan and its limits, from each plan to each', async () => {
    await using backend = await open();
    const made = await account(backend);
    for (const from of PLAN_NAMES) {
      for (const to of PLAN_NAMES) {
        await backend.accounts.setSubscription(made.id, subscription(from), Date.now(), 'test');
        await backend.accounts.setSubscription(made.id, subscription(to), Date.now(), 'test');
        const now = await backend.accounts.findByEmail(made.email);
        expect(now).toEqual({ ...made, ...subscription(to) });
      }
    }
  });

  test('changes no other account', async () => {
    await using backend = await open();
    const made = await account(backend, 'a@example.com');
    const other = await account(backend, 'b@example.com');
    await backend.accounts.setSubscription(made.id, subscribe('business'), Date.now(), 'test');
    await backend.accounts.setSubscription(
      'acct_unknown',
      subscribe('business'),
      Date.now(),
      'test',
    );
    expect(await backend.accounts.findByEmail('b@example.com')).toEqual(other);
  });
}
