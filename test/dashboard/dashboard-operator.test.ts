import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { newBanRecord } from '../../src/core/limits/ban-records.ts';
import { ROUTES } from '../../src/dashboard/api/api.ts';
import type { AccountInfo } from '../../src/dashboard/shared/api.ts';
import { MAX_BANS } from '../../src/dashboard/shared/bounds.ts';
import type { BanInfo, BanList } from '../../src/dashboard/shared/operator.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  keysOf,
  operator,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { AMPLE, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

async function find(visitor: Visitor, search: string): Promise<readonly string[]> {
  const path = `/api/operator/accounts?search=${encodeURIComponent(search)}`;
  const { accounts } = await visitor.json<{ accounts: readonly AccountInfo[] }>('GET', path);
  return accounts.map(({ email }) => email);
}

async function bansInForce(visitor: Visitor): Promise<readonly BanInfo[]> {
  return (await visitor.json<BanList>('GET', '/api/operator/bans')).bans;
}

test('a customer is refused at every operator route, before anything is read', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await customer(service);
  const routes = ROUTES.filter(({ path }) => path.startsWith('/operator'));
  expect(routes.length).toBeGreaterThanOrEqual(5);
  for (const { method, path, access } of routes) {
    expect([path, access]).toEqual([path, 'operator']);
    const body = method === 'GET' ? undefined : {};
    const reply = await visitor.request(method, `/api${path}`, body);
    await expectRefusal(reply, 403, 'forbidden');
  }
});

test('a change by an operator asks for a recent sign-in, and looking does not', async () => {
  await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
  const visitor = await operator(it.service);
  const other = await customer(it.service, ONE);
  const { text } = await createKey(other);
  it.clock.advance(15 * MINUTE);
  await provokeBan({ ...it, secret: text }, 1);
  await it.service.runJobs('record production bans');
  const bans = await bansInForce(visitor);
  const lift = `/api/operator/bans/${bans[0]?.id}/lift`;
  const plan = `/api/operator/accounts/${other.accountId}/plan`;
  const change = () => visitor.put(plan, { plan: 'pro' });
  await expectRefusal(await visitor.post(lift), 403, 'sign_in_again');
  await expectRefusal(await change(), 403, 'sign_in_again');
  await expectRefusal(await other.put(plan, { plan: 'pro' }), 403, 'forbidden');
  expect(await bansInForce(visitor)).toEqual(bans);
  expect(await other.json('GET', '/api/session')).toMatchObject({ account: { plan: ONE.plan } });

  await visitor.signIn();
  expect((await visitor.post(lift)).status).toBe(204);
  expect((await change()).status).toBe(200);
  expect(await bansInForce(visitor)).toEqual([]);
});

test('an operator who loses the role is refused at the next request', async () => {
  await using service = await TestService.start({ parts: PARTS });
  const visitor = await operator(service);
  expect((await visitor.get('/api/operator/bans')).status).toBe(200);
  await service.stores.accounts.setRole(visitor.accountId, 'customer', Date.now(), 'test');
  await expectRefusal(await visitor.get('/api/operator/bans'), 403, 'forbidden');
});

describe('the search for accounts', () => {
  test('finds by a part of the address, whatever its case', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await operator(service);
    for (const email of ['ada@pets.test', 'bob@pets.test', 'ada+100%@other.test']) {
      await service.stores.accounts.create(email, AMPLE, Date.now(), 'test');
    }
    expect(await find(visitor, 'ADA')).toEqual(['ada+100%@other.test', 'ada@pets.test']);
    expect(await find(visitor, ' @pets.test ')).toEqual(['ada@pets.test', 'bob@pets.test']);
    expect(await find(visitor, '100%')).toEqual(['ada+100%@other.test']);
    expect(await find(visitor, '%')).toEqual(['ada+100%@other.test']);
    expect(await find(visitor, "' OR 1=1 --")).toEqual([]);
    expect(await find(visitor, '')).toHaveLength(4);
  });

  test('returns at most 50', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await operator(service);
    for (let made = 0; made < 55; made += 1) await service.account();
    expect(await find(visitor, 'person')).toHaveLength(50);
  });
});

describe('a change of plan', () => {
  test('applies to a key in use within a second, also with custom limits', async () => {
    await using it = await dashboardScene();
    const visitor = await operator(it.service);
    const other = await customer(it.service, ONE);
    const { text } = await createKey(other);
    expect((await ask(it.service, text)).minute.quota).toBe(1);
    const path = `/api/operator/accounts/${other.accountId}/plan`;

    const pro = await visitor.json<AccountInfo>('PUT', path, { plan: 'pro' });
    expect(pro).toMatchObject({
      id: other.accountId,
      email: other.email,
      plan: 'pro',
      limits: { perMinute: 300, perDay: 10_000 },
    });
    expect((await ask(it.service, text)).minute).toMatchObject({ quota: 300, remaining: 298 });

    const custom = { plan: 'enterprise', perMinute: 7, perDay: 70 };
    await visitor.put(path, custom);
    expect(await ask(it.service, text)).toMatchObject({
      minute: { quota: 7, remaining: 4 },
      day: { quota: 70, remaining: 67 },
    });
    expect(await other.json('GET', '/api/session')).toMatchObject({
      account: { plan: 'enterprise', limits: { perMinute: 7, perDay: 70 } },
    });
  });

  test('of an unknown account gets 404', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await operator(service);
    const reply = await visitor.put('/api/operator/accounts/acct_none/plan', { plan: 'pro' });
    await expectRefusal(reply, 404, 'not_found');
    expect((await visitor.get('/api/operator/audit')).status).toBe(200);
  });
});

describe('the active bans', () => {
  test('show whose key and why, and disappear when they end', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const visitor = await operator(it.service);
    const other = await customer(it.service, ONE);
    const { key, text } = await createKey(other, { name: 'eager' });
    await provokeBan({ ...it, secret: text }, 1);
    await it.service.runJobs('record production bans');
    const now = it.clock.now().wall;
    expect(await bansInForce(visitor)).toEqual([
      {
        id: expect.stringMatching(/^ban_/),
        accountId: other.accountId,
        email: other.email,
        environment: 'production',
        keyName: 'eager',
        lastFour: key.lastFour,
        reason: 'Sent 1 more request after a 429, in the same window.',
        startsAt: now,
        endsAt: now + 300 * SECOND,
      },
    ]);
    it.clock.advance(300 * SECOND);
    expect(await bansInForce(visitor)).toEqual([]);
  });

  test('are listed up to a bound, the latest ones, with the number of all', async () => {
    await using it = await dashboardScene();
    const visitor = await operator(it.service);
    const { key } = await createKey(visitor);
    const [stored] = await it.service.stores.keys.findAll([key.id]);
    if (!stored) throw new Error('The key is not stored.');
    const now = it.clock.now().wall;
    const policy = { after: 1, base: MINUTE, maximum: MINUTE };
    for (let age = 0; age <= MAX_BANS; age += 1) {
      const times = { level: 1, startsAt: now - age, endsAt: now + MINUTE };
      await it.service.stores.bans.record(newBanRecord(stored, 'production', policy, times));
    }
    const { bans, total } = await visitor.json<BanList>('GET', '/api/operator/bans');
    expect(total).toBe(MAX_BANS + 1);
    expect(bans).toHaveLength(MAX_BANS);
    expect(bans[0]).toMatchObject({ startsAt: now - MAX_BANS + 1, keyName: key.name });
  });

  test('are lifted, and the key works again', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const visitor = await operator(it.service);
    const other = await customer(it.service, ONE);
    const { text } = await createKey(other);
    await provokeBan({ ...it, secret: text }, 1);
    await it.service.runJobs('record production bans');
    it.clock.advance(MINUTE);
    expect((await ask(it.service, text)).code).toBe('api_key_banned');
    const [ban] = await bansInForce(visitor);
    const path = `/api/operator/bans/${ban?.id}/lift`;

    expect((await visitor.post(path)).status).toBe(204);

    expect(await bansInForce(visitor)).toEqual([]);
    expect((await keysOf(other))[0]).toMatchObject({ state: 'active', ban: null });
    await it.service.runJobs('watch for changes');
    expect((await ask(it.service, text)).code).not.toBe('api_key_banned');
    await expectRefusal(await visitor.post(path), 409, 'conflict');
    const none = await visitor.post('/api/operator/bans/ban_none/lift');
    await expectRefusal(none, 404, 'not_found');
  });
});
