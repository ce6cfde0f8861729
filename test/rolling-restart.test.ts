import { describe, expect, test } from 'bun:test';
import { PetstoreClient } from '../client/src/index.ts';
import { eventually, temporaryFolder } from './harness.ts';
import { ServiceProcess } from './process.ts';
import { ReadyProxy } from './ready-proxy.ts';
import { hasRedis, RedisServer } from './redis-server.ts';
import { allNames, makeKey, onFolder } from './storage.ts';

const CALLERS = 6;

/** Adds animals and lists them, over and over, until it is told to end; no call is repeated. */
function startLoad(baseUrl: string, apiKey: string) {
  const client = new PetstoreClient({ apiKey, baseUrl, maxRetries: 0 });
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
    const load = startLoad(proxy.url, key);
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
});
