import { describe, expect, test } from 'bun:test';
import type { IssuedKeyInfo, KeyPage } from '../../src/dashboard/shared/api.ts';
import { DAY, SECOND } from '../../src/lib/clock.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  keysOf,
} from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';

describe('the list of keys', () => {
  test('links a rotated key and its successor, under the names that they have now', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key: old } = await createKey(visitor, { name: 'old name' });
    it.clock.advance(1);
    const { key: next } = await visitor.json<IssuedKeyInfo>('POST', `/api/keys/${old.id}/rotate`, {
      overlap: '24h',
    });
    expect(next.predecessor).toEqual({ id: old.id, name: 'old name', lastFour: old.lastFour });
    expect((await visitor.put(`/api/keys/${next.id}`, { name: ' new name ' })).status).toBe(204);
    const [successor, predecessor] = await keysOf(visitor);
    expect(successor).toEqual({ ...next, name: 'new name' });
    expect(predecessor?.successor).toEqual({
      id: next.id,
      name: 'new name',
      lastFour: next.lastFour,
    });
    const [entry] = await it.service.stores.audit.list(1);
    expect(entry).toMatchObject({ action: 'key.renamed', by: visitor.email });
    expect(entry?.detail).toContain('new name');
    expect((await visitor.put(`/api/keys/${next.id}`, { name: ' ' })).status).toBe(400);
  });

  test('marks an active key that was not used for 90 days', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const [idle, used] = [await createKey(visitor), await createKey(visitor, { name: 'used' })];
    const unused = async () => {
      const fresh = await Visitor.signIn(it.service, visitor.email);
      return (await keysOf(fresh)).flatMap(({ id, isUnused }) => (isUnused ? id : []));
    };
    it.clock.advance(89 * DAY);
    await it.service.request('/pets', { key: used.text });
    await it.service.runJobs('save last uses');
    expect(await unused()).toEqual([]);
    it.clock.advance(2 * DAY);
    expect(await unused()).toEqual([idle.key.id]);
  });

  test("counts a staging key as live by its account's clock", async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const wishes = { name: 'short', expiresInDays: 1 };
    const staging = await createKey(visitor, { ...wishes, environment: 'staging' });
    const production = await createKey(visitor, wishes);
    const found = async (live: boolean) => {
      const { keys } = await visitor.json<KeyPage>('GET', `/api/keys?live=${live}`);
      return keys.map(({ id }) => id).sort();
    };
    expect(await found(true)).toEqual([staging.key.id, production.key.id].sort());
    await visitor.request('POST', '/api/sandbox/clock', { advanceSeconds: (1.5 * DAY) / SECOND });
    expect(await found(true)).toEqual([production.key.id]);
    expect(await found(false)).toEqual([staging.key.id]);
  });

  test('leaves out what a filter excludes', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const shop = await createKey(visitor, { name: 'Shop 100%' });
    it.clock.advance(1);
    const staging = await createKey(visitor, { name: 'Tests', environment: 'staging' });
    it.clock.advance(1);
    const ended = await createKey(visitor, { name: 'Old shop' });
    await visitor.delete(`/api/keys/${ended.key.id}`);
    const found = async (query: string) => {
      const { keys } = await visitor.json<KeyPage>('GET', `/api/keys?${query}`);
      return keys.map(({ id }) => id);
    };
    expect(await found('text=sHOP')).toEqual([ended.key.id, shop.key.id]);
    expect(await found('text=0%25')).toEqual([shop.key.id]);
    expect(await found(`text=${staging.key.lastFour}`)).toEqual([staging.key.id]);
    expect(await found('environment=staging')).toEqual([staging.key.id]);
    expect(await found('live=true')).toEqual([staging.key.id, shop.key.id]);
    expect(await found('live=false')).toEqual([ended.key.id]);
    expect(await found('live=true&environment=production&text=shop')).toEqual([shop.key.id]);
    expect(await found('text=nothing')).toEqual([]);
    expect(await found('text=&environment=&live=')).toHaveLength(3);
  });

  test.each([
    ['environment', 'test'],
    ['live', 'yes'],
    ['text', 'a'.repeat(201)],
  ])('refuses an invalid filter: %s', async (name, value) => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const reply = await visitor.get(`/api/keys?${name}=${value}`);
    expect(await expectRefusal(reply, 400, 'invalid')).toContain(`"${name}"`);
  });
});
