import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService(() => TestService.start({ parts: PARTS }));

const TRANSPORTS = {
  '/mcp': (key: string) => ToolClient.overHttp(service().dashboardUrl, key),
  'petstore mcp': (key: string) =>
    ToolClient.overStdio({ PETSTORE_KEY: key, PETSTORE_PUBLIC_URL: service().dashboardUrl }),
} as const;

/** A staging key whose first request gets this simulation. */
async function keyThatMeets(simulate: string): Promise<string> {
  const { account } = await service().account(undefined, 'staging');
  const wish = { environment: 'staging', name: 'test', simulate: `${simulate};times=1` } as const;
  return (await service().stores.apiKeyService.issue(account, wish, 'test')).text;
}

const ANIMAL = { name: 'Biscuit', categoryId: '7' };
const LIMITS = { rateLimit: { remaining: expect.any(Number) }, requestId: expect.any(String) };

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, connect) => {
  test.each([
    ['malformed', LIMITS],
    ['truncate', LIMITS],
    ['drop_after', {}],
  ])('a creation whose reply meets %s may have been carried out', async (simulate, known) => {
    await using tools = await connect(await keyThatMeets(simulate));
    await tools.client.listTools();
    const { isError, content } = await tools.call('createPet', ANIMAL);
    expect([isError, content]).toMatchObject([
      true,
      { error: { code: 'unavailable', status: 503 }, retryAfter: 1, ...known },
    ]);
    expect(content.error?.message).toContain('whether the call was carried out before you repeat');
    expect(content.error?.message).not.toContain('try again');
  });
});

test('a list whose reply is damaged can be asked for again', async () => {
  await using tools = await TRANSPORTS['/mcp'](await keyThatMeets('malformed'));
  const { content } = await tools.call('listPets');
  expect(content).toMatchObject({ error: { status: 503 }, retryAfter: 1, ...LIMITS });
  expect(content.error?.message).toContain('(status 200). Check the address, then try again.');
});

test.each([
  [502, {}, 1, 'may have been carried out'],
  [503, { 'Retry-After': '30' }, 30, 'may have been carried out'],
  [503, { 'Retry-After': '30, 7' }, 30, 'may have been carried out'],
  [503, { 'Retry-After': '9'.repeat(400) }, 2 ** 53 - 1, 'may have been carried out'],
  [503, { 'Retry-After': 'Sun, 22 Nov 2026 10:00:00 GMT' }, 1, 'may have been carried out'],
  [404, {}, 1, 'then try again'],
])('a proxy answers a creation with %i and %o', async (status, headers, retryAfter, words) => {
  using proxy = Bun.serve({
    port: 0,
    fetch: () => new Response('<h1>x</h1>', { status, headers }),
  });
  const { secret } = await service().account();
  const url = `http://localhost:${proxy.port}`;
  await using tools = await ToolClient.overStdio({
    PETSTORE_KEY: secret,
    PETSTORE_PUBLIC_URL: url,
  });
  const { content } = await tools.call('createPet', ANIMAL);
  expect(content).toEqual({
    error: { code: 'unavailable', message: expect.stringContaining(words), status: 503 },
    retryAfter,
  });
});
