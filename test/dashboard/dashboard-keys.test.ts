import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { IssuedKeyInfo } from '../../src/dashboard/shared/api.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { lazy } from '../../src/lib/lazy.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  keysOf,
} from '../support/dashboard-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';

const shared = sharedService(() => TestService.start({ parts: PARTS, clock: new ManualClock() }));
const withoutKeys = lazy(() => customer(shared()));

describe('a key created in the dashboard', () => {
  test('works at once, and its text is in no reply but the one that issues it', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await createKey(visitor, { name: ' first ' });
    const now = it.clock.now().wall;
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      environment: 'production',
      name: 'first',
      prefix: 'pst_live_',
      lastFour: text.slice(-4),
      createdAt: now,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      state: 'active',
      ban: null,
      isUnused: false,
      predecessor: null,
      successor: null,
      simulate: null,
    });
    expect((await it.service.request('/pets', { key: text })).status).toBe(200);
    for (const path of ['/api/session', '/api/keys', '/api/usage', '/api/messages']) {
      expect(await (await visitor.get(path)).text()).not.toContain(text.slice(9, -4));
    }
    expect(await keysOf(visitor)).toEqual([key]);
  });

  test('may have a name of 100 characters, with white space around it', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const name = 'n'.repeat(100);
    const { key } = await createKey(visitor, { name: ` ${name}\n` });
    expect(key.name).toBe(name);
  });

  test('may have a name of emoji', async () => {
    await using it = await dashboardScene();
    const { key } = await createKey(await customer(it.service), { name: '❤\ufe0f' });
    expect(key.name).toBe('❤\ufe0f');
  });

  test.each([
    'a\u202eb',
    'a\u200bb',
    '\u200e',
    'a\u2066',
    'x\u{e0041}',
    '\ufe0f',
    '\ufe0f \u{e0100}',
    '\u180b',
    '\u2800',
    'a\u2800b',
    '\u3164',
    '\u{1d159}',
    '\u{e0fff}',
  ])('may not have direction marks or invisible characters in its name: %j', async (name) => {
    const visitor = await withoutKeys();
    const reply = await visitor.post('/api/keys', { name, environment: 'production' });
    expect(reply.status).toBe(400);
    expect(await keysOf(visitor)).toEqual([]);
  });

  test('of staging works in staging only', async () => {
    await using it = await dashboardScene();
    const { key, text } = await createKey(await customer(it.service), { environment: 'staging' });
    expect(key).toMatchObject({ environment: 'staging', prefix: 'pst_staging_' });
    const statusIn = async (environment: 'production' | 'staging') =>
      (await it.service.request('/pets', { key: text, environment })).status;
    expect([await statusIn('production'), await statusIn('staging')]).toEqual([401, 200]);
  });

  test('of staging may simulate, and one of production may not', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await createKey(visitor, {
      environment: 'staging',
      simulate: 'pet_not_found; times=1',
    });
    expect(key.simulate).toBe('pet_not_found;times=1');
    const status = async () =>
      (await it.service.request('/pets', { key: text, environment: 'staging' })).status;
    expect([await status(), await status()]).toEqual([404, 200]);
    for (const body of [
      { name: 'test', environment: 'production', simulate: 'drop' },
      { name: 'test', environment: 'staging', simulate: 'nothing' },
    ]) {
      await expectRefusal(await visitor.post('/api/keys', body), 400, 'invalid');
    }
    expect(await keysOf(visitor)).toHaveLength(1);
  });

  test('with an expiry is active, expiring in its last seven days, and then expired', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await createKey(visitor, { expiresInDays: 8 });
    expect(key).toMatchObject({ state: 'active', expiresAt: it.clock.now().wall + 8 * DAY });
    const stateAfter = async (time: number) => {
      it.clock.advance(time);
      return (await keysOf(visitor))[0]?.state;
    };
    expect(await stateAfter(DAY - 1)).toBe('active');
    expect(await stateAfter(1)).toBe('expiring');
    expect(await stateAfter(7 * DAY - 1)).toBe('expiring');
    expect(await stateAfter(1)).toBe('expired');
    expect((await it.service.request('/pets', { key: text })).status).toBe(401);
  });

  test('shows when it was last used', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { text } = await createKey(visitor);
    it.clock.advance(HOUR);
    await it.service.request('/pets', { key: text });
    const usedAt = it.clock.now().wall;
    expect((await keysOf(visitor))[0]?.lastUsedAt).toBeNull();
    await it.service.runJobs('save last uses');
    expect((await keysOf(visitor))[0]?.lastUsedAt).toBe(usedAt);
  });

  test('is refused beyond 100, until one is revoked', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const made = await Promise.all(Array.from({ length: 100 }, () => createKey(visitor)));
    const body = { name: 'one more', environment: 'production' };
    const message = await expectRefusal(await visitor.post('/api/keys', body), 409, 'conflict');
    expect(message).toContain('100 active keys');
    await visitor.delete(`/api/keys/${made[0]?.key.id}`);
    // The limit of 100 new keys a day is reached, too.
    it.clock.advance(DAY);
    await visitor.signIn();
    expect((await visitor.post('/api/keys', body)).status).toBe(201);
  });

  test('requires a recent sign-in, and so does a rotation, but not a revocation', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key } = await createKey(visitor);
    it.clock.advance(DAY);
    const body = { name: 'late', environment: 'production' };
    const rotation = `/api/keys/${key.id}/rotate`;
    await expectRefusal(await visitor.post('/api/keys', body), 403, 'sign_in_again');
    await expectRefusal(await visitor.post(rotation, { overlap: '0' }), 403, 'sign_in_again');
    expect(await keysOf(visitor)).toEqual([key]);
    expect((await visitor.delete(`/api/keys/${key.id}`)).status).toBe(204);
  });
});

describe('the list of keys', () => {
  test('begins with the newest', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    expect(await keysOf(visitor)).toEqual([]);
    for (const name of ['a', 'b', 'c']) {
      await createKey(visitor, { name });
      it.clock.advance(SECOND);
    }
    expect((await keysOf(visitor)).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });

  test('shows until when a key is banned and why, and no longer once the ban has ended', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const visitor = await customer(it.service, ONE);
    const { key, text } = await createKey(visitor);
    const { key: other } = await createKey(visitor, { name: 'other' });
    await provokeBan({ ...it, secret: text }, 1);
    const until = it.clock.now().wall + 300 * SECOND;
    // Before and after the ban is stored.
    expect(await stateOf(key.id)).toBe('banned');
    await it.service.runJobs('record production bans');
    expect(await stateOf(key.id)).toBe('banned');
    const [unharmed, banned] = await keysOf(visitor);
    expect(unharmed).toEqual(other);
    expect(banned?.ban).toEqual({ until, reason: expect.stringContaining('429') });
    it.clock.advance(300 * SECOND);
    expect(await stateOf(key.id)).toBe('active');

    async function stateOf(id: string) {
      return (await keysOf(visitor)).find((each) => each.id === id)?.state;
    }
  });

  test('shows the key that a banned key is rotated to as banned, from its first reply', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const visitor = await customer(it.service, ONE);
    const { key, text } = await createKey(visitor);
    await provokeBan({ ...it, secret: text }, 1);
    await it.service.runJobs('record production bans');
    const path = `/api/keys/${key.id}/rotate`;
    const issued = await visitor.json<IssuedKeyInfo>('POST', path, { overlap: '1h' });
    const ban = { until: it.clock.now().wall + 300 * SECOND, reason: expect.any(String) };
    expect(issued.key).toMatchObject({ state: 'banned', ban });
    expect((await keysOf(visitor)).map((each) => each.ban)).toEqual([ban, ban]);
    const reply = await it.service.request('/pets', { key: issued.text });
    expect(await reply.json()).toMatchObject({ code: 'api_key_banned' });
  });

  test('shows a banned key that is revoked as revoked', async () => {
    await using it = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const visitor = await customer(it.service, ONE);
    const { key, text } = await createKey(visitor);
    await provokeBan({ ...it, secret: text }, 1);
    await it.service.runJobs('record production bans');
    expect((await keysOf(visitor))[0]?.state).toBe('banned');
    await visitor.delete(`/api/keys/${key.id}`);
    expect((await keysOf(visitor))[0]).toMatchObject({ state: 'revoked', ban: null });
  });
});

describe('a rotation in the dashboard', () => {
  test.each([
    ['0', 0],
    ['1h', HOUR],
    ['24h', DAY],
    ['72h', 3 * DAY],
  ])('with an overlap of %s lets the old key work on for as long', async (overlap, length) => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const old = await createKey(visitor, { name: 'mine', environment: 'staging' });
    const reply = await visitor.post(`/api/keys/${old.key.id}/rotate`, { overlap });
    expect(reply.status).toBe(201);
    const { key, text }: typeof old = await reply.json();
    expect(key).toMatchObject({ name: 'mine', environment: 'staging', state: 'active' });
    const statusOf = async (key: string) =>
      (await it.service.request('/pets', { key, environment: 'staging' })).status;
    if (length > 0) {
      it.clock.advance(length - 1);
      expect(await statusOf(old.text)).toBe(200);
      it.clock.advance(1);
    }
    expect([await statusOf(old.text), await statusOf(text)]).toEqual([401, 200]);
    const states = (await keysOf(visitor)).map(({ id, state }) => [id, state]);
    expect(states).toEqual(
      expect.arrayContaining([
        [key.id, 'active'],
        [old.key.id, 'expired'],
      ]),
    );
  });

  test('of an expired or revoked key is refused', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key } = await createKey(visitor);
    await visitor.delete(`/api/keys/${key.id}`);
    const reply = await visitor.post(`/api/keys/${key.id}/rotate`, { overlap: '0' });
    expect(await expectRefusal(reply, 409, 'conflict')).toContain('revoked');
  });
});

describe('a revocation in the dashboard', () => {
  test('takes effect at once, and only once', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await createKey(visitor);
    expect((await it.service.request('/pets', { key: text })).status).toBe(200);
    it.clock.advance(MINUTE);
    expect((await visitor.delete(`/api/keys/${key.id}`)).status).toBe(204);
    expect((await it.service.request('/pets', { key: text })).status).toBe(401);
    const revokedAt = it.clock.now().wall;
    expect((await keysOf(visitor))[0]).toMatchObject({ state: 'revoked', revokedAt });
    await expectRefusal(await visitor.delete(`/api/keys/${key.id}`), 409, 'conflict');
  });

  test('of an unknown key gets 404', async () => {
    const visitor = await withoutKeys();
    await expectRefusal(await visitor.delete('/api/keys/key_none'), 404, 'not_found');
  });
});
