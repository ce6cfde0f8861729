import { describe, expect, test } from 'bun:test';
import { rejection } from '../../client/testing/test-client.ts';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { rawExchange } from '../support/raw.ts';

const CHALLENGE = 'Bearer realm="petstore"';
const CHALLENGE_TO_BAD_KEY = 'Bearer realm="petstore", error="invalid_token"';

/** Every kind of request that needs a key below a base address, served or not. */
const REQUESTS = [
  ['GET', '/pets'],
  ['POST', '/pets'],
  ['GET', '/pets/1'],
  ['OPTIONS', '/pets'],
  ['DELETE', '/pets'],
  ['GET', '/nothing'],
  ['GET', '/pets/'],
  ['GET', ''],
  ['GET', '/pets?limit=0'],
  ['POST', '/openapi.json'],
] as const;

function remaining(reply: Response): number {
  return Number(reply.headers.get('X-RateLimit-Remaining'));
}

/** The refusal of a request to list pets with this Authorization header. */
async function refusalOfAuthorization(service: TestService, value: string) {
  const reply = await service.request('/pets', { headers: { Authorization: value } });
  expect(reply.headers.get('WWW-Authenticate')).toBe(CHALLENGE_TO_BAD_KEY);
  return refusalOf(reply);
}

describe('a request without a key', () => {
  test.each(REQUESTS)('gets 401 and the bearer challenge: %s %s', async (method, path) => {
    await using service = await TestService.start();

    const reply = await service.request(path, { method });

    expect(reply.headers.get('WWW-Authenticate')).toBe(CHALLENGE);
    expect(await refusalOf(reply)).toStrictEqual({
      status: 401,
      code: 'missing_api_key',
      message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
    });
  });

  test('gets 401 also when the key is somewhere else than in Authorization', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const headers = { 'X-API-Key': secret, Cookie: `key=${secret}` };

    const reply = await service.request(`/pets?access_token=${secret}`, { headers });

    expect(await refusalOf(reply)).toMatchObject({ status: 401, code: 'missing_api_key' });
  });
});

describe('a request with a bad key', () => {
  test.each(REQUESTS)('gets 401 and the challenge with an error: %s %s', async (method, path) => {
    await using service = await TestService.start();

    const reply = await service.request(path, { method, key: generateApiKey('production') });

    expect(reply.headers.get('WWW-Authenticate')).toBe(CHALLENGE_TO_BAD_KEY);
    expect(await refusalOf(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test('is refused because the key is unknown', async () => {
    await using service = await TestService.start();

    const error = await rejection(service.client(generateApiKey('production')).listPets());

    expect(error).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: 'This API key is unknown. Create a new one.',
    });
  });

  test.each([
    ['one character changed', (key: string) => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')],
    ['its case changed', (key: string) => key.toUpperCase()],
    ['one character cut off', (key: string) => key.slice(0, -1)],
    ['something behind it', (key: string) => `${key}x`],
  ])('learns that it may be a typo: %s', async (_, misspell) => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    expect(await refusalOfAuthorization(service, `Bearer ${misspell(secret)}`)).toMatchObject({
      code: 'invalid_api_key',
      message: 'This is not an API key of this service. Check it for typos.',
    });
  });
});

describe('a request with a key that works no more, or not here', () => {
  test('is refused because the key has expired, from that instant on', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const expiresAt = clock.now().wall + HOUR;
    const { text } = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'production',
        name: 'short',
        expiresAt,
      },
      'test',
    );

    clock.advance(HOUR - 1);
    expect((await service.request('/pets', { key: text })).status).toBe(200);
    clock.advance(1);
    expect(await refusalOfAuthorization(service, `Bearer ${text}`)).toMatchObject({
      message: 'This API key is expired. Create a new one.',
    });
  });

  test('is refused because the key was revoked, at once', async () => {
    await using service = await TestService.start();
    const { key, secret } = await service.account();
    expect((await service.request('/pets', { key: secret })).status).toBe(200);

    await service.stores.apiKeyService.revoke(key.id, 'test');

    expect(await refusalOfAuthorization(service, `Bearer ${secret}`)).toMatchObject({
      message: 'This API key is revoked. Create a new one.',
    });
  });

  test('is refused because the key is for the other environment', async () => {
    await using service = await TestService.start();
    const production = await service.account();
    const staging = await service.account(undefined, 'staging');

    const here = await service.request('/pets', { key: staging.secret });
    const there = await service.request('/pets', {
      key: production.secret,
      environment: 'staging',
    });

    expect((await refusalOf(here)).message).toBe(
      'This API key is for staging, and this is production. ' +
        'Send it to the base URL of staging, or use a production key.',
    );
    expect((await refusalOf(there)).message).toBe(
      'This API key is for production, and this is staging. ' +
        'Send it to the base URL of production, or use a staging key.',
    );
  });
});

describe('the Authorization header', () => {
  test.each(['Bearer', 'bearer', 'BEARER'])('takes the scheme as %s', async (scheme) => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const headers = { Authorization: `${scheme} ${secret}` };

    expect((await service.request('/pets', { headers })).status).toBe(200);
  });

  test.each([
    ['no scheme', (key: string) => key],
    ['no key', () => 'Bearer'],
    ['a colon', (key: string) => `Bearer: ${key}`],
    ['two keys', (key: string) => `Bearer ${key} ${key}`],
    ['a list', (key: string) => `Bearer ${key}, Bearer ${key}`],
    ['letters outside of ASCII', (key: string) => `Bearer ${key}é`],
    ['nothing', () => ''],
  ])('wrongly formed gets 401: %s', async (_, write) => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    expect(await refusalOfAuthorization(service, write(secret))).toStrictEqual({
      status: 401,
      code: 'invalid_api_key',
      message: 'The Authorization header must be exactly "Bearer <API_KEY>", given once.',
    });
  });

  test('given twice gets 401, even with the same key', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const line = `Authorization: Bearer ${secret}\r\n`;

    const { replies } = await rawExchange(service.port, [
      `GET /v1/pets HTTP/1.1\r\nHost: localhost:${service.port}\r\n${line}${line}Connection: close\r\n\r\n`,
    ]);

    expect(replies[0]?.status).toBe(401);
  });

  test('sends no challenge when the key is valid', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    for (const path of ['/pets', '/pets/1', '/nothing', '/pets?limit=0']) {
      const reply = await service.request(path, { key: secret });
      expect(reply.headers.has('WWW-Authenticate')).toBeFalse();
    }
  });
});

describe('checks come in the order key, limits, path and method, body', () => {
  test.each([
    ['GET', '/nothing', 404, 'not_found'],
    ['DELETE', '/pets', 405, 'method_not_allowed'],
    ['GET', '/pets?limit=0', 400, 'invalid_parameter'],
    ['GET', '/pets/99', 404, 'pet_not_found'],
    ['POST', '/pets', 400, 'unsupported_content_type'],
  ])(
    '%s %s without a key is 401, with a key %i, and counts',
    async (method, path, status, code) => {
      await using service = await TestService.start();
      const { secret } = await service.account();
      const before = remaining(await service.request('/pets', { key: secret }));

      const without = await service.request(path, { method });
      const reply = await service.request(path, { method, key: secret });

      expect(await refusalOf(without)).toMatchObject({ status: 401, code: 'missing_api_key' });
      expect(remaining(reply)).toBe(before - 1);
      expect(await refusalOf(reply)).toMatchObject({ status, code });
    },
  );

  test('a request without a key counts on its address, and not on any account', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const first = remaining(await service.request('/nothing'));
    const second = remaining(await service.request('/pets'));

    expect(second).toBe(first - 1);
    expect(remaining(await service.request('/pets', { key: secret }))).toBe(999_999);
  });

  test.each([
    ['GET', '/nothing'],
    ['DELETE', '/pets'],
    ['GET', '/pets?limit=0'],
    ['POST', '/pets'],
  ])('%s %s past the limit is 429', async (method, path) => {
    await using service = await TestService.start();
    const { secret } = await service.account(
      subscribe('enterprise', { perMinute: 1, perDay: 1_000 }),
    );
    await service.request('/pets', { key: secret });

    const reply = await service.request(path, { method, key: secret });

    expect(await refusalOf(reply)).toMatchObject({ status: 429, code: 'rate_limited' });
  });

  test.each([
    ['/nothing', 404],
    ['/pets/1', 405],
  ])('a bad body sent to %s is not looked at: %i', async (path, status) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const body = 'x'.repeat(70_000);

    const reply = await service.request(path, { method: 'POST', key: secret, body });

    expect(await refusalOf(reply)).toMatchObject({ status });
  });
});
