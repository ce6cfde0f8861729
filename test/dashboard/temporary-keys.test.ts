import { describe, expect, test } from 'bun:test';
import type { IssuedKeyInfo } from '../../src/dashboard/shared/api.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import {
  createKey,
  customer,
  dashboardScene,
  expectRefusal,
  keysOf,
} from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';

describe('a temporary key', () => {
  test('works in staging alone, and ends after an hour', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key, text } = await temporaryKey(visitor);
    const now = it.clock.now().wall;
    expect(key).toMatchObject({
      name: 'Try it',
      environment: 'staging',
      expiresAt: now + HOUR,
      isTemporary: true,
    });
    expect(await keysOf(visitor)).toEqual([key]);
    const statusIn = async (environment: 'production' | 'staging') =>
      (await it.service.request('/pets', { key: text, environment })).status;
    expect([await statusIn('staging'), await statusIn('production')]).toEqual([200, 401]);
    it.clock.advance(HOUR - 1);
    expect(await statusIn('staging')).toBe(200);
    it.clock.advance(1);
    expect(await statusIn('staging')).toBe(401);
  });

  test('is made without a recent sign-in, unlike any other key', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    it.clock.advance(16 * MINUTE);
    const other = { name: 'other', environment: 'staging' };
    await expectRefusal(await visitor.post('/api/keys', other), 403, 'sign_in_again');
    expect((await visitor.post('/api/temporary-keys')).status).toBe(201);
  });

  test('counts among the keys of the account, and can be revoked', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const { key } = await temporaryKey(visitor);
    for (let made = 1; made < 100; made++) await temporaryKey(visitor);
    await expectRefusal(await visitor.post('/api/temporary-keys'), 409, 'conflict');
    expect((await visitor.delete(`/api/keys/${key.id}`)).status).toBe(204);
    await expectRefusal(await visitor.post('/api/temporary-keys'), 429, 'rate_limited');
  });

  test('leaves the list of keys a day after its end, when others stay', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    await temporaryKey(visitor);
    const { key } = await createKey(visitor, { environment: 'staging', expiresInDays: 1 });
    it.clock.advance(2 * DAY);
    await it.service.runJobs();
    expect((await keysOf(visitor)).map(({ id }) => id)).toEqual([key.id]);
  });

  test('is made for nobody who is signed out, and for no other site', async () => {
    await using it = await dashboardScene();
    const visitor = await customer(it.service);
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
    const forged = await visitor.request('POST', '/api/temporary-keys', undefined, foreign);
    await expectRefusal(forged, 403, 'forbidden');
    visitor.cookie = '';
    await expectRefusal(await visitor.post('/api/temporary-keys'), 401, 'signed_out');
  });
});

function temporaryKey(visitor: Visitor): Promise<IssuedKeyInfo> {
  return visitor.json('POST', '/api/temporary-keys');
}
