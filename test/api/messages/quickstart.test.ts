import { describe, expect, test } from 'bun:test';
import { rejection } from '../../../client/testing/test-client.ts';
import { ENVIRONMENTS } from '../../../src/core/environments.ts';
import { generateApiKey } from '../../../src/core/keys/api-key-text.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { SECOND } from '../../../src/lib/clock.ts';
import { ManualClock } from '../../support/harness.ts';
import { readAnswer, readLimits } from '../../support/limit-readings.ts';
import { refusalOf } from '../../support/problem.ts';
import { ask, send, startQuickstart } from '../../support/quickstart-scene.ts';
import { sharedService } from '../../support/shared-service.ts';

const CHALLENGE = 'Bearer realm="petstore"';
const CHALLENGE_TO_BAD_KEY = 'Bearer realm="petstore", error="invalid_token"';

const shared = sharedService(startQuickstart);

describe('a message', () => {
  test('is queued by the shipped client, and is what the inbox holds', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { account, secret } = await service.account();
    const client = service.client(secret, { quickstartBaseUrl: service.url('quickstart') });

    const sent = await client.sendMessage('Hello, petstore!');

    expect(sent).toStrictEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/),
      message: 'Hello, petstore!',
      status: 'queued',
      createdAt: '2027-01-02T12:00:00.000Z',
    });
    const [kept, ...others] = await service.stores.messages.list(account.id, 10);
    expect(kept).toMatchObject({
      id: sent.id,
      text: sent.message,
      environment: 'production',
      createdAt: clock.now().wall,
    });
    expect(others).toEqual([]);
  });

  test('is answered with 202 and exactly the fields of the contract', async () => {
    const service = shared();
    const { secret } = await service.account();

    const reply = await send(service, secret);

    expect(reply.status).toBe(202);
    expect(reply.headers.get('Content-Type')).toBe('application/json');
    const body: unknown = await reply.json();
    expect(Object.keys(Object(body))).toEqual(['id', 'message', 'status', 'createdAt']);
    expect(body).toMatchObject({ message: 'Hello!', status: 'queued' });
  });

  test('is a new one each time it is sent, with an id that sorts after the one before', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { secret } = await service.account();
    const client = service.client(secret, { quickstartBaseUrl: service.url('quickstart') });
    const ids: string[] = [];
    for (let sent = 0; sent < 5; sent += 1) {
      ids.push((await client.sendMessage('Again')).id);
      clock.advance(1);
    }
    expect(new Set(ids).size).toBe(5);
    expect(ids).toEqual(ids.toSorted());
  });
});

describe('a message with an Idempotency-Key', () => {
  test('is queued once however often it is sent, and each reply is the first', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const { account, secret } = await service.account();
    const again = () => send(service, secret, { message: 'once' }, { 'Idempotency-Key': 'k-1' });

    const first = await again();
    clock.advance(SECOND);
    const others = await Promise.all([again(), again()]);
    await service.stores.messages.deliver(clock.now().wall, 10);
    const last = await again();

    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    const body = await first.text();
    for (const reply of [...others, last]) {
      expect(reply.status).toBe(202);
      expect(reply.headers.get('Idempotent-Replayed')).toBe('true');
      expect(await reply.text()).toBe(body);
    }
    expect(await service.stores.messages.list(account.id, 10)).toHaveLength(1);
  });

  test('and another text is refused', async () => {
    const service = shared();
    const { account, secret } = await service.account();
    const key = { 'Idempotency-Key': 'k-1' };
    await send(service, secret, { message: 'one' }, key);

    const reply = await send(service, secret, { message: 'two' }, key);

    expect(await refusalOf(reply)).toMatchObject({ status: 422, code: 'idempotency_mismatch' });
    expect(await service.stores.messages.list(account.id, 10)).toHaveLength(1);
  });

  test.each(['', 'with spaces', 'é', 'x'.repeat(256)])('that is %p is refused', async (key) => {
    const service = shared();
    const { secret } = await service.account();
    const reply = await send(service, secret, { message: 'one' }, { 'Idempotency-Key': key });
    expect(await refusalOf(reply)).toMatchObject({ status: 400, code: 'invalid_parameter' });
  });
});

describe('keys of both environments', () => {
  test('are taken, and each is counted in its own environment', async () => {
    await using service = await startQuickstart({ clock: new ManualClock() });
    const { account, secret } = await service.account(subscribe('free'));
    const request = { environment: 'staging', name: 'staging' } as const;
    const staging = await service.stores.apiKeyService.issue(account, request, 'test');
    const keys = { production: secret, staging: staging.text };

    for (const [index, name] of ENVIRONMENTS.entries()) {
      const key = keys[name];
      for (let sent = 1; sent <= 3 + index; sent += 1) {
        const reply = await send(service, key);
        expect(reply.status).toBe(202);
        expect(readLimits(reply)).toMatchObject({ limit: 60, remaining: 60 - sent });
      }
      const listed = await service.request('/pets', { key, environment: name });
      expect(readLimits(listed)).toMatchObject({ status: 200, remaining: 60 - 4 - index });
    }
    const kept = await service.stores.messages.list(account.id, 10);
    const environments = kept.map(({ environment }) => environment);
    expect(environments).toEqual([...Array(4).fill('staging'), ...Array(3).fill('production')]);
  });
});

describe('limits', () => {
  test('are on every reply, and are enforced: a refused message is not queued', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock });
    const limits = { perMinute: 2, perDay: 100 };
    const { account, secret } = await service.account(subscribe('enterprise', limits));

    for (const remaining of [1, 0]) {
      expect(readLimits(await send(service, secret))).toMatchObject({ status: 202, remaining });
    }
    const refused = await readAnswer(await send(service, secret));
    expect(refused).toMatchObject({
      ...{ status: 429, code: 'rate_limited', limit: 2, remaining: 0, retryAfter: 60 },
      minute: { quota: 2, remaining: 0, resetsIn: 60 },
      day: { quota: 100, remaining: 98 },
    });
    expect(await service.stores.messages.list(account.id, 10)).toHaveLength(2);
    clock.advance(60 * SECOND);
    expect((await send(service, secret)).status).toBe(202);
  });

  test('ban a key that keeps sending, here and in its environment', async () => {
    const clock = new ManualClock();
    await using service = await startQuickstart({ clock, settings: { PETSTORE_BAN_AFTER: '1' } });
    const once = subscribe('enterprise', { perMinute: 1, perDay: 100 });
    const { secret } = await service.account(once);
    await send(service, secret);
    await send(service, secret);
    clock.advance(2 * SECOND);

    const banned = { status: 429, code: 'api_key_banned', retryAfter: 300 };
    expect(await readAnswer(await send(service, secret))).toMatchObject(banned);
    expect(await readAnswer(await service.request('/pets', { key: secret }))).toMatchObject(banned);
  });

  test('without a valid key are those of the address, which production counts, too', async () => {
    await using service = await startQuickstart({
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '2' },
      clock: new ManualClock(),
    });
    const { secret } = await service.account();
    const first = readLimits(await send(service, undefined));
    expect(first).toMatchObject({ status: 401, limit: 2, remaining: 1 });
    const second = readLimits(await service.request('/pets'));
    expect(second).toMatchObject({ status: 401, limit: 2, remaining: 0 });
    expect((await send(service, 'bad')).status).toBe(429);
    expect((await send(service, secret)).status).toBe(202);
  });
});

describe('a request without a valid key', () => {
  test('gets 401 and the challenge when there is none', async () => {
    const service = shared();

    const reply = await send(service, undefined);

    expect(reply.headers.get('WWW-Authenticate')).toBe(CHALLENGE);
    expect(await refusalOf(reply)).toStrictEqual({
      status: 401,
      code: 'missing_api_key',
      message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
    });
  });

  test.each(ENVIRONMENTS)('gets 401 when it is unknown, of either kind: %s', async (name) => {
    const service = shared();
    const key = generateApiKey(name);
    const client = service.client(key, { quickstartBaseUrl: service.url('quickstart') });

    expect(await rejection(client.sendMessage('Hi'))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: 'This API key is unknown. Create a new one.',
    });
    const reply = await send(service, key);
    expect(reply.headers.get('WWW-Authenticate')).toBe(CHALLENGE_TO_BAD_KEY);
  });

  test('gets 401 when it was revoked, and nothing is queued', async () => {
    const service = shared();
    const { account, key, secret } = await service.account();
    await service.stores.apiKeyService.revoke(key.id, 'test');

    expect(await refusalOf(await send(service, secret))).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: 'This API key is revoked. Create a new one.',
    });
    expect(await service.stores.messages.list(account.id, 10)).toEqual([]);
  });

  test.each([
    ['no scheme', (key: string) => key],
    ['the scheme alone', () => 'Bearer'],
    ['quotes', (key: string) => `Bearer "${key}"`],
    ['two keys', (key: string) => `Bearer ${key} ${key}`],
    ['given twice', (key: string) => `Bearer ${key}, Bearer ${key}`],
    ['empty', () => ''],
  ])('gets 401 when the Authorization header is wrongly formed: %s', async (_, form) => {
    const service = shared();
    const { account, secret } = await service.account();

    const reply = await send(service, undefined, undefined, { Authorization: form(secret) });

    // RFC 6750, 3.1: another scheme gets no error code.
    expect(reply.headers.get('WWW-Authenticate')).toBe(
      form(secret).startsWith('Basic') ? CHALLENGE : CHALLENGE_TO_BAD_KEY,
    );
    expect(await refusalOf(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(await service.stores.messages.list(account.id, 10)).toEqual([]);
  });

  test('gets 401 for another scheme, with a challenge that names no error', async () => {
    const service = shared();
    const { secret } = await service.account();

    const reply = await send(service, undefined, undefined, { Authorization: `Basic ${secret}` });

    expect(reply.headers.get('WWW-Authenticate')).toBe('Bearer realm="petstore"');
    expect(await refusalOf(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('gets 401 before anything else is looked at: path, method or body', async () => {
    const service = shared();

    expect((await ask(service, '/nothing')).status).toBe(401);
    expect((await ask(service, '/messages', { method: 'DELETE' })).status).toBe(401);
    expect((await send(service, 'bad', '{')).status).toBe(401);
  });
});
