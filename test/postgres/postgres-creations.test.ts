import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { petJson } from '../../src/core/pets/pet-json.ts';
import type { CreateOutcome, PetQuery, PetStore } from '../../src/core/pets/pet-store.ts';
import type { Pet } from '../../src/core/pets/pets.ts';
import { lazy } from '../../src/lib/lazy.ts';
import type { StatementKind } from '../../src/storage/postgres/connection-pool.ts';
import { PostgresDatabase, type Statements } from '../../src/storage/postgres/database.ts';
import { PostgresPetStore } from '../../src/storage/postgres/pet-store.ts';
import { at, pet } from '../storage/ports/backend.ts';
import { connectTo, openPostgresBackend } from '../storage/ports/postgres-backend.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

/** Lists all pets from the start. A page is small, but larger than what nine writers add meanwhile. */
async function walk(store: PetStore, limit = 60): Promise<Pet[]> {
  const seen: Pet[] = [];
  for (let after = 0; ; ) {
    const { pets, more } = await store.list({ limit, after });
    seen.push(...pets);
    if (!more) return seen;
    after = pets.at(-1)?.id ?? Number.NaN;
  }
}

/** Creates pets one after the other until `stop`. */
function writer(store: PetStore, name: string, acknowledged: Set<number>) {
  let writing = true;
  const end = (async () => {
    for (let round = 0; writing; round += 1) {
      const outcome = await store.create(pet(`${name} ${round}`), at());
      if ('pet' in outcome) acknowledged.add(outcome.pet.id);
    }
  })();
  return {
    stop: () => {
      writing = false;
      return end;
    },
  };
}

/** A database that runs `interrupt` before its first query of a request for a single row. */
class InterruptedDatabase extends PostgresDatabase implements AsyncDisposable {
  readonly #interrupt: () => Promise<unknown>;

  constructor(url: string, interrupt: () => Promise<unknown>) {
    super(url, [url]);
    this.#interrupt = lazy(interrupt);
  }

  override of(kind: StatementKind): Statements {
    const statements = super.of(kind);
    const get: Statements['get'] = statements.get.bind(statements);
    statements.get = async (text, ...values) => {
      await this.#interrupt();
      return get(text, ...values);
    };
    return statements;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A database that runs `interrupt` after its first rows were read. */
class SlowDatabase extends PostgresDatabase implements AsyncDisposable {
  #interrupt: (() => Promise<unknown>) | undefined;

  constructor(url: string, interrupt: () => Promise<unknown>) {
    super(url, [url]);
    this.#interrupt = interrupt;
  }

  override of(kind: StatementKind): Statements {
    const statements = super.of(kind);
    const rows: Statements['rows'] = statements.rows.bind(statements);
    statements.rows = async (selection, ...values) => {
      const found = await rows(selection, ...values);
      const interrupt = this.#interrupt;
      this.#interrupt = undefined;
      await interrupt?.();
      return found;
    };
    return statements;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

describe.skipIf(!hasPostgres)('creations in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('a walk sees every animal acknowledged before it began, once, whoever creates more', async () => {
    await using backend = await openPostgresBackend(server);
    const processes = await Promise.all([1, 2, 3].map(() => backend.another()));
    const acknowledged = new Set<number>();
    const writers = processes.flatMap((each, index) =>
      [1, 2, 3].map((lane) => writer(each.pets(), `${index}/${lane}`, acknowledged)),
    );
    for (let walks = 0; walks < 15; walks += 1) {
      const before = [...acknowledged];
      const ids = (await walk(backend.pets())).map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
      const seen = new Set(ids);
      expect(before.filter((id) => !seen.has(id))).toEqual([]);
    }
    await Promise.all(writers.map((each) => each.stop()));
    expect((await walk(backend.pets(), 100)).map(({ id }) => id)).toEqual(
      [...acknowledged].sort((one, other) => one - other),
    );
    for (const each of processes) await each[Symbol.asyncDispose]();
  });

  test('a page before which an animal may still come is not called isCacheable', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const store = backend.pets();
    await store.create(pet('first'), at());
    // Like a creation that has its id but is not committed yet.
    await server.run("SELECT nextval('production_pet_ids')", url);
    for (const name of ['third', 'fourth', 'fifth']) await store.create(pet(name), at());
    expect((await store.list({ limit: 1, after: 0 })).isCacheable).toBe(true);
    expect((await store.list({ limit: 2, after: 0 })).isCacheable).toBe(false);
    const available = { limit: 2, after: 0, status: 'available' } as const;
    expect((await store.list(available)).isCacheable).toBe(false);
    expect((await store.list({ ...available, after: 2 })).isCacheable).toBe(true);
    await server.run("INSERT INTO pets VALUES ('production', 2, 'second', 1, 'sold')", url);
    expect((await store.list({ limit: 2, after: 0 })).isCacheable).toBe(true);
    expect((await store.list(available)).isCacheable).toBe(true);
  });

  test('a page that an animal came into after it was read is not called isCacheable', async () => {
    const url = await server.createMigrated();
    const late = () =>
      server.run("INSERT INTO pets VALUES ('production', 2, 'second', 1, 'available')", url);
    await using database = new InterruptedDatabase(url, late);
    const store = new PostgresPetStore(database, 'production');
    await store.create(pet('first'), at());
    // Like a creation that has its id, and is committed between the queries for the page and for its count.
    await server.run("SELECT nextval('production_pet_ids')", url);
    for (const name of ['third', 'fourth']) await store.create(pet(name), at());
    const available = { limit: 2, after: 0, status: 'available' } as const;
    const { pets, isCacheable } = await store.list(available);
    expect(pets.map(({ id }) => id)).toEqual([1, 3]);
    expect(isCacheable).toBe(false);
    expect((await store.list(available)).isCacheable).toBe(true);
  });

  test('a page that was read before an animal came is not called isCacheable, although a later one is', async () => {
    const url = await server.createMigrated();
    for (const id of [1, 3, 4, 5]) {
      await server.run(`INSERT INTO pets VALUES ('production', ${id}, 'a', 1, 'available')`, url);
    }
    await using database: SlowDatabase = new SlowDatabase(url, async () => {
      await server.run("INSERT INTO pets VALUES ('production', 2, 'b', 1, 'available')", url);
      expect((await store.list({ limit: 3, after: 0 })).isCacheable).toBe(true);
    });
    const store = new PostgresPetStore(database, 'production');
    const { pets, isCacheable } = await store.list({ limit: 2, after: 0 });
    expect(pets.map(({ id }) => id)).toEqual([1, 3]);
    expect(isCacheable).toBe(false);
    expect((await store.list({ limit: 2, after: 0 })).isCacheable).toBe(true);
  });

  test('a page is not called isCacheable because of ids that were taken before a reset', async () => {
    await using backend = await openPostgresBackend(server);
    const store = backend.pets();
    await store.import(Array.from({ length: 9 }, (_, index) => pet(`${index}`)));
    const page = { limit: 3, after: 0 };
    expect((await store.list(page)).isCacheable).toBe(true);
    await store.delete({ id: 2, accountId: 'anyone' });
    expect((await store.list(page)).isCacheable).toBe(true);
    await backend.resetEnvironment('production');
    store.invalidatePages();
    await backend.run('production', "SELECT setval('production_pet_ids', 2)");
    await store.import(Array.from({ length: 9 }, (_, index) => pet(`${index}`)));
    expect((await store.list(page)).isCacheable).toBe(false);
  });

  test('a page after many deleted animals becomes isCacheable, but not one after an id without an animal', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const store = backend.pets();
    await store.import(Array.from({ length: 9_030 }, (_, index) => pet(`${index}`)));
    await server.run(
      `WITH gone AS (DELETE FROM pets WHERE id <= 9000 RETURNING environment, bucket, id)
       INSERT INTO deleted_pets SELECT * FROM gone`,
      url,
    );
    const readings = async (query: Omit<PetQuery, 'after'>) => {
      const pages = [];
      for (let time = 0; time < 4; time += 1) pages.push(await store.list({ ...query, after: 0 }));
      return pages.map(({ isCacheable }) => isCacheable);
    };
    expect(await readings({ limit: 20, status: 'available' })).toEqual([false, false, true, true]);
    expect(await readings({ limit: 20 })).toEqual([true, true, true, true]);
    // Like a creation that failed after it had taken an id.
    await server.run('DELETE FROM pets WHERE id = 9025', url);
    expect(await readings({ limit: 20 })).toEqual([true, true, true, true]);
    expect(await readings({ limit: 26 })).toEqual([false, false, false, false]);
    await server.run("UPDATE pets SET status = 'sold' WHERE id = 9010", url);
    expect(await readings({ limit: 26, status: 'available' })).toEqual(Array(4).fill(false));
  });

  test('many that wait share one transaction', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const store = backend.pets();
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, index) => store.create(pet(`${index}`), at())),
    );
    const ids = outcomes.map((outcome) => ('pet' in outcome ? outcome.pet.id : 0));
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    const kept = await walk(store, 100);
    expect(kept).toEqual(outcomes.flatMap((outcome) => ('pet' in outcome ? outcome.pet : [])));
    const transactions = await server.run('SELECT DISTINCT xmin::text FROM pets', url);
    expect(transactions).toHaveLength(1);
  });

  test('an idempotent creation is recorded with its animal, or there is neither', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const request = { accountId: 'acct_1', key: 'k', fingerprint: 'of Rex' };
    await server.run('ALTER TABLE pets ADD CONSTRAINT only_ada CHECK (name = $$Ada$$)', url);
    const refused = backend.pets().create(pet('Rex'), at(), request);
    expect(await refused.catch((error) => error)).toBeInstanceOf(Error);
    await server.run('ALTER TABLE pets DROP CONSTRAINT only_ada', url);
    expect((await backend.pets().create(pet('Rex'), at(), request)).kind).toBe('created');
    expect(await walk(backend.pets())).toHaveLength(1);
  });

  test('an animal that was not added is never acknowledged, whatever is stored', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const request = { accountId: 'acct_1', key: 'once', fingerprint: 'same' };
    await backend.pets().create(pet('Rex'), at(), request);
    // Like a row of an earlier release whose pet another process deletes at the same moment.
    await server.run('UPDATE idempotent_requests SET reply_body = NULL', url);
    await server.run('DELETE FROM pets', url);
    const outcome = backend.pets().create(pet('Rex'), at(), request);
    expect(await outcome.catch((error) => error)).toBeInstanceOf(StorageUnavailable);
  });

  test('the same request in two processes at the same moment makes one animal', async () => {
    await using backend = await openPostgresBackend(server);
    await using other = await backend.another();
    for (let round = 0; round < 20; round += 1) {
      const requests = Array.from({ length: 10 }, (_, index) => ({
        accountId: 'acct_1',
        key: `${round}/${index}`,
        fingerprint: 'of Rex',
      }));
      const create = (store: PetStore, all: typeof requests) =>
        Promise.all(all.map((request) => store.create(pet('Rex'), at(), request)));
      const [here, there] = await Promise.all([
        create(backend.pets(), requests),
        // In the opposite order, which could cause a deadlock.
        create(other.pets(), requests.toReversed()),
      ]);
      for (const [index, one] of here.entries()) {
        const two = there.toReversed()[index];
        const kinds = [one.kind, two?.kind].sort();
        expect(kinds).toEqual(['created', 'replayed']);
        expect(two && bodyOf(two)).toEqual(bodyOf(one));
      }
    }
    expect((await walk(backend.pets(), 100)).length).toBe(200);
  });
});

/** The body of the reply; the store returns a pet for a creation and the body for a replay. */
function bodyOf(outcome: CreateOutcome): string | undefined {
  if (outcome.kind === 'created') return petJson(outcome.pet);
  return outcome.kind === 'replayed' ? outcome.reply.body : undefined;
}
