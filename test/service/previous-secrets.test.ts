import { describe, expect, spyOn, test } from 'bun:test';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { NEW, NEWEST, OLD, withSecrets } from '../support/secrets.ts';

describe('a service with a previous secret', () => {
  test('moves the keys that requests use, and shows how many are left', async () => {
    using folder = temporaryFolder();
    await using first = await TestService.start({
      folder: folder.path,
      settings: withSecrets(OLD),
    });
    const { secret: used } = await first.account();
    const { secret: unused } = await first.account();
    await first.stop();

    const settings = withSecrets(NEW, OLD);
    await using second = await TestService.start({ folder: folder.path, settings });
    expect((await second.request('/pets', { key: used })).status).toBe(200);

    await eventually(async () => (await second.stores.secrets.uses(Date.now()))[1]?.keys === 1);
    const shown = async () => (await fetch(`${second.opsUrl}/metrics`)).text();
    const needed = /^petstore_previous_secrets_needed\{by="keys"\} 1$/m;
    await eventually(async () => needed.test(await shown()), undefined, 100);
    expect((await second.request('/pets', { key: unused })).status).toBe(200);
    await second.stop();

    await using third = await TestService.start({
      folder: folder.path,
      settings: withSecrets(NEW),
    });
    for (const key of [used, unused]) {
      expect((await third.request('/pets', { key })).status).toBe(200);
    }
  });

  test('moves a key that was used right before it stopped', async () => {
    using folder = temporaryFolder();
    await using first = await TestService.start({
      folder: folder.path,
      settings: withSecrets(OLD),
    });
    const { secret } = await first.account();
    await first.stop();
    const settings = withSecrets(NEW, OLD);
    await using second = await TestService.start({ folder: folder.path, settings });
    await second.request('/pets', { key: secret });
    await second.stop();
    await using third = await TestService.start({
      folder: folder.path,
      settings: withSecrets(NEW),
    });
    expect((await third.request('/pets', { key: secret })).status).toBe(200);
  });

  test('looks a key up once with the digests of all secrets, and a known one not again', async () => {
    using folder = temporaryFolder();
    await using first = await TestService.start({
      folder: folder.path,
      settings: withSecrets(OLD),
    });
    const { secret } = await first.account();
    await first.stop();
    const settings = withSecrets(NEW, NEWEST, OLD);
    await using second = await TestService.start({ folder: folder.path, settings });
    const lookUps = spyOn(second.stores.keys, 'findByDigest');
    for (const [key, status] of [
      [secret, 200],
      [secret, 200],
      [generateApiKey('production'), 401],
    ] as const) {
      expect((await second.request('/pets', { key })).status).toBe(status);
    }
    // A key with a typo is refused without any.
    expect((await second.request('/pets', { key: `${secret}x` })).status).toBe(401);
    expect(lookUps.mock.calls.map((digests) => digests.length)).toEqual([3, 3]);
  });
});
