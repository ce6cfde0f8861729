import { expect, test } from 'bun:test';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { provokeBan } from '../support/ban-scene.ts';
import { expectRefusal, keysOf, messagesOf, usageOf } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ask } from '../support/limit-readings.ts';
import { refusalOf } from '../support/problem.ts';
import {
  type EarlierStore,
  EarlierStoreScene,
  type KeyName,
  runOn,
  type StoreCopy,
} from './earlier-store-scene.ts';

/** The behaviour with every store of an earlier release; each test opens its own copy. */
export function earlierStoreSuite(expected: EarlierStore, copy: () => Promise<StoreCopy>): void {
  const open = async () => EarlierStoreScene.open(expected, await copy());
  const { dashboard, keys } = expected;

  test('accepts active API keys in their own environment', async () => {
    await using it = await open();
    const names: KeyName[] = ['live', 'expiring', 'rotated', 'successor', 'pro', 'business'];
    for (const name of names) {
      expect([name, (await ask(it.service, keys[name])).status]).toEqual([name, 200]);
    }
    const environment = 'staging';
    expect((await it.service.request('/pets', { key: keys.staging, environment })).status).toBe(
      200,
    );
    expect((await it.service.request('/pets', { key: keys.live, environment })).status).toBe(401);
    expect((await ask(it.service, keys.staging)).code).toBe('invalid_api_key');
  });

  test('refuses expired and revoked keys, and those of a deleted account', async () => {
    await using it = await open();
    const reasons = {
      expired: 'expired',
      revoked: 'revoked',
      ofDeletedAccount: 'unknown',
    } as const;
    for (const name of ['expired', 'revoked', 'ofDeletedAccount'] as const) {
      const refusal = await refusalOf(await it.service.request('/pets', { key: keys[name] }));
      expect(refusal).toMatchObject({ status: 401, code: 'invalid_api_key' });
      expect(refusal.message).toContain(reasons[name]);
    }
  });

  test('ends a rotated key when its overlap ends, and an expiring key at its expiry', async () => {
    await using it = await open();
    for (const name of ['rotated', 'expiring'] as const) {
      const key = dashboard.keys.find(({ lastFour }) => keys[name].endsWith(lastFour));
      it.advance((key?.expiresAt ?? Number.NaN) - it.clock.now().wall - 1);
      expect((await ask(it.service, keys[name])).status).toBe(200);
      it.advance(1);
      expect((await ask(it.service, keys[name])).status).toBe(401);
      expect((await ask(it.service, keys.successor)).status).toBe(200);
    }
  });

  test('lists the same pets, byte for byte', async () => {
    await using it = await open();
    for (const environment of ['production', 'staging'] as const) {
      const key = environment === 'production' ? keys.enterprise : keys.staging;
      for (const [path, body] of Object.entries(expected.pages[environment])) {
        const reply = await it.service.request(path, { key, environment });
        expect([environment, path, await reply.text()]).toEqual([environment, path, body]);
      }
    }
  });

  test('gives the client every pet with its exact int64 category', async () => {
    await using it = await open();
    const pets = await Array.fromAsync(it.service.client(keys.enterprise).listAllPets());
    expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 132 }, (_, index) => index + 1));
    const [, largest, smallest, beyondDouble] = pets;
    expect(largest).toMatchObject({ name: 'Rex', categoryId: 9_223_372_036_854_775_807n });
    expect(smallest).toMatchObject({ categoryId: -9_223_372_036_854_775_808n });
    expect(beyondDouble).toMatchObject({ categoryId: 9_007_199_254_740_993n });
  });

  test('continues the ids of each environment', async () => {
    await using it = await open();
    const pet = { name: 'Next', categoryId: 1 };
    expect(await it.service.client(keys.live).createPet(pet)).toMatchObject({ id: 133 });
    const staging = it.service.client(keys.staging, { baseUrl: it.service.url('staging') });
    expect(await staging.createPet(pet)).toMatchObject({ id: 8 });
  });

  test('replays the first reply to a repeated creation for the rest of its 24 hours', async () => {
    await using it = await open();
    for (const creation of [expected.creation, expected.earlierCreation]) {
      const replay = await it.create(creation);
      expect(replay.headers.get('Idempotent-Replayed')).toBe('true');
      expect([replay.status, await replay.text()]).toEqual([201, creation.reply]);
    }
    const other = await it.create({ ...expected.creation, body: '{"name":"Rex","categoryId":1}' });
    expect((await refusalOf(other)).code).toBe('idempotency_mismatch');
    it.advance(DAY / 2);
    expect(await (await it.create(expected.creation)).text()).toBe(expected.creation.reply);
    expect(await (await it.create(expected.earlierCreation)).json()).toMatchObject({ id: 133 });
  });

  test('continues the quotas of accounts and addresses, with the limits of each plan', async () => {
    await using it = await open();
    const names: KeyName[] = ['live', 'pro', 'business', 'enterprise', 'exhausted', 'lifted'];
    for (const name of names) {
      const reading = expected.limits[name] ?? {};
      expect([name, await ask(it.service, keys[name])]).toMatchObject([name, reading]);
    }
    expect(await it.askAsStranger()).toMatchObject(expected.limits['stranger'] ?? {});
    const { retryAfter = Number.NaN } = await ask(it.service, keys.exhausted);
    it.advance(retryAfter * SECOND);
    expect(await ask(it.service, keys.exhausted)).toMatchObject({
      status: 200,
      day: { remaining: 2 },
    });
  });

  test('keeps a ban in force until its end, and doubles the next one', async () => {
    await using it = await open();
    const banned = await ask(it.service, keys.banned);
    expect(banned).toMatchObject({ code: 'api_key_banned', ...expected.limits['banned'] });
    const { retryAfter = Number.NaN } = banned;
    it.advance((retryAfter - 1) * SECOND);
    expect((await ask(it.service, keys.banned)).code).toBe('api_key_banned');
    it.advance(SECOND);
    const scene = { service: it.service, clock: it.clock, secret: keys.banned };
    expect((await provokeBan(scene, 1)).retryAfter).toBe(1_200);
  });

  test('shows bans to their holders, and leaves a lifted ban without effect', async () => {
    await using it = await open();
    const banned = await usageOf(await it.visitor('banned'));
    expect(banned.events).toMatchObject([...dashboard.bannedUsage]);
    const lifted = await usageOf(await it.visitor('lifted'));
    expect(lifted.events).toMatchObject([...dashboard.liftedUsage]);
    expect((await ask(it.service, keys.lifted)).status).toBe(200);
    it.advance(MINUTE);
    const scene = { service: it.service, clock: it.clock, secret: keys.lifted };
    expect((await provokeBan(scene, 1)).retryAfter).toBe(300);
  });

  test('lets an operator lift the ban that is in force', async () => {
    await using it = await open();
    const olga = await it.visitor('olga');
    expect((await ask(it.service, keys.banned)).code).toBe('api_key_banned');
    const lifted = await olga.post(`/api/operator/bans/${dashboard.bans[0]?.id}/lift`);
    expect(lifted.status).toBe(204);
    await it.service.runJobs('watch for changes');
    expect((await ask(it.service, keys.banned)).code).toBe('rate_limited');
  });

  test('has delivered messages in the inbox, and delivers those that were queued', async () => {
    await using it = await open();
    const ada = await it.visitor('ada');
    const isDelivered = ({ status }: { status: string }) => status === 'delivered';
    await it.service.runJobs('deliver messages');
    const queued = { status: 'delivered', deliveredAt: it.clock.now().wall } as const;
    expect(await messagesOf(ada)).toMatchObject(
      dashboard.messages.map((each) => (isDelivered(each) ? each : { ...each, ...queued })),
    );
    expect(dashboard.messages.filter(isDelivered)).toHaveLength(3);
  });

  test('replays the first reply to a repeated message', async () => {
    await using it = await open();
    const { idempotencyKey, text, reply } = expected.message;
    const client = it.service.client(keys.live, {
      quickstartBaseUrl: it.service.url('quickstart'),
    });
    expect(await client.sendMessage(text, { idempotencyKey })).toEqual(JSON.parse(reply));
    const ada = await it.visitor('ada');
    expect(await messagesOf(ada)).toHaveLength(dashboard.messages.length);
  });

  test('shows the usage of earlier hours and days', async () => {
    await using it = await open();
    const { hours, days, ...rest } = await usageOf(await it.visitor('ada'));
    const inUse = (bucket: (typeof hours)[number]) => bucket.succeeded + bucket.clientErrors > 0;
    expect({ ...rest, hours: hours.filter(inUse), days: days.filter(inUse) }).toMatchObject(
      dashboard.usage,
    );
  });

  test('shows the keys of an account, in the dashboard and on the command line', async () => {
    await using it = await open();
    expect(await keysOf(await it.visitor('ada'))).toMatchObject([...dashboard.keys]);
    const { stdout } = await runOn(it.copy, 'keys', 'list', 'ADA@example.com', '--json');
    const ids = dashboard.keys.map(({ id }) => expect.objectContaining({ id }));
    expect(JSON.parse(stdout)).toEqual(ids.toReversed());
  });

  test('lets a holder sign in with the password, and with no other', async () => {
    await using it = await open();
    const ada = await it.visitor('ada');
    const session = await ada.json<object>('GET', '/api/session');
    expect(session).toMatchObject({ account: { email: 'ada@example.com', plan: 'free' } });
    const body = { email: 'ada@example.com', password: `${expected.password}!` };
    const stranger = new Visitor(it.service);
    expect((await stranger.post('/api/auth/sign-in/email', body)).status).toBe(401);
  });

  test('keeps a session signed in until it expires', async () => {
    await using it = await open();
    const ada = new Visitor(it.service);
    ada.cookie = expected.sessionCookie;
    expect(await keysOf(ada)).toHaveLength(dashboard.keys.length);
    it.advance(7 * DAY);
    await expectRefusal(await ada.get('/api/keys'), 401, 'signed_out');
  });

  test('accepts a reset link that was made before, once', async () => {
    await using it = await open();
    const visitor = new Visitor(it.service);
    const body = { token: expected.resetToken, newPassword: 'a wholly new password' };
    expect((await visitor.post('/api/auth/reset-password', body)).status).toBe(200);
    expect((await visitor.post('/api/auth/reset-password', body)).status).toBe(400);
    await Visitor.signIn(it.service, 'lifted@example.com', body.newPassword);
  });

  test('shows an operator all accounts, the bans in force and the audit log', async () => {
    await using it = await open();
    const olga = await it.visitor('olga');
    const { accounts, bans, audit } = dashboard;
    expect(await olga.json<object>('GET', '/api/operator/accounts')).toMatchObject({ accounts });
    expect(await olga.json<object>('GET', '/api/operator/bans')).toMatchObject({ bans });
    const signedIn = { by: 'olga@example.com', action: 'session.signed_in' };
    expect(await olga.json<object>('GET', '/api/operator/audit')).toMatchObject({
      entries: [signedIn, ...audit],
    });
    const ada = await it.visitor('ada');
    await expectRefusal(await ada.get('/api/operator/audit'), 403, 'forbidden');
  });

  test('continues the audit log', async () => {
    await using it = await open();
    const olga = await it.visitor('olga');
    const [account] = dashboard.accounts;
    const path = `/api/operator/accounts/${account?.id}/plan`;
    await olga.json('PUT', path, { plan: 'business' });
    const number = (dashboard.audit[0]?.number ?? Number.NaN) + 1;
    const by = 'olga@example.com';
    const signedIn = { number, by, action: 'session.signed_in' };
    const newest = { number: number + 1, by, action: 'account.plan_changed' };
    expect(await olga.json<object>('GET', '/api/operator/audit')).toMatchObject({
      entries: [newest, signedIn, ...dashboard.audit],
    });
  });

  test('does not give an address in use to another account, however it is cased', async () => {
    await using it = await open();
    const made = await runOn(it.copy, 'accounts', 'create', 'BUSINESS@example.COM');
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('already') });
  });

  test('applies what commands change while the service runs', async () => {
    await using it = await open();
    const status = async () => (await ask(it.service, keys.live)).status;
    expect(await status()).toBe(200);
    const live = dashboard.keys.find(({ lastFour }) => keys.live.endsWith(lastFour));
    expect((await runOn(it.copy, 'keys', 'revoke', live?.id ?? '')).code).toBe(0);
    await it.service.runJobs('watch for changes');
    expect(await status()).toBe(401);
    const quota = async () => (await ask(it.service, keys.pro)).minute.quota;
    expect(await quota()).toBe(300);
    await runOn(it.copy, 'accounts', 'set-plan', 'pro@example.com', 'business');
    await it.service.runJobs('watch for changes');
    expect(await quota()).toBe(1_000);
  });

  test('refuses another secret', async () => {
    await using it = await copy();
    const settings = {
      ...it.settings,
      PETSTORE_SECRET: 'not the one that the API keys are made with',
    };
    const { code, stderr } = await runOn({ ...it, settings }, 'accounts', 'list');
    expect(stderr).toContain('another secret');
    expect(code).not.toBe(0);
  });

  test('opens again after it was used and stopped', async () => {
    await using it = await open();
    const created = await it.service.post(keys.live, { name: 'Next', categoryId: 1 });
    const used = await ask(it.service, keys.live);
    await it.restart();
    expect((await ask(it.service, keys.live)).day.remaining).toBe(used.day.remaining - 1);
    const list = (path: string) => it.service.request(path, { key: keys.live });
    const page = await (await list('/pets')).text();
    expect(page).toBe(expected.pages.production['/pets'] ?? '');
    const next = await list('/pets?after=132');
    expect(await next.text()).toBe(`[${await created.text()}]`);
    const replay = await it.create(expected.creation);
    expect(await replay.text()).toBe(expected.creation.reply);
    expect((await ask(it.service, keys.banned)).code).toBe('api_key_banned');
    expect((await ask(it.service, keys.revoked)).code).toBe('invalid_api_key');
    expect(await messagesOf(await it.visitor('ada'))).toHaveLength(dashboard.messages.length);
  });
}
