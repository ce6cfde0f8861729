import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { PetStore } from '../../src/core/pets.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { PostgresPetStore } from '../../src/storage/postgres/pet-store.ts';
import { at, pet } from '../storage/ports/backend.ts';
import { CuttableLink } from '../support/cuttable-link.ts';
import { eventually } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

interface Load {
  readonly acknowledged: Set<string>;
  readonly unexpected: unknown[];
  refused: number;
  stop(): Promise<void>;
}

/** Creates pets in several parallel loops, which continue after a refusal. */
function loadOn(store: PetStore): Load {
  let running = true;
  const lanes = Array.from({ length: 8 }, (_, lane) => lane);
  const load: Load = {
    acknowledged: new Set(),
    unexpected: [],
    refused: 0,
    stop: async () => {
      running = false;
      await ends;
    },
  };
  const create = async (name: string) => {
    try {
      await store.create(pet(name), at());
      load.acknowledged.add(name);
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) load.unexpected.push(error);
      load.refused += 1;
      await Bun.sleep(5);
    }
  };
  const ends = Promise.all(
    lanes.map(async (lane) => {
      for (let round = 0; running; round += 1) await create(`${lane}/${round}`);
    }),
  );
  return load;
}

async function names(store: PetStore): Promise<string[]> {
  const found: string[] = [];
  for (let after = 0; ; ) {
    const { pets, more } = await store.list({ limit: 100, after });
    found.push(...pets.map(({ name }) => name));
    if (!more) return found;
    after = pets.at(-1)?.id ?? Number.NaN;
  }
}

/** The address of the same database through the link. */
function through({ port }: CuttableLink, address: string): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href;
}

/** Two databases that are connected through the link. */
async function twoThrough(link: CuttableLink, address: string) {
  const url = through(link, address);
  const both = [new PostgresDatabase(url), new PostgresDatabase(url)] as const;
  await Promise.all(both.map((each) => each.get('SELECT 1')));
  return both;
}

describe.skipIf(!hasPostgres)('PostgreSQL that fails', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function openStore() {
    const url = await server.createMigrated();
    const database = new PostgresDatabase(url);
    const store = new PostgresPetStore(database, 'production');
    const close = async () => {
      await store.close();
      await database.close();
    };
    return { url, database, store, [Symbol.asyncDispose]: close };
  }

  async function expectNothingLost(store: PetStore, load: Load): Promise<void> {
    const kept = await names(store);
    const found = new Set(kept);
    expect(load.unexpected).toEqual([]);
    expect([...load.acknowledged].filter((name) => !found.has(name))).toEqual([]);
    expect(kept.length).toBe(found.size);
  }

  test('loses nothing acknowledged when connections are cut off, and keeps working', async () => {
    await using opened = await openStore();
    const load = loadOn(opened.store);
    for (let cut = 1; cut <= 5; cut += 1) {
      await eventually(() => load.acknowledged.size > cut * 50);
      await server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'",
      );
    }
    const before = load.acknowledged.size;
    await eventually(() => load.acknowledged.size > before + 50);
    await load.stop();
    await expectNothingLost(opened.store, load);
  });

  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const how = signal === 'SIGQUIT' ? 'crashes' : 'is restarted';
    test(`loses nothing acknowledged when the server ${how}, and recovers without help`, async () => {
      await using opened = await openStore();
      const load = loadOn(opened.store);
      await eventually(() => load.acknowledged.size > 100);
      await server.stop(signal);
      await eventually(() => load.refused > 20);
      await server.start();
      const before = load.acknowledged.size;
      await eventually(() => load.acknowledged.size > before + 100);
      await load.stop();
      await expectNothingLost(opened.store, load);
    });
  }

  test('is distinguished from a change that is refused', async () => {
    await using opened = await openStore();
    const broken = opened.database.run('INSERT INTO pets VALUES ($1, 1, $1, 1, $1)', 'nowhere');
    expect(await broken.catch((error) => error)).not.toBeInstanceOf(StorageUnavailable);
  });

  test('gives up a statement that takes too long', async () => {
    await using opened = await openStore();
    const slow = opened.database.run('SELECT pg_sleep(60)');
    expect(await slow.catch((error) => error)).toBeInstanceOf(StorageUnavailable);
    expect(await opened.store.get(1)).toBeUndefined();
  });

  test('is not waited for for ever when the network falls silent', async () => {
    await using opened = await openStore();
    await using link = await CuttableLink.to(server.port);
    const database = new PostgresDatabase(through(link, opened.url));
    const store = new PostgresPetStore(database, 'production');
    await store.create(pet('before'), at());
    link.cut();
    const cut = store.create(pet('during'), at()).catch((error) => error);
    expect(await cut).toBeInstanceOf(StorageUnavailable);
    link.mend();
    await eventually(() =>
      names(store).then(
        (found) => found.includes('before'),
        () => false,
      ),
    );
    await store.create(pet('after'), at());
    await database.close();
  });

  test('is given up for all that wait at once, as soon as it has said nothing for too long', async () => {
    await using opened = await openStore();
    await using link = await CuttableLink.to(server.port);
    const [database, other] = await twoThrough(link, opened.url);
    link.cut();
    const ended: string[] = [];
    const transaction = database
      .transaction((queries) => queries.get('SELECT 1'))
      .catch(() => ended.push('a transaction'));
    await database.get('SELECT 1').catch(() => ended.push('a statement'));
    const later = other.get('SELECT 1').catch(() => ended.push('a statement that came later'));
    await Promise.race([transaction, later]);
    expect(ended.toSorted()).toEqual(['a statement', 'a transaction']);
    await Promise.all([database.close(), other.close()]);
  });

  test('does not delay the stop of a service while it does not answer', async () => {
    await using opened = await openStore();
    await using link = await CuttableLink.to(server.port);
    const [database, other] = await twoThrough(link, opened.url);
    link.cut();
    await database.get('SELECT 1').catch(() => {});
    const ended: string[] = [];
    await Promise.all([
      other.get('SELECT 1').catch(() => ended.push('a statement is given up')),
      database.close().then(() => ended.push('the connections are closed')),
    ]);
    expect(ended).toEqual(['the connections are closed', 'a statement is given up']);
    await other.close();
  });

  test('does again what lost a race against another transaction', async () => {
    await using opened = await openStore();
    const { database } = opened;
    await database.run("INSERT INTO settings VALUES ('count', '0')");
    const increment = () =>
      database.transaction(async (queries) => {
        await queries.run('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
        const row = await queries.get<{ value: string }>(
          "SELECT value FROM settings WHERE name = 'count'",
        );
        await queries.run(
          "UPDATE settings SET value = $1 WHERE name = 'count'",
          String(Number(row?.value) + 1),
        );
      });
    await Promise.all([increment(), increment(), increment(), increment()]);
    const row = await database.get("SELECT value FROM settings WHERE name = 'count'");
    expect(row).toEqual({ value: '4' });
  });

  test('keeps working when a newer release changes a table that is in use', async () => {
    await using opened = await openStore();
    const read = () => opened.database.all('SELECT * FROM settings');
    for (let times = 0; times < 20; times += 1) await read();
    await server.run('ALTER TABLE settings ADD COLUMN more TEXT', opened.url);
    expect(await Promise.all(Array.from({ length: 20 }, read))).toHaveLength(20);
  });
});
