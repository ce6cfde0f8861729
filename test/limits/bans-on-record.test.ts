import { describe, expect, test } from 'bun:test';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { banLengths, banScene, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask, askTimes } from '../support/limit-readings.ts';
import { runCommand } from '../support/process.ts';

describe('a recorded ban', () => {
  test('tells whose, why, since when and until when', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '3' });
    await provokeBan(it, 3);

    const now = it.clock.now().wall;
    const ban = await recordedBan(it);

    expect(ban).toMatchObject({
      keyId: it.key.id,
      accountId: it.account.id,
      environment: 'production',
      reason: 'Sent 3 more requests after a 429, in the same window.',
      level: 1,
      startsAt: now,
      endsAt: now + 300 * SECOND,
      liftedAt: undefined,
      liftedBy: undefined,
    });
    expect(await it.service.stores.bans.active(ban.endsAt)).toEqual([]);
  });

  test('survives a restart, with what is left of it and its place in the doubling', async () => {
    const settings = { PETSTORE_BAN_AFTER: '1' };
    await using it = await banScene(settings);
    const { clock, secret } = it;
    await provokeBan(it, 1);
    await it.service.stop();
    clock.advance(100 * SECOND);

    await using second = await TestService.start({
      clock,
      settings,
      folder: it.service.folder.path,
    });

    const banned = await ask(second, secret);
    expect(banned).toMatchObject({ code: 'api_key_banned', retryAfter: 200 });
    clock.advance(200 * SECOND);
    expect((await ask(second, secret)).status).toBe(200);
    await askTimes(second, 1, secret);
    clock.advance(2 * SECOND);
    expect((await ask(second, secret)).retryAfter).toBe(600);
  });

  test('is lifted by an operator, stays recorded, and resets the strikes', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    await banLengths(it, 1);
    await provokeBan(it, 1);
    const ban = await recordedBan(it);
    const now = it.clock.now().wall;

    expect(await it.service.stores.bans.lift(ban.id, 'ada', now)).toBe(true);
    expect(await it.service.stores.bans.lift(ban.id, 'bob', now)).toBe(false);

    await it.service.runJobs('watch for changes');
    expect((await ask(it.service, it.secret)).code).toBe('rate_limited');
    expect(await it.service.stores.bans.active(now)).toEqual([]);
    expect(await it.service.stores.bans.lifted(now)).toEqual([
      { ...ban, liftedAt: now, liftedBy: 'ada' },
    ]);
    it.clock.advance(MINUTE);
    expect(await banLengths(it, 1)).toEqual([300]);
  });

  test('is shown and lifted by the commands while the server runs', async () => {
    // The commands use the machine's clock.
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' }, new ManualClock(Date.now()));
    await provokeBan(it, 1);
    const { id, endsAt } = await recordedBan(it);
    const settings = { PETSTORE_DATA_DIR: it.service.folder.path };

    const list = await runCommand(['bans', 'list', '--json'], settings);
    const lift = await runCommand(['bans', 'lift', id], settings);
    const again = await runCommand(['bans', 'lift', id], settings);

    expect(JSON.parse(list.stdout)).toMatchObject([
      { id, keyId: it.key.id, endsAt: new Date(endsAt).toISOString() },
    ]);
    expect(lift).toMatchObject({ code: 0, stderr: '' });
    expect(again.code).toBe(1);
    await it.service.runJobs('watch for changes');
    expect((await ask(it.service, it.secret)).code).toBe('rate_limited');
    const [lifted] = await it.service.stores.bans.lifted(it.clock.now().wall);
    expect(lifted?.liftedBy).toMatch(/^command line: \S+$/);
  });

  test('stays lifted after a restart', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_BAN_AFTER: '1' };
    await using it = await banScene(settings, clock);
    await provokeBan(it, 1);
    const ban = await recordedBan(it);
    await it.service.stores.bans.lift(ban.id, 'ada', clock.now().wall);
    await it.service.stop();
    clock.advance(MINUTE);

    const folder = it.service.folder.path;
    await using next = await TestService.start({ clock, settings, folder });

    expect((await ask(next, it.secret)).status).toBe(200);
  });
});
