import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import type { BanNotice } from '../../src/dashboard/shared/usage.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { provokeBan } from '../support/ban-scene.ts';
import { createKey, customer, dashboardScene, usageOf } from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';

/** A visitor with one request a minute and ten a day, whose only key is banned for five minutes. */
async function banned() {
  const scene = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
  const visitor = await customer(
    scene.service,
    subscribe('enterprise', { perMinute: 1, perDay: 10 }),
  );
  const { key, text } = await createKey(visitor, { name: 'shop' });
  await provokeBan({ ...scene, secret: text }, 1);
  return { ...scene, visitor, key, text, endsAt: scene.clock.now().wall + 300 * SECOND };
}

async function bansOf(visitor: Visitor): Promise<readonly BanNotice[]> {
  return (await visitor.json<{ bans: BanNotice[] }>('GET', '/api/bans')).bans;
}

async function productionOf(visitor: Visitor) {
  return (await usageOf(visitor)).windows.production;
}

describe('a ban in force', () => {
  test('is shown at once, with its reason, its end and the keys that it refuses', async () => {
    await using it = await banned();
    const { key, endsAt } = it;
    expect(await bansOf(it.visitor)).toEqual([
      {
        id: expect.stringMatching(/^ban_/),
        environment: 'production',
        reason: 'Sent 1 more request after a 429, in the same window.',
        startsAt: endsAt - 300 * SECOND,
        until: endsAt,
        keys: [{ id: key.id, name: 'shop', lastFour: key.lastFour }],
      },
    ]);
    it.clock.advance(300 * SECOND);
    expect(await bansOf(it.visitor)).toEqual([]);
  });

  test('of the only key leaves nothing, and says how much once it ends', async () => {
    await using it = await banned();
    const bannedUntil = it.endsAt;
    expect(await productionOf(it.visitor)).toMatchObject({
      minute: { limit: 1, remaining: 0, afterBan: 1 },
      day: { limit: 10, remaining: 0, afterBan: 9 },
      bannedUntil,
    });
    const { staging } = (await usageOf(it.visitor)).windows;
    expect(staging).toMatchObject({ minute: { remaining: 1 }, day: { remaining: 10 } });
    expect(staging.bannedUntil).toBeUndefined();
    it.clock.advance(300 * SECOND);
    const after = await productionOf(it.visitor);
    expect(after).toMatchObject({ minute: { remaining: 1 }, day: { remaining: 9 } });
    expect(after.bannedUntil).toBeUndefined();
  });

  test('of one key leaves to the others what the windows have', async () => {
    await using it = await banned();
    const { key: other, text } = await createKey(it.visitor);
    it.clock.advance(MINUTE);
    expect((await it.service.request('/pets', { key: text })).status).toBe(200);
    expect(await productionOf(it.visitor)).toMatchObject({
      minute: { remaining: 0 },
      day: { remaining: 8 },
    });
    expect((await productionOf(it.visitor)).bannedUntil).toBeUndefined();
    expect(await bansOf(it.visitor)).toHaveLength(1);
    await it.visitor.delete(`/api/keys/${other.id}`);
    expect(await productionOf(it.visitor)).toMatchObject({ day: { remaining: 0, afterBan: 8 } });
  });

  test('names the keys that the banned one was rotated to, and no key that has ended', async () => {
    await using it = await banned();
    const rotation = `/api/keys/${it.key.id}/rotate`;
    const { key: successor } = await it.visitor.json<{ key: { id: string } }>('POST', rotation, {
      overlap: '1h',
    });
    const names = async () =>
      (await bansOf(it.visitor)).map(({ keys }) => keys.map(({ id }) => id));
    expect((await names()).flat().sort()).toEqual([it.key.id, successor.id].sort());
    await it.visitor.delete(`/api/keys/${it.key.id}`);
    expect(await names()).toEqual([[successor.id]]);
    await it.visitor.delete(`/api/keys/${successor.id}`);
    expect(await names()).toEqual([]);
  });

  test('that an operator lifted is gone', async () => {
    await using it = await banned();
    await it.service.runJobs();
    const [ban] = await bansOf(it.visitor);
    await it.service.stores.bans.lift(ban?.id ?? '', 'test', it.clock.now().wall);
    expect(await bansOf(it.visitor)).toEqual([]);
    expect((await productionOf(it.visitor)).bannedUntil).toBeUndefined();
  });
});
