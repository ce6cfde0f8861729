import { Database } from 'bun:sqlite';
import { afterAll, afterEach, describe, expect, spyOn, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { banScene, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

const production = { environment: 'production', name: 'test' } as const;

const queries = spyOn(Database.prototype, 'query');
afterEach(() => queries.mockClear());
afterAll(() => queries.mockRestore());

/** How often keys are read from the file during the work. */
async function keyReads(work: () => Promise<unknown>): Promise<number> {
  queries.mockClear();
  await work();
  const isKeyRead = ([sql]: readonly unknown[]) => /WHERE api_keys\.digest IN/.test(String(sql));
  return queries.mock.calls.filter(isKeyRead).length;
}

/** A service with three cached keys: two of one account, one of another. */
async function threeKeys() {
  const service = await TestService.start({ clock: new ManualClock() });
  const one = await service.account();
  const sibling = await service.stores.apiKeyService.issue(one.account, production, 'test');
  const other = await service.account();
  const askAll = async (secrets: readonly string[]) => {
    for (const secret of secrets) await ask(service, secret);
  };
  await askAll([one.secret, sibling.text, other.secret]);
  return { service, one, sibling, other, askAll };
}

describe('a change that this process makes', () => {
  test('of one key is effective at once, and no other key is read again', async () => {
    const { service, one, sibling, other, askAll } = await threeKeys();
    await using _ = service;
    await service.stores.apiKeyService.revoke(one.key.id, 'test');
    expect(await keyReads(() => askAll([sibling.text, other.secret]))).toBe(0);
    expect((await ask(service, one.secret)).message).toContain('revoked');
  });

  test("of one account's plan is effective at once, and only its keys are read again", async () => {
    const { service, one, sibling, other, askAll } = await threeKeys();
    await using _ = service;
    const { accounts } = service.stores;
    await accounts.setSubscription(one.account.id, subscribe('pro'), 0, 'test');
    expect(await keyReads(() => askAll([other.secret]))).toBe(0);
    expect(await keyReads(() => askAll([one.secret, sibling.text]))).toBe(2);
    expect((await ask(service, one.secret)).limit).toBe(300);
  });

  test('deletes an account with its keys at once', async () => {
    const { service, one, other } = await threeKeys();
    await using _ = service;
    await service.stores.accounts.delete(one.account.id, 0, 'test');
    expect((await ask(service, one.secret)).status).toBe(401);
    expect((await ask(service, other.secret)).status).toBe(200);
  });

  test('lifts a ban at once', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    await provokeBan(it, 1);
    const { id } = await recordedBan(it);
    await it.service.stores.bans.lift(id, 'ada', it.clock.now().wall);
    expect((await ask(it.service, it.secret)).code).toBe('rate_limited');
  });

  test('is effective at once although the feed cannot be read after it', async () => {
    const { service, one } = await threeKeys();
    await using _ = service;
    const feed = spyOn(service.stores.changes, 'since').mockImplementationOnce(async () => {
      throw new StorageUnavailable(new Error('disk error'));
    });
    expect(await service.stores.apiKeyService.revoke(one.key.id, 'test')).toBe(true);
    expect(feed).toHaveBeenCalledTimes(1);
    expect((await ask(service, one.secret)).message).toContain('revoked');
  });
});
