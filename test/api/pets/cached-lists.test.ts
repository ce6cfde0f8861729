import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import { readConfig } from '../../../src/config/config.ts';
import { resetEnvironments } from '../../../src/core/pets/environment-resets.ts';
import { petsJson } from '../../../src/core/pets/pet-json.ts';
import type { PetQuery, PetStore } from '../../../src/core/pets/pet-store.ts';
import { PET_STATUSES, type PetStatus } from '../../../src/core/pets/pets.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openStores } from '../../../src/storage/open-stores.ts';
import { at, pet } from '../../storage/ports/backend.ts';
import { AMPLE, eventually, ManualClock, TestService } from '../../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../../support/postgres-server.ts';
import { ServiceProcess } from '../../support/process.ts';
import { REUSED_THREADS } from '../../support/reused-threads.ts';
import { ON_ONE_FOLDER, ON_POSTGRES } from '../../support/shared-store.ts';
import { onFolder, seededRandom } from '../../support/storage.ts';

const WATCH = 'watch for changes of production pets';

let server: PostgresServer | undefined;
afterAll(() => server?.[Symbol.asyncDispose]());

async function onPostgres(): Promise<Record<string, string>> {
  server ??= await PostgresServer.start();
  return { PETSTORE_DATABASE_URL: await server.createMigrated(), PETSTORE_SECRET: SECRET };
}

const ENGINES = [
  { name: 'SQLite', isHere: true, settings: async () => ({}) },
  { name: 'PostgreSQL', isHere: hasPostgres, settings: onPostgres },
];

/** A service, whose jobs the test runs, and the stores of another process on the same data. */
async function scene(settings: () => Promise<Record<string, string>>) {
  await using opening = new AsyncDisposableStack();
  const given = await settings();
  const service = opening.use(
    await TestService.start({ clock: new ManualClock(), settings: given }),
  );
  const { secret: key } = await service.account(AMPLE);
  const config = readConfig({ ...given, ...onFolder(service.folder.path) });
  const others = await openStores(config, systemClock, REUSED_THREADS);
  opening.defer(() => others.close());
  const resources = opening.move();
  return {
    service,
    own: service.stores.environment('production').pets,
    other: others.environment('production').pets,
    /** Applies the changes by the other process. */
    watch: () => service.runJobs(WATCH),
    get: (path: string, headers = {}) => service.request(path, { key, headers }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function namesOn(it: Scene, path: string): Promise<string[]> {
  const pets: Array<{ name: string }> = await (await it.get(path)).json();
  return pets.map(({ name }) => name);
}

function by(id: number) {
  return { id, accountId: 'anyone' };
}

/** Counts how often the service reads pages from the store. */
function countReads(pets: PetStore) {
  const spy = spyOn(pets, 'list');
  return { reads: () => spy.mock.calls.length, [Symbol.dispose]: () => spy.mockRestore() };
}

/** Every first page of up to six pets, as a query and as a path with it. */
const QUERIES = [undefined, ...PET_STATUSES].flatMap((status) =>
  [1, 2, 3, 6].map((limit) => {
    const rest = status === undefined ? '' : `&status=${status}`;
    return { query: { limit, status, after: 0 }, path: `/pets?limit=${limit}${rest}` };
  }),
);

function statusAt(index: number): PetStatus {
  return PET_STATUSES[index] ?? 'sold';
}

/** Adds, deletes or changes a pet; refused changes are among them. */
async function changeAtRandom(store: PetStore, name: string, random: () => number): Promise<void> {
  const below = (limit: number) => Math.floor(random() * limit);
  const { pets } = await store.list({ limit: 20, after: 0 });
  const { id } = pets[below(pets.length)] ?? { id: 0 };
  const status = statusAt(below(3));
  const choice = pets.length < 8 ? 0 : below(10);
  if (choice < 3) await store.create(pet(name, { status }), at());
  else if (choice < 6) await store.delete(by(id));
  else await store.update(by(id), choice === 9 ? { name } : { status });
}

async function expectFresh(it: Scene, query: PetQuery, path: string): Promise<void> {
  const { pets, more } = await it.other.list(query);
  const reply = await it.get(path);
  expect([path, await reply.text()]).toEqual([path, petsJson(pets)]);
  expect([path, reply.headers.has('Link')]).toEqual([path, more]);
  const tag = reply.headers.get('ETag') ?? '';
  expect((await it.get(path, { 'If-None-Match': tag })).status).toBe(304);
}

describe.each(ENGINES)('lists on $name', ({ isHere, settings }) => {
  test.skipIf(!isHere)(
    'are those of the store after any change of this process, and of another one once it is applied',
    async () => {
      await using it = await scene(settings);
      const random = seededRandom(34);
      const statuses = Array.from({ length: 12 }, (_, n) => statusAt(n % 3));
      await it.own.import(statuses.map((status, n) => pet(`${n}`, { status })));
      await it.watch();
      for (let step = 0; step < 120; step += 1) {
        const isOwn = random() < 0.5;
        await changeAtRandom(isOwn ? it.own : it.other, `step ${step}`, random);
        if (!isOwn) await it.watch();
        for (const { query, path } of QUERIES) await expectFresh(it, query, path);
      }
    },
  );

  test.skipIf(!isHere)('are read again only if a change affects them', async () => {
    await using it = await scene(settings);
    await it.own.import(Array.from({ length: 30 }, (_, n) => pet(`${n}`)));
    await it.watch();
    const ask = async () => {
      for (const path of ['/pets', '/pets?limit=5&status=available']) await it.get(path);
    };
    await ask();
    using counter = countReads(it.own);
    for (const store of [it.own, it.other]) {
      await store.update(by(25), { name: 'elsewhere' });
      await store.update(by(21), { status: 'pending' });
      await store.update(by(21), { status: 'available' });
      await store.delete(by(30));
      await it.watch();
      await ask();
    }
    expect(counter.reads()).toBe(0);
    await it.own.update(by(20), { name: 'on the longer page' });
    await ask();
    expect(counter.reads()).toBe(1);
    await it.other.update(by(6), { status: 'sold' });
    await it.watch();
    await ask();
    expect(counter.reads()).toBe(3);
  });

  test.skipIf(!isHere)('are cached although animals on the way were deleted', async () => {
    await using it = await scene(settings);
    await it.own.import(Array.from({ length: 120 }, (_, n) => pet(`${n}`)));
    for (const id of [1, 3, 4, 5, 9, 60]) await it.own.delete(by(id));
    const paths = ['/pets', '/pets?status=available', '/pets?limit=100'];
    for (const path of paths) await it.get(path);
    using counter = countReads(it.own);
    for (const path of paths) await it.get(path);
    expect(counter.reads()).toBe(0);
  });

  test.skipIf(!isHere)('lose their link when the only animal after them goes', async () => {
    await using it = await scene(settings);
    await it.own.import(['one', 'two', 'three'].map((name) => pet(name)));
    const links = async () => {
      const paths = ['/pets?limit=2', '/pets?limit=2&status=available'];
      const replies = await Promise.all(paths.map((path) => it.get(path)));
      return replies.map(({ headers }) => headers.has('Link'));
    };
    expect(await links()).toEqual([true, true]);
    await it.own.update(by(3), { status: 'sold' });
    expect(await links()).toEqual([true, false]);
    await it.other.delete(by(3));
    await it.watch();
    expect(await links()).toEqual([false, false]);
  });

  const changes: Array<[string, (it: Scene) => Promise<unknown>]> = [
    ['a change of this process', (it) => it.own.update(by(1), { name: 'new' })],
    [
      'a change of another process',
      async (it) => {
        await it.other.update(by(1), { name: 'new' });
        await it.watch();
      },
    ],
    [
      'a deletion by this process',
      async (it) => {
        await it.own.delete(by(1));
        await it.own.update(by(2), { name: 'new' });
      },
    ],
  ];
  test.skipIf(!isHere).each(changes)(
    'that were read before %s and cached after it are not served',
    async (_, change) => {
      await using it = await scene(settings);
      await it.own.import(['old', 'two', 'three'].map((name) => pet(name)));
      await it.watch();
      const list = it.own.list.bind(it.own);
      using spy = spyOn(it.own, 'list').mockImplementationOnce(async (query) => {
        const page = await list(query);
        await change(it);
        return page;
      });
      const first = await it.get('/pets?limit=1');
      expect(await first.json()).toMatchObject([{ name: 'old' }]);
      expect(await namesOn(it, '/pets?limit=1')).toEqual(['new']);
      expect(await namesOn(it, '/pets?limit=1')).toEqual(['new']);
      expect(spy.mock.calls).toHaveLength(2);
    },
  );

  test.skipIf(!isHere)(
    'show no earlier animal after a reset, under ids that begin anew',
    async () => {
      await using it = await scene(settings);
      await it.own.import(Array.from({ length: 9 }, (_, n) => pet(`old ${n}`)));
      await it.own.delete(by(2));
      for (const limit of [1, 3]) await it.get(`/pets?limit=${limit}`);
      await resetEnvironments(it.service.stores, ['production'], 'test', Date.now());
      await it.other.import(Array.from({ length: 5 }, (_, n) => pet(`new ${n}`)));
      for (const { query, path } of QUERIES) await expectFresh(it, query, path);
      await it.other.delete(by(1));
      await it.watch();
      for (const { query, path } of QUERIES) await expectFresh(it, query, path);
    },
  );
});

describe.each([ON_ONE_FOLDER, ON_POSTGRES])('processes on $name', ({ isHere, open }) => {
  test.skipIf(!isHere)('show the changes of each other in their lists', async () => {
    await using store = await open();
    const stores = await openStores(readConfig(store.settings), systemClock, REUSED_THREADS);
    await using _ = { [Symbol.asyncDispose]: () => stores.close() };
    const account = await stores.accounts.create('a@example.com', AMPLE, Date.now(), 'test');
    if (!account) throw new Error('The account exists.');
    const asked = { environment: 'production', name: 'test' } as const;
    const { text: key } = await stores.apiKeyService.issue(account, asked, 'test');
    const { pets } = stores.environment('production');
    await pets.import(['one', 'two', 'three'].map((name) => pet(name)));
    await using one = await ServiceProcess.start(store.settings, ['--only', 'production']);
    await using two = await ServiceProcess.start(store.settings, ['--only', 'production']);
    const send = ({ port }: ServiceProcess, method: string, path: string, body?: object) =>
      fetch(`http://localhost:${port}/v1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const names = async (process: ServiceProcess) => {
      const reply = await send(process, 'GET', '/pets?limit=2');
      const listed: Array<{ name: string }> = await reply.json();
      return listed.map(({ name }) => name);
    };
    const turns = [
      [one, two],
      [two, one],
    ] as const;
    for (const [here, there] of turns) {
      for (const process of [here, there]) {
        expect(await names(process)).toEqual(['one', 'two']);
      }
      expect((await send(here, 'PATCH', '/pets/1', { name: 'uno' })).status).toBe(200);
      expect(await names(here)).toEqual(['uno', 'two']);
      await eventually(async () => (await names(there))[0] === 'uno');
      expect((await send(here, 'PATCH', '/pets/1', { name: 'one' })).status).toBe(200);
      expect(await names(here)).toEqual(['one', 'two']);
      await eventually(async () => (await names(there))[0] === 'one');
    }
    expect((await send(one, 'DELETE', '/pets/1')).status).toBe(204);
    expect(await names(one)).toEqual(['two', 'three']);
    await eventually(async () => (await names(two)).join() === 'two,three');
    // A third process, such as a command.
    await pets.update(by(2), { name: 'zwei' });
    for (const process of [one, two]) {
      await eventually(async () => (await names(process))[0] === 'zwei');
    }
  });
});
