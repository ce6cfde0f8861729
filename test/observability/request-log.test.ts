import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { DAY, SECOND } from '../../src/lib/clock.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { requestLogScene, savedRequests } from '../support/request-log-scene.ts';
import { callSandbox } from '../support/sandbox-scene.ts';

describe('the request log', () => {
  test('has each request of an account, with what its reply said', async () => {
    await using it = await requestLogScene();
    const { account, key, secret } = await it.service.account(subscribe('free'));
    const headers = { 'User-Agent': 'shop/1.2', 'X-Request-Id': 'order-17' };
    const reply = await it.service.request('/pets?limit=2', { key: secret, headers });
    const [logged, ...others] = await savedRequests(it, account.id);
    expect(others).toEqual([]);
    expect(logged).toEqual({
      id: expect.any(String),
      accountId: account.id,
      at: it.clock.now().wall - SECOND,
      requestId: 'order-17',
      environment: 'production',
      keyId: key.id,
      method: 'GET',
      path: '/v1/pets?limit=2',
      status: 200,
      code: undefined,
      message: undefined,
      durationMicros: 0,
      replyBytes: (await reply.bytes()).byteLength,
      address: expect.stringMatching(/^127\.0\.0\.1$|::/),
      userAgent: 'shop/1.2',
      simulation: undefined,
      isReplayed: false,
      limits: {
        ...{ limit: 60, remaining: 59 },
        reset: Number(reply.headers.get('X-RateLimit-Reset')),
        minute: { limit: 60, remaining: 59, resetIn: 60 },
        day: { limit: 1_000, remaining: 999, resetIn: expect.any(Number) },
        retryAfter: undefined,
      },
      notRecorded: 0,
    });
  });

  test('has the code and the message of an error, and the wait of a refusal', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account(
      subscribe('enterprise', { perMinute: 1, perDay: 100 }),
    );
    const missing = await (await it.service.request('/pets/7', { key: secret })).json();
    it.clock.advance(SECOND);
    const refusal = await it.service.request('/pets', { key: secret });
    const [refused, failed] = await savedRequests(it, account.id);
    const { message, code } = missing;
    expect(failed).toMatchObject({ status: 404, code, message, path: '/v1/pets/7' });
    expect(refused).toMatchObject({
      status: 429,
      code: 'rate_limited',
      limits: { remaining: 0, retryAfter: Number(refusal.headers.get('Retry-After')) },
    });
  });

  test('has requests of staging, of its sandbox and of the quickstart, simulations and replays', async () => {
    await using it = await requestLogScene();
    const { service } = it;
    const { account, secret } = await service.account(undefined, 'staging');
    const list = (headers = {}) =>
      service.request('/pets', { key: secret, environment: 'staging', headers });
    await list();
    await list({ 'Petstore-Simulate': 'unavailable' });
    await callSandbox(service, secret);
    for (const _ of ['first', 'again']) {
      await fetch(`${service.url('quickstart')}/messages`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${secret}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'same',
        },
        body: JSON.stringify({ message: 'Hello' }),
      });
    }
    const logged = await savedRequests(it, account.id);
    expect(new Set(logged.map(({ environment }) => environment))).toEqual(new Set(['staging']));
    const shown = logged.map(({ path, status, simulation, isReplayed }) =>
      [path, status, simulation, isReplayed].join(' '),
    );
    expect(shown.sort()).toEqual([
      '/quickstart/messages 202  false',
      '/quickstart/messages 202  true',
      '/staging/sandbox/ 200  false',
      '/staging/v1/pets 200  false',
      '/staging/v1/pets 503 unavailable false',
    ]);
  });

  test('has the replay of a creation', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account();
    const create = () =>
      it.service.post(secret, { name: 'Ada', categoryId: 1 }, { 'Idempotency-Key': 'one' });
    await create();
    await create();
    const logged = await savedRequests(it, account.id);
    expect(logged.map(({ isReplayed }) => isReplayed).sort()).toEqual([false, true]);
  });

  test('never holds a body or a key', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account();
    const canary = 'canary-in-the-body';
    await it.service.post(secret, { name: canary });
    await it.service.post(secret, { name: 'A', categoryId: 1, [canary]: 1, status: canary });
    await it.service.post(secret, `{"${canary}": 1, "${canary}": 2}`);
    await it.service.post(secret, { name: canary, categoryId: 1 }, { 'Idempotency-Key': canary });
    const partial = secret.slice(0, -10);
    const encoded = secret.replaceAll('_', '%5F');
    const partlyEncoded = percentEncoded(secret).slice(0, 99);
    for (const text of [secret, partial, encoded, partlyEncoded, `pet-${secret.slice(9)}`]) {
      await it.service.request(`/pets/${text}?api_key=${text}&limit=1`, {
        key: secret,
        headers: { 'User-Agent': `agent ${text}`, 'X-Request-Id': text },
      });
    }
    const logged = await savedRequests(it, account.id);
    expect(logged).toHaveLength(9);
    const text = JSON.stringify(logged);
    expect(text).not.toContain(percentEncoded(secret.slice(9, 20)));
    expect(text).not.toContain(canary);
    expect(text).not.toContain(secret.slice(9, 20));
    expect(text).toContain('/v1/pets/[hidden]?api_key=[hidden]&limit=1');
  });

  test('holds no part of a key that is cut off with the end of a long path', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account();
    const encoded = percentEncoded(secret.slice(9));
    // Replacing keys shortens the path, so that text after them is recorded.
    const before = `/pets/${`${secret}.`.repeat(20)}`;
    for (let shift = 0; shift < encoded.length; shift += 9) {
      const path = `${before}${'.'.repeat(1_200 - before.length - shift)}${encoded}`;
      expect((await it.service.request(path, { key: secret })).status).toBe(404);
    }
    const logged = JSON.stringify(await savedRequests(it, account.id));
    expect(logged).toContain('[hidden]');
    expect(logged).not.toContain(encoded.slice(0, 9));
  });

  test('has nothing of a request without a valid key, which has no account', async () => {
    await using it = await requestLogScene();
    const { account, key, secret } = await it.service.account();
    await it.service.request('/pets');
    const typo = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    await it.service.request('/pets', { key: typo });
    await it.service.stores.keys.revoke(key.id, it.clock.now().wall, 'test');
    await it.service.request('/pets', { key: secret });
    expect(await savedRequests(it, account.id)).toEqual([]);
  });

  test('keeps requests for the days that are set, 7 of them by default', async () => {
    await using it = await requestLogScene({ settings: {} });
    const { account, secret } = await it.service.account();
    await it.service.request('/pets', { key: secret });
    expect(await savedRequests(it, account.id)).toHaveLength(1);
    it.clock.advance(7 * DAY - 2 * SECOND);
    await it.service.runJobs('prune the request log');
    expect(await savedRequests(it, account.id)).toHaveLength(1);
    it.clock.advance(SECOND);
    await it.service.runJobs('prune the request log');
    expect(await savedRequests(it, account.id)).toEqual([]);
  });

  test('is off with 0 days: nothing is recorded, and what there was is deleted', async () => {
    using folder = temporaryFolder();
    const clock = new ManualClock();
    const start = (days: string) =>
      TestService.start({
        clock,
        folder: folder.path,
        settings: { PETSTORE_REQUEST_LOG_DAYS: days },
      });
    let it: Awaited<ReturnType<TestService['account']>>;
    {
      await using service = await start('1');
      it = await service.account();
      await service.request('/pets', { key: it.secret });
    }
    await using service = await start('0');
    await service.request('/pets', { key: it.secret });
    expect(await service.stores.requestLog.page(it.account.id, {}, 10)).toHaveLength(1);
    clock.advance(1);
    await service.runJobs();
    expect(await service.stores.requestLog.page(it.account.id, {}, 10)).toEqual([]);
  });

  test('is saved whole when the service stops', async () => {
    using folder = temporaryFolder();
    const clock = new ManualClock();
    const first = await TestService.start({ clock, folder: folder.path });
    const { account, secret } = await first.account();
    await first.request('/pets', { key: secret });
    await first.stop();
    await using service = await TestService.start({ clock, folder: folder.path });
    expect(await service.stores.requestLog.page(account.id, {}, 10)).toHaveLength(1);
  });

  test('of several processes on one folder is one, within two seconds', async () => {
    using folder = temporaryFolder();
    const start = (...parts: ['production' | 'staging']) =>
      TestService.start({ folder: folder.path, parts });
    await using production = await start('production');
    await using staging = await start('staging');
    const { account, secret } = await production.account();
    const issued = await production.stores.apiKeyService.issue(
      account,
      { environment: 'staging', name: 'other' },
      'test',
    );
    await production.request('/pets', { key: secret });
    await staging.request('/pets', { key: issued.text, environment: 'staging' });
    for (const { stores } of [production, staging]) {
      const environments = async () =>
        (await stores.requestLog.page(account.id, {}, 10)).map(({ environment }) => environment);
      await eventually(async () => (await environments()).length === 2);
      expect((await environments()).sort()).toEqual(['production', 'staging']);
    }
  });

  test('forgets an account that another process deletes, with what was not saved yet', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account();
    await it.service.request('/pets', { key: secret });
    await it.service.stores.accounts.delete(account.id, it.clock.now().wall, 'test');
    expect(await savedRequests(it, account.id)).toEqual([]);
  });

  test('forgets an environment that is reset, with what was not saved yet', async () => {
    await using it = await requestLogScene();
    const { account, secret } = await it.service.account();
    await it.service.request('/pets', { key: secret });
    await it.service.stores.environmentResets.reset(['production'], 'test', 0);
    expect(await savedRequests(it, account.id)).toEqual([]);
  });
});

/** Percent-encodes every character, which is valid although not required. */
function percentEncoded(text: string): string {
  return [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('');
}
