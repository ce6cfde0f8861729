import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { ManualClock, TestService } from '../support/harness.ts';

const HEADER = 'Strict-Transport-Security';

/** Replies of all kinds, requested as a proxy that ends TLS does: over plain HTTP. */
async function repliesOf(publicUrl: string) {
  await using service = await TestService.start({
    parts: PARTS,
    clock: new ManualClock(),
    settings: { PETSTORE_PUBLIC_URL: publicUrl, PETSTORE_ANONYMOUS_PER_MINUTE: '5' },
  });
  const { secret } = await service.account();
  const { secret: staging } = await service.account(undefined, 'staging');
  const ask = async (path: string, key: string | undefined, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Host', new URL(publicUrl).host);
    if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
    const reply = await fetch(`http://127.0.0.1:${service.port}${path}`, { ...init, headers });
    return [reply.status, reply.headers.get(HEADER)] as const;
  };
  const simulate = { 'Petstore-Simulate': 'internal_error' };
  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' };
  return [
    await ask('/v1/pets', secret),
    await ask('/v1/pets', secret, { method: 'HEAD' }),
    await ask('/v1/pets', secret, { method: 'POST', body: '{}' }),
    await ask('/v1/pets', secret, { method: 'PUT' }),
    await ask('/v1/nothing', secret),
    await ask('/v1/pets', undefined, { method: 'OPTIONS', headers: preflight }),
    await ask('/v1/pets', 'wrong'),
    await ask('/v1/openapi.json', undefined),
    await ask('/v1//%zz', secret),
    await ask('/staging/v1/pets', staging),
    await ask('/staging/v1/pets', staging, { headers: simulate }),
    await ask('/staging/sandbox/', staging),
    await ask('/quickstart/messages', secret),
    await ask('/mcp', secret),
    await ask('/docs', undefined),
    ...(await Promise.all(Array.from({ length: 5 }, () => ask('/v1/pets', 'wrong')))),
  ];
}

describe('Strict-Transport-Security', () => {
  test('is on every reply at an https address, also behind a proxy that ends TLS', async () => {
    const replies = await repliesOf('https://petstore.test');
    expect(new Set(replies.map(([status]) => status))).toEqual(
      new Set([200, 204, 400, 401, 404, 405, 429, 500]),
    );
    expect(new Set(replies.map(([, header]) => header))).toEqual(new Set(['max-age=31536000']));
  });

  test.each([
    'http://petstore.test',
    'https://localhost',
    'https://127.0.0.1:8443',
    'https://[::1]:8443',
    'https://pets.localhost',
  ])('is on no reply at %s', async (address) => {
    const replies = await repliesOf(address);
    expect(new Set(replies.map(([, header]) => header))).toEqual(new Set([null]));
  });

  test('follows the address of each API', async () => {
    await using service = await TestService.start({
      settings: { PETSTORE_BASE_URL: 'https://api.petstore.test/v1' },
    });
    const at = `http://127.0.0.1:${service.port}`;
    const production = await fetch(`${at}/v1/pets`);
    const staging = await fetch(`${at}/staging/v1/pets`);
    expect(production.headers.get(HEADER)).toBe('max-age=31536000');
    expect(staging.headers.has(HEADER)).toBeFalse();
  });
});
