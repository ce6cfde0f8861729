import { describe, expect, test } from 'bun:test';
import { PetstoreClient, type PetstoreClientOptions } from '../client/src/index.ts';
import { startNginx } from './documented-nginx.ts';
import { freePort } from './free-port.ts';
import { eventually, temporaryFolder } from './harness.ts';
import { hasNginx } from './nginx.ts';
import { ServiceProcess } from './process.ts';
import { ReadyProxy } from './ready-proxy.ts';
import { hasRedis, RedisServer } from './redis-server.ts';
import { allNames, makeKey, onFolder } from './storage.ts';

const CALLERS = 6;

/** Adds animals and lists them, over and over, until it is told to end. */
function startLoad(options: PetstoreClientOptions) {
  const client = new PetstoreClient(options);
  const added: string[] = [];
  const failures: unknown[] = [];
  let goesOn = true;
  const call = async (caller: number) => {
    for (let turn = 0; goesOn; turn += 1) {
      try {
        const name = `animal ${caller}-${turn}`;
        await client.createPet({ name, categoryId: caller });
        added.push(name);
        await client.listPets({ limit: 5 });
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller));
  return {
    client,
    added,
    failures,
    async end() {
      goesOn = false;
      await Promise.all(calls);
    },
  };
}

describe.skipIf(!hasRedis)('a rolling restart of three processes behind a proxy', () => {
  test('under load fails no call, and every animal is there once', async () => {
    using folder = temporaryFolder();
    await using redis = await RedisServer.start();
    const key = await makeKey(folder.path);
    const settings = {
      ...onFolder(folder.path),
      PETSTORE_REDIS_URL: redis.url,
      PETSTORE_DRAIN_SECONDS: '2',
    };
    await using resources = new AsyncDisposableStack();
    const start = async () => resources.use(await ServiceProcess.start(settings));
    await using proxy = new ReadyProxy();
    const old = [await start(), await start(), await start()];
    for (const process of old) await proxy.add(process);
    // No call is repeated: not one may fail at all.
    const load = startLoad({ baseUrl: proxy.url, apiKey: key, maxRetries: 0 });
    for (const process of old) {
      await eventually(() => (proxy.served.get(process.port) ?? 0) > 20);
      expect(await process.end('SIGTERM')).toBe(0);
      proxy.remove(process);
      const successor = await start();
      await proxy.add(successor);
      await eventually(() => (proxy.served.get(successor.port) ?? 0) > 20);
    }
    await load.end();
    expect(load.failures).toEqual([]);
    expect((await allNames(load.client)).sort()).toEqual(load.added.sort());
  });

  test.if(hasNginx)('that is the documented nginx, which asks nobody, fails no call', async () => {
    using folder = temporaryFolder();
    await using redis = await RedisServer.start();
    const key = await makeKey(folder.path);
    await using resources = new AsyncDisposableStack();
    const start = async (port: number) => {
      const settings = {
        ...onFolder(folder.path),
        PETSTORE_PORT: String(port),
        PETSTORE_OPS_PORT: '0',
        PETSTORE_REDIS_URL: redis.url,
        PETSTORE_DRAIN_SECONDS: '1',
      };
      return resources.use(await ServiceProcess.start(settings));
    };
    const ports = [await freePort(), await freePort(), await freePort()];
    const old = await Promise.all(ports.map(start));
    await using nginx = await startNginx(ports);
    const load = startLoad({ baseUrl: `${nginx.url}/v1`, apiKey: key });
    for (const process of old) {
      const before = load.added.length;
      await eventually(() => load.added.length > before + 50);
      expect(await process.end('SIGTERM')).toBe(0);
      const without = load.added.length;
      await eventually(() => load.added.length > without + 50);
      await start(process.port);
    }
    await load.end();
    expect(load.failures).toEqual([]);
    expect((await allNames(load.client)).sort()).toEqual(load.added.sort());
  });
});
