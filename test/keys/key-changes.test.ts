import { describe, expect, test } from 'bun:test';
import { rejection } from '../../client/testing/test-client.ts';
import type { RotationOverlap } from '../../src/core/keys/api-key-service.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { eventually, ManualClock, TestService } from '../support/harness.ts';
import { ask, askTimes } from '../support/limit-readings.ts';
import { runCommand } from '../support/process.ts';

const production = { environment: 'production', name: 'test' } as const;

async function isAccepted(service: TestService, key: string): Promise<boolean> {
  return (await ask(service, key)).status === 200;
}

describe('rotation', () => {
  const overlaps: ReadonlyArray<readonly [RotationOverlap, number]> = [
    ['1h', HOUR],
    ['24h', 24 * HOUR],
    ['72h', 72 * HOUR],
  ];
  for (const [overlap, length] of overlaps) {
    test(`with an overlap of ${overlap} keeps the old key for exactly that long`, async () => {
      const clock = new ManualClock();
      await using service = await TestService.start({ clock });
      const { key, secret } = await service.account();

      const successor = await service.stores.apiKeyService.rotate(key, overlap, 'test');

      clock.advance(length - 1);
      expect(await isAccepted(service, secret)).toBe(true);
      expect(await isAccepted(service, successor.text)).toBe(true);
      clock.advance(1);
      expect((await ask(service, secret)).message).toContain('expired');
      expect(await isAccepted(service, successor.text)).toBe(true);
    });
  }

  test('without overlap ends the old key at once', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { key, secret } = await service.account();
    expect(await isAccepted(service, secret)).toBe(true);

    const successor = await service.stores.apiKeyService.rotate(key, '0', 'test');

    expect(await isAccepted(service, secret)).toBe(false);
    expect(await isAccepted(service, successor.text)).toBe(true);
  });

  test('never keeps the old key beyond its own expiry; the successor lives as long again', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const { apiKeyService } = service.stores;
    const expiresAt = clock.now().wall + 2 * DAY;
    const old = await apiKeyService.issue(
      account,
      { ...production, name: 'short', expiresAt },
      'test',
    );
    clock.advance(DAY);

    const successor = await apiKeyService.rotate(old.key, '72h', 'test');

    expect(successor.key).toMatchObject({
      name: 'short',
      environment: 'production',
      accountId: account.id,
      expiresAt: clock.now().wall + 2 * DAY,
    });
    clock.advance(DAY - 1);
    expect(await isAccepted(service, old.text)).toBe(true);
    clock.advance(1);
    expect(await isAccepted(service, old.text)).toBe(false);
    clock.advance(DAY - 1);
    expect(await isAccepted(service, successor.text)).toBe(true);
    clock.advance(1);
    expect(await isAccepted(service, successor.text)).toBe(false);
  });

  test('is refused for a key that is revoked or expired', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account, key } = await service.account();
    const { apiKeyService, keys } = service.stores;
    const expiresAt = clock.now().wall + HOUR;
    const short = await apiKeyService.issue(account, { ...production, expiresAt }, 'test');
    await apiKeyService.revoke(key.id, 'test');
    clock.advance(HOUR);

    const revoked = await keys.find(key.id);
    if (!revoked) throw new Error('The key is gone.');

    expect(await rejection(apiKeyService.rotate(revoked, '1h', 'test'))).toMatchObject({
      message: expect.stringMatching(/is revoked/),
    });
    expect(await rejection(apiKeyService.rotate(short.key, '1h', 'test'))).toMatchObject({
      message: expect.stringMatching(/is expired/),
    });
  });

  test.each([
    ['a key that does not expire', undefined],
    ['a key that expires', 30 * DAY],
  ])('gives %s its lifetime again when it is rotated again', async (_, lifetime) => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const { apiKeyService, keys } = service.stores;
    const endOf = () => lifetime && clock.now().wall + lifetime;
    const { key } = await apiKeyService.issue(
      account,
      { ...production, expiresAt: endOf() },
      'test',
    );
    clock.advance(MINUTE);
    const first = await apiKeyService.rotate(key, '1h', 'test');
    await apiKeyService.rotate(first.key, '1h', 'test');
    clock.advance(MINUTE);
    const rotated = await keys.find(key.id);
    if (!rotated) throw new Error('The key is gone.');

    expect((await apiKeyService.rotate(rotated, '1h', 'test')).key.expiresAt).toBe(endOf());
  });

  test('never revives a key that was ended since it was looked up', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { key, secret } = await service.account();
    const { apiKeyService } = service.stores;

    await apiKeyService.rotate(key, '0', 'test');
    await apiKeyService.rotate(key, '72h', 'test').catch(() => undefined);

    expect(await isAccepted(service, secret)).toBe(false);
  });
});

describe('revocation', () => {
  test('is effective at once in the process that does it', async () => {
    await using service = await TestService.start();
    const { account, key, secret } = await service.account();
    const other = await service.stores.apiKeyService.issue(account, production, 'test');
    expect(await isAccepted(service, secret)).toBe(true);

    expect(await service.stores.apiKeyService.revoke(key.id, 'test')).toBe(true);

    expect(await isAccepted(service, secret)).toBe(false);
    expect(await isAccepted(service, other.text)).toBe(true);
    expect(await service.stores.apiKeyService.revoke(key.id, 'test')).toBe(false);
  });

  test('by another process is effective in this one soon', async () => {
    await using service = await TestService.start();
    const { key, secret } = await service.account();
    expect(await isAccepted(service, secret)).toBe(true);
    const settings = { PETSTORE_DATA_DIR: service.folder.path };

    const { code } = await runCommand(['keys', 'revoke', key.id], settings);

    expect(code).toBe(0);
    await eventually(async () => !(await isAccepted(service, secret)));
    expect((await ask(service, secret)).message).toContain('revoked');
  });
});

describe('a new plan', () => {
  test('applies to a running server soon, and what was used stays used', async () => {
    await using service = await TestService.start({ clock: new ManualClock() });
    const { account, secret } = await service.account(subscribe('free'));
    await askTimes(service, 10, secret);
    const settings = { PETSTORE_DATA_DIR: service.folder.path };
    const setPlan = (...plan: string[]) =>
      runCommand(['accounts', 'set-plan', account.email, ...plan], settings);

    expect((await setPlan('pro')).code).toBe(0);
    await service.runJobs('watch for changes');
    const { limit, minute, day } = await ask(service, secret);

    expect(limit).toBe(300);
    expect(minute.quota - minute.remaining).toBe(day.quota - day.remaining);
    expect(minute.remaining).toBeLessThan(290);
    expect(day.quota).toBe(10_000);
    const smaller = ['enterprise', '--per-minute', '5', '--per-day', '7'];
    expect((await setPlan(...smaller)).code).toBe(0);
    await service.runJobs('watch for changes');
    expect(await ask(service, secret)).toMatchObject({ status: 429, limit: 7, remaining: 0 });
  });
});

describe('active keys', () => {
  test('are at most 100 for an account, also when they are asked for at once', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const { apiKeyService } = service.stores;

    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, () => apiKeyService.issue(account, production, 'test')),
    );

    const issued = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(issued).toHaveLength(99);
    expect(await rejection(apiKeyService.issue(account, production, 'test'))).toMatchObject({
      message: expect.stringMatching(/100 active keys/),
    });
    const other = await service.account();
    expect(await isAccepted(service, other.secret)).toBe(true);
  });

  test('make room when one is revoked or expires', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account, key } = await service.account();
    const { apiKeyService } = service.stores;
    const expiresAt = clock.now().wall + HOUR;
    await apiKeyService.issue(account, { ...production, expiresAt }, 'test');
    await Promise.all(
      Array.from({ length: 98 }, () => apiKeyService.issue(account, production, 'test')),
    );
    const issue = () => apiKeyService.issue(account, production, 'test');

    expect(await rejection(issue())).toMatchObject({
      message: expect.stringMatching(/100 active keys/),
    });
    await apiKeyService.revoke(key.id, 'test');
    await issue();
    expect(await rejection(issue())).toMatchObject({
      message: expect.stringMatching(/100 active keys/),
    });
    clock.advance(HOUR);
    await issue();
    expect(await rejection(issue())).toMatchObject({
      message: expect.stringMatching(/100 active keys/),
    });
  });
});

describe('when a key was last used', () => {
  test('is written at most once a minute', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { key, secret } = await service.account();
    const first = clock.now().wall;
    const lastUsed = async () => (await service.stores.keys.find(key.id))?.lastUsedAt;

    await ask(service, secret);
    await service.runJobs('save last uses');
    expect(await lastUsed()).toBe(first);
    clock.advance(MINUTE - 1);
    await ask(service, secret);
    clock.advance(1);
    await service.runJobs('save last uses');
    expect(await lastUsed()).toBe(first);

    await ask(service, secret);
    await service.runJobs('save last uses');
    expect(await lastUsed()).toBe(first + MINUTE);
  });

  test('is not changed by requests that were answered 429', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account, secret } = await service.account(
      subscribe('enterprise', { perMinute: 1, perDay: 100 }),
    );
    const refused = await service.stores.apiKeyService.issue(account, production, 'test');
    expect((await ask(service, secret)).status).toBe(200);
    expect((await ask(service, refused.text)).status).toBe(429);
    await service.runJobs('save last uses');
    expect((await service.stores.keys.find(refused.key.id))?.lastUsedAt).toBeUndefined();
  });

  test('is written when the service stops, and is not known of a key never used', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account, key, secret } = await service.account();
    const idle = await service.stores.apiKeyService.issue(account, production, 'test');
    await ask(service, secret);
    await service.stop();

    await using next = await TestService.start({ clock, folder: service.folder.path });

    expect((await next.stores.keys.find(key.id))?.lastUsedAt).toBe(clock.now().wall);
    expect((await next.stores.keys.find(idle.key.id))?.lastUsedAt).toBeUndefined();
  });
});
