import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { BUCKET_SIZE, bucketOf } from '../../src/storage/pets/buckets.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations.ts';
import { at, type Backend, pet } from '../storage/ports/backend.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { eventually } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

/** The migrations of the last release in which pets had no bucket. */
const EARLIER = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ online }) => online),
);

/** SQL that adds pets with these ids. */
function insertion(ids: string, status = "'available'"): string {
  return `INSERT INTO pets (environment, id, name, category_id, status)
    SELECT 'production', id, 'pet ' || id, 7, ${status} FROM ${ids} AS given (id)`;
}

/** The ids on each page of the list. */
async function walk(
  backend: Backend,
  query: { limit: number; status?: 'sold' | undefined },
): Promise<number[][]> {
  const pages: number[][] = [];
  for (let after = 0; ; ) {
    const { pets, more } = await backend.pets().list({ ...query, after });
    pages.push(pets.map(({ id }) => id));
    if (!more) return pages;
    after = pets.at(-1)?.id ?? Number.NaN;
  }
}

describe.skipIf(!hasPostgres)('the buckets of pets in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A database with pets that have these ids. */
  async function databaseWith(ids: readonly number[], status?: string): Promise<string> {
    const url = await server.createMigrated();
    await server.run(insertion(`unnest('{${ids}}'::bigint[])`, status), url);
    await server.run(`SELECT setval('production_pet_ids', ${Math.max(...ids)})`, url);
    return url;
  }

  test('a page goes on across borders, and over buckets that have no pet', async () => {
    const ids = [
      ...[1, BUCKET_SIZE - 1, BUCKET_SIZE, BUCKET_SIZE + 1, 2 * BUCKET_SIZE],
      ...[9, 10, 19, 20, 300, 70_000].map((bucket) => bucket * BUCKET_SIZE + 5),
    ];
    await using backend = connectTo(await databaseWith(ids));
    for (const limit of [1, 2, 3, 5, 100]) {
      const pages = await walk(backend, { limit });
      expect(pages.flat()).toEqual(ids);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
    for (const id of ids) expect(await backend.pets().get(id)).toMatchObject({ id });
    expect(await backend.pets().get(BUCKET_SIZE + 2)).toBeUndefined();
  });

  test('a page of a rare status finds every pet, however far apart they are', async () => {
    const every = Array.from({ length: 40 }, (_, index) => (index + 1) * 50_000);
    const url = await databaseWith(
      every,
      "CASE WHEN id % 100000 = 0 THEN 'sold' ELSE 'pending' END",
    );
    await using backend = connectTo(url);
    const sold = every.filter((id) => id % 100_000 === 0);
    for (const limit of [1, 7, 100]) {
      expect((await walk(backend, { limit, status: 'sold' })).flat()).toEqual(sold);
    }
  });

  test('new pets go on from one bucket to the next within one batch', async () => {
    const url = await databaseWith([BUCKET_SIZE - 4]);
    await using backend = connectTo(url);
    const store = backend.pets();
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, (_, index) => store.create(pet(`${index}`), at())),
    );
    await store.import([pet('imported')]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(outcomes.map(() => 'created'));
    const rows = await server.run<{ id: string; bucket: string }>(
      'SELECT id::text, bucket::text FROM pets',
      url,
    );
    expect(rows).toHaveLength(11);
    for (const { id, bucket } of rows) expect(Number(bucket)).toBe(bucketOf(Number(id)));
    expect((await walk(backend, { limit: 4 })).flat()).toHaveLength(11);
  });

  test('an environment is emptied over all of its buckets', async () => {
    await using backend = connectTo(await databaseWith([1, BUCKET_SIZE, 20 * BUCKET_SIZE]));
    await backend.resetEnvironment('production');
    expect(await walk(backend, { limit: 10 })).toEqual([[]]);
    expect(await backend.pets().create(pet('first'), at())).toMatchObject({ pet: { id: 1 } });
  });

  test('are given to all pets of an earlier release, which goes on adding some meanwhile', async () => {
    const url = await server.createDatabase();
    await migrate(url, EARLIER);
    await server.run(insertion('generate_series(1, 70000)'), url);
    await using earlier = new SQL({ url, max: 1 });
    let migrating = true;
    let added = 0;
    const adding = (async () => {
      while (migrating) {
        added += 1;
        await earlier.unsafe(insertion(`unnest('{${70_000 + added}}'::bigint[])`));
      }
    })();
    await eventually(() => added > 0);
    // Several processes of the new release start at the same time.
    await Promise.all([migrate(url), migrate(url), migrate(url)]).finally(() => {
      migrating = false;
    });
    await adding;
    await earlier.unsafe(insertion("unnest('{200000}'::bigint[])"));
    const wrong = await server.run(
      `SELECT id FROM pets WHERE bucket IS DISTINCT FROM id / ${BUCKET_SIZE}`,
      url,
    );
    expect(wrong).toEqual([]);
    const [count] = await server.run<{ pets: number }>(
      'SELECT count(*)::int AS pets FROM pets',
      url,
    );
    expect(count?.pets).toBe(70_001 + added);
    const indexes = await server.run<{ name: string; valid: boolean }>(
      `SELECT indexrelid::regclass::text AS name, indisvalid AS valid
       FROM pg_index WHERE indrelid = 'pets'::regclass ORDER BY 1`,
      url,
    );
    expect(indexes).toEqual([
      { name: 'pets_by_id', valid: true },
      { name: 'pets_by_status', valid: true },
    ]);
  });

  test('are given in the end, wherever the first try was interrupted', async () => {
    const url = await server.createDatabase();
    await migrate(url, EARLIER);
    await server.run(insertion('generate_series(1, 30)'), url);
    await server.run(insertion('generate_series(1, 1)').replace('production', 'staging'), url);
    const [online] = MIGRATIONS.filter((step) => step.online);
    // The state after an interruption of the migration: half of the pets have a bucket, and the index is invalid.
    await using connection = new SQL({ url, max: 1 });
    await online?.online?.(connection);
    await server.run('ALTER TABLE pets DROP CONSTRAINT pets_bucket_check', url);
    await server.run('UPDATE pets SET bucket = NULL WHERE id > 15', url);
    await server.run(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'pets_by_id'::regclass",
      url,
    );
    await migrate(url);
    await using backend = connectTo(url);
    expect((await walk(backend, { limit: 100 })).flat()).toHaveLength(30);
    const valid =
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'pets_by_id'::regclass";
    expect(await server.run(valid, url)).toEqual([{ valid: true }]);
  });
});
