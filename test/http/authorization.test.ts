import { describe, expect, test } from 'bun:test';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';
import { sharedService } from '../support/shared-service.ts';

const HOUR = 3_600_000;

const shared = sharedService();

/** Sends one request with exactly these Authorization lines. */
async function authorize(service: TestService, ...values: string[]): Promise<RawReply> {
  const lines = values.map((value) => `Authorization:${value}\r\n`).join('');
  const head = `GET /v1/pets HTTP/1.1\r\nHost: localhost:${service.port}\r\nConnection: close\r\n`;
  const { replies } = await rawExchange(service.port, [`${head}${lines}\r\n`]);
  const [reply] = replies;
  if (!reply) throw new Error('No reply came.');
  return reply;
}

describe('the Authorization header', () => {
  const accepted: Readonly<Record<string, (key: string) => string>> = {
    'the scheme as it is': (key) => ` Bearer ${key}`,
    'the scheme in lower case': (key) => ` bearer ${key}`,
    'the scheme in upper case': (key) => ` BEARER ${key}`,
    'two spaces after the scheme': (key) => ` Bearer  ${key}`,
    'no space after the colon': (key) => `Bearer ${key}`,
    'spaces and tabs around the value': (key) => ` \t Bearer ${key} \t `,
  };
  for (const [form, value] of Object.entries(accepted)) {
    test(`is accepted with ${form}`, async () => {
      const service = shared();
      const { secret } = await service.account();

      expect((await authorize(service, value(secret))).status).toBe(200);
    });
  }

  const refused: Readonly<Record<string, (key: string) => string[]>> = {
    'a space and a tab': (key) => [` Bearer \t${key}`],
    'a tab': (key) => [` Bearer\t${key}`],
    'the key given twice': (key) => [` Bearer ${key}`, ` Bearer ${key}`],
    'a good and a bad key': (key) => [` Bearer ${key}`, ' Bearer nonsense'],
    'two keys in one line': (key) => [` Bearer ${key} ${key}`],
    'another scheme': (key) => [` Basic ${key}`],
    'a scheme that only begins so': (key) => [` BearerX ${key}`],
    'no scheme': (key) => [` ${key}`],
    nothing: () => [' '],
    'no key': () => [' Bearer'],
    'a comma behind the key': (key) => [` Bearer ${key},`],
    'quotes around the key': (key) => [` Bearer "${key}"`],
    'bytes beyond ASCII': (key) => [` Bearer ${key}\xe9`],
    'a no-break space': (key) => [` Bearer\xa0${key}`],
    '10 kB': () => [` Bearer ${'a'.repeat(10_240)}`],
  };
  for (const [form, values] of Object.entries(refused)) {
    test(`is refused with ${form}`, async () => {
      const service = shared();
      const { secret } = await service.account();

      const reply = await authorize(service, ...values(secret));

      expect(reply.status).toBe(401);
      // RFC 6750, 3.1: another scheme gets no error code.
      const isOther = form === 'another scheme' || form === 'a scheme that only begins so';
      const error = isOther ? '' : ', error="invalid_token"';
      expect(reply.headers['www-authenticate']).toBe(`Bearer realm="petstore"${error}`);
      const { code, message, status, ...others } = JSON.parse(reply.body);
      expect({ code, status, others }).toEqual({
        code: 'invalid_api_key',
        status: 401,
        others: {},
      });
      expect(message).not.toContain(secret);
    });
  }

  test('when missing, gets a challenge without an error code', async () => {
    await using service = await TestService.start();

    const reply = await authorize(service);

    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="petstore"');
    expect(JSON.parse(reply.body)).toEqual({
      code: 'missing_api_key',
      message: 'Send your API key in the header "Authorization: Bearer <API_KEY>".',
      status: 401,
    });
  });

  test('is the only place for a key: a query or cookie is not looked at', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    for (const name of ['access_token', 'api_key', 'key']) {
      expect((await ask(service, undefined, `/pets?${name}=${secret}`)).code).toBe(
        'missing_api_key',
      );
    }
    const headers = { Cookie: `api_key=${secret}`, 'X-Api-Key': secret };
    expect((await service.request('/pets', { headers })).status).toBe(401);
  });
});

describe('a 401 says what is wrong with the key', () => {
  test('unknown, or mistyped', async () => {
    await using service = await TestService.start();

    expect((await ask(service, generateApiKey('production'))).message).toBe(
      'This API key is unknown. Create a new one.',
    );
    expect((await ask(service, 'pst_live_nonsense')).message).toBe(
      'This is not an API key of this service. Check it for typos.',
    );
  });

  test('of the other environment, in both directions', async () => {
    await using service = await TestService.start();
    const production = await service.account();
    const staging = await service.account(undefined, 'staging');

    const toStaging = await service.request('/pets', {
      key: production.secret,
      environment: 'staging',
    });

    expect((await toStaging.json()).message).toBe(
      'This API key is for production, and this is staging. ' +
        'Send it to the base URL of production, or use a staging key.',
    );
    expect((await ask(service, staging.secret)).message).toBe(
      'This API key is for staging, and this is production. ' +
        'Send it to the base URL of staging, or use a production key.',
    );
  });

  test('expired, from the very moment on', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { account } = await service.account();
    const expiresAt = clock.now().wall + HOUR;
    const request = { environment: 'production', name: 'short', expiresAt } as const;
    const { text } = await service.stores.apiKeyService.issue(account, request, 'test');

    clock.advance(HOUR - 1);
    expect((await ask(service, text)).status).toBe(200);
    clock.advance(1);

    expect(await ask(service, text)).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: 'This API key is expired. Create a new one.',
    });
  });

  test('revoked', async () => {
    await using service = await TestService.start();
    const { key, secret } = await service.account();
    await service.stores.apiKeyService.revoke(key.id, 'test');

    expect((await ask(service, secret)).message).toBe('This API key is revoked. Create a new one.');
  });
});
