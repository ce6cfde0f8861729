import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { hasCaddy, startShippedCaddy } from '../support/caddy.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, TestService } from '../support/harness.ts';
import { LiveReader } from '../support/live-reader.ts';

/** The service behind Caddy with the shipped configuration, without TLS. */
async function behindCaddy(settings: Record<string, string> = {}) {
  const resources = new AsyncDisposableStack();
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const service = resources.use(
    await TestService.start({
      parts: PARTS,
      settings: {
        PETSTORE_PUBLIC_URL: origin,
        PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1',
        ...settings,
      },
    }),
  );
  const opsPort = Number(new URL(service.opsUrl).port);
  const processes = { example: 'one process', processPort: service.port, opsPort } as const;
  resources.use(await startShippedCaddy({ port, ...processes }));
  return { origin, service, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.skipIf(!hasCaddy)('Caddy, as it is shipped,', () => {
  test('passes requests on, with the Host header and compressed replies as they are', async () => {
    await using it = await behindCaddy();
    const { secret } = await it.service.account();
    const client = it.service.client(secret, { baseUrl: `${it.origin}/v1` });
    const pet = await client.createPet({ name: 'Biscuit', categoryId: 7 });
    expect((await client.listPets()).pets).toEqual([pet]);
    const get = (coding: string) =>
      fetch(`${it.origin}/v1/openapi.json`, {
        headers: { 'Accept-Encoding': coding },
        decompress: false,
      });
    expect((await get('zstd')).headers.get('content-encoding')).toBe('zstd');
    expect((await get('identity')).headers.get('content-encoding')).toBeNull();
    const moved = await fetch(`${it.origin}/openapi.json`, { redirect: 'manual' });
    expect(moved.headers.get('location')).toBe(`${it.origin}/v1/openapi.json`);
  });

  test('passes on the live channel of the pages at once, and its end', async () => {
    await using it = await behindCaddy();
    const ada = await Visitor.signUp(it.service);
    await using page = await LiveReader.open(ada, it.origin);
    await page.next('everything');
    await createKey(ada);
    await page.next('everything');
    await it.service.stop();
    await page.ended();
  });

  test('tells clients apart by their own address, whatever they claim', async () => {
    await using it = await behindCaddy({ PETSTORE_ANONYMOUS_PER_MINUTE: '10' });
    const port = new URL(it.origin).port;
    const remaining = async (from: string, claim: string) => {
      const target = `http://127.0.0.1:${port}/v1/pets`;
      const headers = ['-H', `X-Forwarded-For: ${claim}`, '-H', `Host: localhost:${port}`];
      const curl = Bun.spawn(['curl', '-si', '--interface', from, ...headers, target]);
      const reply = await new Response(curl.stdout).text();
      return Number(/^x-ratelimit-remaining: (\d+)/im.exec(reply)?.[1]);
    };
    expect(await remaining('127.0.0.2', '192.0.2.1')).toBe(9);
    expect(await remaining('127.0.0.2', '192.0.2.2')).toBe(8);
    expect(await remaining('127.0.0.3', '192.0.2.1')).toBe(9);
  });

  test('answers in the format of the API for what does not reach the service', async () => {
    await using it = await behindCaddy();
    const refused = await fetch(`${it.origin}/v1/pets`, { method: 'DELETE' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
    ]);
    expect(await refused.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
    const sandbox = `${it.origin}/staging/sandbox/ban`;
    expect((await fetch(sandbox, { method: 'DELETE' })).status).toBe(401);

    await it.service.stop();
    await eventually(async () => (await fetch(`${it.origin}/v1/pets`)).status === 503);
    const gone = await fetch(`${it.origin}/v1/pets`);
    expect([gone.headers.get('retry-after'), gone.headers.get('content-type')]).toEqual([
      '1',
      'application/json',
    ]);
    expect(await gone.json()).toEqual({
      code: 'unavailable',
      message: 'The service is unavailable. Try again in a moment.',
      status: 503,
    });
  });
});
