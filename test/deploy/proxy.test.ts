import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { TestService } from '../support/harness.ts';
import { LiveReader } from '../support/live-reader.ts';
import { ERAS, ToolClient } from '../support/mcp.ts';
import { hasNginx, NginxProxy } from '../support/nginx.ts';

/** The service behind the proxy, configured as in compose.yaml. */
async function behindProxy(settings: Record<string, string> = {}) {
  const resources = new AsyncDisposableStack();
  const proxy = resources.use(await NginxProxy.prepare());
  const origin = `http://localhost:${proxy.port}`;
  const service = resources.use(
    await TestService.start({
      parts: PARTS,
      settings: {
        PETSTORE_DASHBOARD_URL: origin,
        PETSTORE_BASE_URL: `${origin}/v1`,
        PETSTORE_STAGING_BASE_URL: `${origin}/staging/v1`,
        PETSTORE_QUICKSTART_BASE_URL: `${origin}/quickstart`,
        PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
        ...settings,
      },
    }),
  );
  // Two of the three processes are unavailable.
  await proxy.start([service.port, await freePort(), await freePort()]);
  return { proxy, origin, service, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.skipIf(!hasNginx)('the proxy', () => {
  test('has a configuration that nginx takes', async () => {
    await using proxy = await NginxProxy.prepare();
    const { code, said } = await proxy.check();
    expect(said).toContain('test is successful');
    expect(said).not.toContain('[warn]');
    expect(code).toBe(0);
  });

  test('passes every request on while one process is left', async () => {
    await using it = await behindProxy();
    const { secret } = await it.service.account();
    const client = it.service.client(secret, { baseUrl: `${it.origin}/v1` });
    const names = Array.from({ length: 20 }, (_, index) => `animal ${index}`);
    for (const name of names) await client.createPet({ name, categoryId: 1 });
    const listed = await Array.fromAsync(client.listAllPets());
    expect(listed.map(({ name }) => name)).toEqual(names);
    for (const path of ['/', '/docs', '/llms.txt', '/quickstart/openapi.json']) {
      expect([path, (await fetch(it.origin + path)).status]).toEqual([path, 200]);
    }
  });

  test('passes compressed replies and entity tags on as they are', async () => {
    await using it = await behindProxy();
    const { secret } = await it.service.account();
    const pet = { name: 'Biscuit', categoryId: 7, status: 'available' } as const;
    await it.service.stores.environment('production').pets.import(Array(200).fill(pet));
    const get = (origin: string, headers: Record<string, string>) =>
      fetch(`${origin}/v1/pets?limit=100`, {
        headers: { Authorization: `Bearer ${secret}`, ...headers },
        decompress: false,
      });
    for (const coding of ['gzip', 'zstd']) {
      const direct = await get(`http://localhost:${it.service.port}`, {
        'Accept-Encoding': coding,
      });
      const proxied = await get(it.origin, { 'Accept-Encoding': coding });
      const tag = direct.headers.get('ETag') ?? '';
      for (const { headers } of [direct, proxied]) {
        expect(headers.get('Content-Encoding')).toBe(coding);
        expect([headers.get('Vary'), headers.get('ETag')]).toEqual(['Accept-Encoding', tag]);
      }
      expect(await proxied.bytes()).toEqual(await direct.bytes());
      expect((await get(it.origin, { 'If-None-Match': tag })).status).toBe(304);
    }
    const plain = await get(it.origin, { 'Accept-Encoding': 'identity' });
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(await plain.json()).toHaveLength(100);
  });

  test.each(ERAS)('passes on a session of the tools: %s', async (era) => {
    await using it = await behindProxy();
    const { secret } = await it.service.account();
    await using tools = await ToolClient.overHttp(it.origin, secret, era);
    expect((await tools.client.listTools()).tools.length).toBeGreaterThan(0);
    await tools.call('createPet', { name: 'Biscuit', categoryId: '7' });
    expect((await tools.call('listPets')).content.result).toMatchObject([{ name: 'Biscuit' }]);
  });

  test('passes on the live channel of the pages at once, and its end', async () => {
    await using it = await behindProxy();
    const ada = await Visitor.signUp(it.service);
    await using page = await LiveReader.open(ada, it.origin);
    await page.next('everything');
    await createKey(ada);
    await page.next('everything');
    await it.service.stop();
    await page.ended();
  });

  test('passes on which address was asked for', async () => {
    await using it = await behindProxy();
    const other = it.origin.replace('localhost', '127.0.0.1');
    const reply = await fetch(`${other}/keys`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([307, `${it.origin}/keys`]);
  });

  test('tells clients apart by their own address, whatever they claim', async () => {
    await using it = await behindProxy({ PETSTORE_ANONYMOUS_PER_MINUTE: '10' });
    const remaining = async (from: string, claim: string) => {
      const target = `http://127.0.0.1:${it.proxy.port}/v1/pets`;
      const claimed = ['-H', `X-Forwarded-For: ${claim}`, '-H', `Host: localhost:${it.proxy.port}`];
      const curl = Bun.spawn(['curl', '-si', '--interface', from, ...claimed, target]);
      const reply = await new Response(curl.stdout).text();
      return Number(/^x-ratelimit-remaining: (\d+)/im.exec(reply)?.[1]);
    };
    expect(await remaining('127.0.0.2', '192.0.2.1')).toBe(9);
    expect(await remaining('127.0.0.2', '192.0.2.2')).toBe(8);
    expect(await remaining('127.0.0.3', '192.0.2.1')).toBe(9);
  });

  test('says in the words of the API that no process is left', async () => {
    await using proxy = await NginxProxy.prepare();
    await proxy.start([await freePort()]);
    const reply = await fetch(`http://localhost:${proxy.port}/v1/pets`);
    expect(reply.status).toBe(503);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('retry-after')).toBe('1');
    const message = 'The service is unavailable. Try again in a moment.';
    expect(await reply.json()).toEqual({ code: 'unavailable', message, status: 503 });
  });

  test('does not say that nothing was done when a reply is lost', async () => {
    // Like a process that is killed after it has executed the request.
    using killed = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.terminate() },
    });
    await using proxy = await NginxProxy.prepare();
    await proxy.start([await freePort(), killed.port, await freePort()]);
    const reply = await fetch(`${proxy.url}/quickstart/messages`, { method: 'POST', body: '{}' });
    expect(reply.status).toBe(502);
    expect(reply.headers.has('retry-after')).toBe(false);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(await reply.json()).toMatchObject({ code: 'bad_gateway', status: 502 });
  });

  test('leaves it to the service to refuse a body, up to a bound of its own', async () => {
    await using it = await behindProxy();
    const { secret } = await it.service.account();
    const send = async (size: number) => {
      const reply = await fetch(`${it.origin}/v1/pets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
        body: ' '.repeat(size),
      });
      return { headers: reply.headers, status: reply.status, body: await reply.json() };
    };
    const refused = { status: 413, body: { code: 'body_too_large', status: 413 } };
    const byService = await send(100_000);
    expect(byService).toMatchObject(refused);
    expect(byService.headers.has('x-ratelimit-limit')).toBe(true);
    const byProxy = await send(2_000_000);
    expect(byProxy).toMatchObject(refused);
    expect(byProxy.headers.has('x-ratelimit-limit')).toBe(false);
  });
});
