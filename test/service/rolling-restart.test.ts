import { describe, expect, test } from 'bun:test';
import { PetstoreClient, type PetstoreClientOptions } from '../../client/src/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { startNginx } from '../deploy/documented-nginx.ts';
import { addressesOf, hasCaddy, startShippedCaddy } from '../support/caddy.ts';
import { freePort } from '../support/free-port.ts';
import { AMPLE, eventually, SLOW_REPLY } from '../support/harness.ts';
import { hasNginx, startShippedNginx } from '../support/nginx.ts';
import { ServiceProcess } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { ON_ONE_FOLDER, ON_POSTGRES, type SharedStore } from '../support/shared-store.ts';
import { allNames } from '../support/storage.ts';
import { ReadyProxy } from './ready-proxy.ts';

const CALLERS = 6;

const EVERYTHING = 1_000_000;

/** How many messages are sent between two steps of a restart: some from each caller. */
const MESSAGES = 3 * CALLERS;

/** Pause between the turns of a caller, in ms: the load is steady, but below the machine's capacity. */
const PAUSE = 250;

/** Adds and lists pets and sends messages in a loop until the load is ended. */
function startLoad(origin: string, options: Pick<PetstoreClientOptions, 'apiKey' | 'maxRetries'>) {
  const client = new PetstoreClient({
    baseUrl: `${origin}/v1`,
    quickstartBaseUrl: `${origin}/quickstart`,
    timeoutMs: SLOW_REPLY,
    ...options,
  });
  const added: string[] = [];
  const sent: string[] = [];
  const failures: unknown[] = [];
  let goesOn = true;
  const call = async (caller: number) => {
    for (let turn = 0; goesOn; turn += 1) {
      try {
        const name = `${caller}-${turn}`;
        await client.createPet({ name, categoryId: caller });
        added.push(name);
        await client.listPets({ limit: 5 });
        await client.sendMessage(name);
        sent.push(name);
      } catch (error) {
        failures.push(error);
      }
      await Bun.sleep(PAUSE);
    }
  };
  const calls = Array.from({ length: CALLERS }, (_, caller) => call(caller));
  return {
    ...{ client, added, sent, failures },
    async end() {
      goesOn = false;
      await Promise.all(calls);
    },
  };
}

type Load = ReturnType<typeof startLoad>;

/** An account on a store that several processes serve. */
async function openScene(store: SharedStore) {
  await using opening = new AsyncDisposableStack();
  const { settings } = opening.use(await store.open());
  const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
  opening.defer(() => stores.close());
  const account = await stores.accounts.create('a@example.com', AMPLE, Date.now(), 'test');
  if (!account) throw new Error('The store is not new.');
  const asked = { environment: 'production', name: 'test' } as const;
  const { text: apiKey } = await stores.apiKeyService.issue(account, asked, 'test');
  const resources = opening.move();
  return {
    apiKey,
    async start(more: Readonly<Record<string, string>>): Promise<ServiceProcess> {
      return resources.use(await ServiceProcess.start({ ...settings, ...more }));
    },
    /** Checks that no call failed, and that everything acknowledged exists once. */
    async expectWhole({ client, failures, added, sent }: Load): Promise<void> {
      expect(failures).toEqual([]);
      expect((await allNames(client)).sort()).toEqual(added.toSorted());
      await eventually(async () => (await stores.messages.queued()) === 0);
      const inbox = await stores.messages.list(account.id, EVERYTHING);
      expect(inbox.map(({ text }) => text).sort()).toEqual(sent.toSorted());
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function restartBehindReadyProxy(store: SharedStore): Promise<void> {
  await using scene = await openScene(store);
  const start = () => scene.start({ PETSTORE_DRAIN_SECONDS: '2' });
  await using proxy = new ReadyProxy();
  const old = [await start(), await start(), await start()];
  for (const process of old) await proxy.add(process);
  // No retries, because no call may fail.
  const load = startLoad(proxy.origin, { apiKey: scene.apiKey, maxRetries: 0 });
  for (const process of old) {
    await eventually(() => (proxy.served.get(process.port) ?? 0) > 20);
    expect(await process.end('SIGTERM')).toBe(0);
    proxy.remove(process);
    const successor = await start();
    await proxy.add(successor);
    await eventually(() => (proxy.served.get(successor.port) ?? 0) > 20);
  }
  await load.end();
  await scene.expectWhole(load);
}

/** Settings of the three processes, by which the proxy knows them, and the drain that they need. */
interface Placement {
  readonly settings: ReadonlyArray<Readonly<Record<string, string>>>;
  /** How often clients repeat a call that failed; their default if omitted. */
  readonly maxRetries?: number;
}

async function restartInTurn(
  store: SharedStore,
  { settings, ...retries }: Placement,
  startProxy: () => Promise<AsyncDisposable & { readonly url: string }>,
): Promise<void> {
  await using scene = await openScene(store);
  const start = async (each: Readonly<Record<string, string>> = {}) => {
    const started = await scene.start(each);
    // As an operator, who goes on once `petstore health --ready --wait` has ended.
    const host = each['PETSTORE_OPS_HOST'] ?? '127.0.0.1';
    await eventually(async () => (await fetch(`http://${host}:${started.opsPort}/readyz`)).ok);
    return started;
  };
  const old = await Promise.all(settings.map(start));
  await using proxy = await startProxy();
  const load = startLoad(proxy.url, { apiKey: scene.apiKey, ...retries });
  const nextCalls = async () => {
    const before = load.sent.length;
    await eventually(() => load.sent.length > before + MESSAGES);
  };
  for (const [index, process] of old.entries()) {
    await nextCalls();
    expect(await process.end('SIGTERM')).toBe(0);
    await nextCalls();
    await start(settings[index]);
  }
  await nextCalls();
  await load.end();
  await scene.expectWhole(load);
}

/** On three ports of this machine. */
async function restartBehindNginx(
  store: SharedStore,
  startProxy: (ports: readonly number[]) => Promise<AsyncDisposable & { readonly url: string }>,
  { drain = '1', ...retries }: { readonly drain?: string; readonly maxRetries?: number } = {},
): Promise<void> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const settings = ports.map((port) => ({
    PETSTORE_PORT: String(port),
    PETSTORE_DRAIN_SECONDS: drain,
  }));
  await restartInTurn(store, { settings, ...retries }, () => startProxy(ports));
}

/** On three addresses of this machine, with the same ports. No call may fail, also without retries. */
async function restartBehindCaddy(
  store: SharedStore,
  example: 'three processes on one machine' | 'three machines',
): Promise<void> {
  const [port, processPort, opsPort] = [await freePort(), await freePort(), await freePort()];
  const settings = addressesOf(example).map((address) => ({
    ...{ PETSTORE_HOST: address, PETSTORE_PORT: String(processPort) },
    ...{ PETSTORE_OPS_HOST: address, PETSTORE_OPS_PORT: String(opsPort) },
    // As the configuration says.
    PETSTORE_DRAIN_SECONDS: '6',
    PETSTORE_PUBLIC_URL: `http://localhost:${port}`,
  }));
  expect(settings).toHaveLength(3);
  await restartInTurn(store, { settings, maxRetries: 0 }, () =>
    startShippedCaddy({ port, example, processPort, opsPort }),
  );
}

describe('a rolling restart of three processes under load', () => {
  for (const store of [ON_ONE_FOLDER, ON_POSTGRES]) {
    test.skipIf(!store.isHere)(
      `on ${store.name} behind a proxy that checks readiness fails no call, and stores everything once`,
      () => restartBehindReadyProxy(store),
    );
  }

  // Proxies do not depend on the store, so each configuration is tested with one store.
  test.skipIf(!(hasNginx && ON_ONE_FOLDER.isHere))(
    'on one folder behind the documented nginx, which checks no readiness, fails no call either',
    () => restartBehindNginx(ON_ONE_FOLDER, startNginx),
  );

  test.skipIf(!(hasNginx && ON_POSTGRES.isHere))(
    'on PostgreSQL behind the nginx that is shipped does so too',
    () => restartBehindNginx(ON_POSTGRES, startShippedNginx),
  );

  test.skipIf(!(hasNginx && ON_ONE_FOLDER.isHere))(
    'on one folder behind the nginx that is shipped, with the drain of compose.yaml, needs no retries',
    () => restartBehindNginx(ON_ONE_FOLDER, startShippedNginx, { drain: '6', maxRetries: 0 }),
  );

  for (const example of ['three processes on one machine', 'three machines'] as const) {
    test.skipIf(!(hasCaddy && ON_ONE_FOLDER.isHere))(
      `on one folder behind the Caddy that is shipped for ${example} needs no retries`,
      () => restartBehindCaddy(ON_ONE_FOLDER, example),
    );
  }
});
