import { describe, expect, test } from 'bun:test';
import { SECOND } from '../../src/lib/clock.ts';
import { type BanScene, banScene, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { TestService } from '../support/harness.ts';
import { ask, askTimes } from '../support/limit-readings.ts';

const SETTINGS = { PETSTORE_BAN_AFTER: '1' };

/** Rotates the key and its successors `times` times; returns the text of the last one. */
async function rotated({ service, key }: BanScene, times = 1): Promise<string> {
  let latest = { key, text: '' };
  for (let done = 0; done < times; done += 1) {
    latest = await service.stores.apiKeyService.rotate(latest.key, '1h', 'test');
  }
  return latest.text;
}

async function codeOf({ service }: BanScene, secret: string): Promise<string | undefined> {
  return (await ask(service, secret)).code;
}

describe('a rotation', () => {
  test('passes a ban in force to the successor, with what is left of it', async () => {
    await using it = await banScene(SETTINGS);
    await provokeBan(it, 1);
    it.clock.advance(100 * SECOND);
    const successor = await rotated(it);
    const banned = { code: 'api_key_banned', retryAfter: 200 };
    expect(await ask(it.service, successor)).toMatchObject(banned);
    expect(await ask(it.service, it.secret)).toMatchObject(banned);
    it.clock.advance(200 * SECOND);
    expect((await ask(it.service, successor)).status).toBe(200);
  });

  test('passes the level of the last ban on, also through a chain of rotations', async () => {
    await using it = await banScene(SETTINGS);
    await provokeBan(it, 1);
    it.clock.advance(300 * SECOND);
    const secret = await rotated(it, 3);
    expect((await provokeBan({ ...it, secret }, 1)).retryAfter).toBe(600);
    expect(await codeOf(it, it.secret)).toBe('api_key_banned');
  });

  test('passes strikes on: the refusals of both keys lead to the ban together', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '4' });
    await askTimes(it.service, 2, it.secret);
    it.clock.advance(2 * SECOND);
    await askTimes(it.service, 2, it.secret);
    const successor = await rotated(it);
    expect(await codeOf(it, successor)).toBe('rate_limited');
    expect(await codeOf(it, successor)).toBe('api_key_banned');
  });

  test('leaves other keys of the account alone', async () => {
    await using it = await banScene(SETTINGS);
    const { account, service } = it;
    const request = { environment: 'production', name: 'other' } as const;
    const other = await service.stores.apiKeyService.issue(account, request, 'test');
    await provokeBan(it, 1);
    await rotated(it);
    expect(await codeOf(it, other.text)).toBe('rate_limited');
  });

  test('passes on a ban that is read from the store after a restart, and its level', async () => {
    await using it = await banScene(SETTINGS);
    await provokeBan(it, 1);
    const secret = await rotated(it, 2);
    await it.service.stop();
    const { clock } = it;
    const folder = it.service.folder.path;
    await using service = await TestService.start({ clock, settings: SETTINGS, folder });
    expect((await ask(service, secret)).code).toBe('api_key_banned');
    clock.advance(300 * SECOND);
    expect((await provokeBan({ ...it, service, secret }, 1)).retryAfter).toBe(600);
  });
});

test('lifting a ban ends it for the key and for its successor', async () => {
  await using it = await banScene(SETTINGS);
  await provokeBan(it, 1);
  const ban = await recordedBan(it);
  const successor = await rotated(it, 2);
  expect(await codeOf(it, successor)).toBe('api_key_banned');
  await it.service.stores.bans.lift(ban.id, 'ada', it.clock.now().wall);
  await it.service.runJobs('watch for changes');
  expect(await codeOf(it, successor)).toBe('rate_limited');
  expect(await codeOf(it, it.secret)).toBe('rate_limited');
});
