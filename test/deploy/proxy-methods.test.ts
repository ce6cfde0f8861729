import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { operationsOf } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { APIS, type ApiName } from '../../src/core/environments.ts';
import { SIMULATED_METHODS } from '../../src/core/sandbox/account-simulation.ts';
import { hasCaddy, startShippedCaddy } from '../support/caddy.ts';
import { freePort } from '../support/free-port.ts';
import { TestService } from '../support/harness.ts';
import { hasNginx, NginxProxy } from '../support/nginx.ts';

/** The methods of all operations, and those that a proxy could let through by mistake. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods of each path below a base address, with ids in the place of parameters. */
function methodsOf(name: ApiName): ReadonlyMap<string, ReadonlySet<string>> {
  const paths = new Map<string, Set<string>>();
  for (const { method, path } of operationsOf(name)) {
    const filled = path.replaceAll(/\{\w+\}/g, '1');
    const methods = paths.get(filled) ?? new Set();
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    paths.set(filled, methods);
  }
  return paths;
}

/** A service behind a proxy that is started for its port. */
async function behind(
  start: (service: TestService, port: number) => Promise<AsyncDisposable>,
): Promise<{ service: TestService; proxy: AsyncDisposable }> {
  const port = await freePort();
  const settings = { PETSTORE_PUBLIC_URL: `http://localhost:${port}` };
  const service = await TestService.start({ parts: PARTS, settings });
  return { service, proxy: await start(service, port) };
}

const PROXIES = [
  [
    'nginx',
    hasNginx,
    async () => {
      const proxy = await NginxProxy.prepare();
      const settings = { PETSTORE_PUBLIC_URL: proxy.url };
      const service = await TestService.start({ parts: PARTS, settings });
      await proxy.start([service.port]);
      return { service, proxy };
    },
  ],
  [
    'Caddy',
    hasCaddy,
    () =>
      behind((service, port) =>
        startShippedCaddy({
          ...{ port, example: 'one process', processPort: service.port },
          opsPort: Number(new URL(service.opsUrl).port),
        }),
      ),
  ],
] as const;

describe.each(PROXIES)('%s, as it is shipped,', (_, isInstalled, start) => {
  let running: Awaited<ReturnType<typeof start>> | undefined;

  beforeAll(async () => {
    if (isInstalled) running = await start();
  });
  afterAll(async () => {
    await running?.proxy[Symbol.asyncDispose]();
    await running?.service[Symbol.asyncDispose]();
  });

  test.skipIf(!isInstalled).each(APIS)(
    'lets the methods of the rows of %s through',
    async (name) => {
      const answered: string[] = [];
      const served: string[] = [];
      for (const [path, methods] of methodsOf(name)) {
        for (const method of METHODS) {
          const reply = await fetch(`${running?.service.url(name)}${path}`, { method });
          await reply.body?.cancel();
          // Only the service knows limits. It wants a key before it says more.
          const isOfService = reply.headers.has('X-RateLimit-Limit');
          if (methods.has(method)) served.push(`${method} ${path}`);
          if (methods.has(method) && isOfService && reply.status === 401) {
            answered.push(`${method} ${path}`);
          }
        }
      }
      expect(answered).toEqual(served);
    },
  );
});

describe.skipIf(!hasNginx)('the `Allow` of nginx', () => {
  test.each(APIS)('is that of the rows of %s', async (name) => {
    const proxy = await NginxProxy.prepare();
    const settings = { PETSTORE_PUBLIC_URL: proxy.url };
    await using service = await TestService.start({ parts: PARTS, settings });
    await using _proxy = proxy;
    await proxy.start([service.port]);
    for (const [path, methods] of methodsOf(name)) {
      const refused = METHODS.find((method) => {
        const isPassedOn = name === 'sandbox' || ['GET', 'HEAD', 'POST'].includes(method);
        return !methods.has(method) && !isPassedOn;
      });
      if (refused === undefined) continue;
      const { status, headers } = await fetch(service.url(name) + path, { method: refused });
      const listed = new Set(headers.get('Allow')?.split(', '));
      expect([path, status, listed]).toEqual([path, 405, new Set([...methods, 'OPTIONS'])]);
    }
  });
});

test('a simulation can be limited to each method of the rows that meet it', () => {
  const rows = [...operationsOf('staging'), ...operationsOf('quickstart')];
  const methods = rows.map(({ method }) => method);
  const allowed = new Set<string>(SIMULATED_METHODS);
  expect(methods.filter((method) => !allowed.has(method))).toEqual([]);
});
