import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { PetStore } from '../../src/core/pets/pet-store.ts';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { recordPetChange } from '../../src/storage/pets/pet-feed.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { environmentTransactions } from '../../src/storage/postgres/engine.ts';
import { PostgresPetFeed } from '../../src/storage/postgres/pet-feed.ts';
import { at, pet } from '../storage/ports/backend.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { CuttableLink } from '../support/cuttable-link.ts';
import { eventually, ManualClock } from '../support/harness.ts';
import { PgBouncer, pgBouncerVersion } from '../support/pg-bouncer.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

/** A store, the feed of a process that shares its database, and the clock of that process. */
async function scene(url: string, feedUrl = url) {
  await using opening = new AsyncDisposableStack();
  const backend = opening.use(connectTo(url));
  const database = new PostgresDatabase(feedUrl, [feedUrl], undefined, 3);
  opening.defer(() => database.close());
  const clock = new ManualClock();
  const feed = new PostgresPetFeed(database, 'production', clock);
  const pets = backend.pets();
  const ids = await added(pets, 4);
  await feed.read();
  const resources = opening.move();
  return {
    ...{ backend, database, clock, feed, pets, ids },
    rename: (id: number) => pets.update({ id, accountId: 'anyone' }, { name: crypto.randomUUID() }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function added(
  pets: PetStore,
  count: number,
): Promise<readonly [number, number, number, number]> {
  await pets.import(Array.from({ length: count }, (_, index) => pet(`${index}`)));
  const page = await pets.list({ limit: count, after: 0 });
  const [one = 0, two = 0, three = 0, four = 0] = page.pets.map(({ id }) => id);
  return [one, two, three, four];
}

function changeOf(id: number) {
  return { id, before: 'available', after: 'available' } as const;
}

/** A transaction that has changed a pet, or only has an id, and is not committed yet. */
async function openTransaction(url: string, id?: number) {
  const sql = new SQL({ url, max: 1 });
  const connection = await sql.reserve();
  await connection.unsafe('BEGIN');
  await connection.unsafe('SELECT pg_current_xact_id()');
  if (id !== undefined) {
    await connection.unsafe(
      `INSERT INTO pet_changes (environment, pet_id, old_status, new_status)
       VALUES ('production', ${id}, 'available', 'available')`,
    );
  }
  return {
    commit: async () => void (await connection.unsafe('COMMIT')),
    async [Symbol.asyncDispose]() {
      connection.release();
      await sql.close({ timeout: 0 });
    },
  };
}

describe.skipIf(!hasPostgres)('the feed of changes of pets in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('has a change whose transaction began before others, but was committed after they were read', async () => {
    const url = await server.createMigrated();
    await using it = await scene(url);
    await using early = await openTransaction(url, 77);
    await it.rename(it.ids[0]);
    expect(await it.feed.read()).toEqual([changeOf(it.ids[0])]);
    await it.rename(it.ids[1]);
    expect(await it.feed.read()).toEqual([changeOf(it.ids[1])]);
    await early.commit();
    expect(await it.feed.read()).toEqual([changeOf(77)]);
    expect(await it.feed.read()).toEqual([]);
  });

  test('has each change once while another transaction stays open', async () => {
    const url = await server.createMigrated();
    await using it = await scene(url);
    await using _ = await openTransaction(url);
    for (const id of it.ids) {
      await it.rename(id);
      expect(await it.feed.read()).toEqual([changeOf(id)]);
    }
    expect(await it.feed.read()).toEqual([]);
  });

  test('has one change for several of a pet in one transaction', async () => {
    const url = await server.createMigrated();
    await using it = await scene(url);
    const change = environmentTransactions(it.database, 'production');
    await change(async (transaction) => {
      await recordPetChange(transaction, { id: 77, before: 'available', after: 'pending' });
      await recordPetChange(transaction, { id: 77, before: 'pending', after: 'sold' });
    });
    expect(await it.feed.read()).toEqual([{ id: 77, before: 'available', after: 'sold' }]);
  });

  test('keeps changes for a minute, whatever transaction stays open', async () => {
    const url = await server.createMigrated();
    await using it = await scene(url);
    await using _ = await openTransaction(url);
    const rows = async () =>
      (await server.run<{ id: number }>('SELECT pet_id::float8 AS id FROM pet_changes', url)).map(
        ({ id }) => id,
      );
    await it.rename(it.ids[0]);
    await it.feed.prune();
    await it.rename(it.ids[1]);
    it.clock.advance(MINUTE - 1);
    await it.feed.prune();
    expect(await rows()).toHaveLength(2);
    it.clock.step(MINUTE);
    await it.feed.prune();
    expect(await rows()).toHaveLength(2);
    it.clock.advance(1);
    await it.feed.prune();
    expect(await rows()).toEqual([it.ids[1]]);
    it.clock.advance(MINUTE);
    await it.feed.prune();
    expect(await rows()).toEqual([]);
  });

  test('is everything for a process that has read nothing for half a minute, by either clock', async () => {
    await using it = await scene(await server.createMigrated());
    it.clock.advance(30 * SECOND);
    expect(await it.feed.read()).toEqual([]);
    it.clock.advance(30 * SECOND + 1);
    expect(await it.feed.read()).toBe('everything');
    it.clock.step(30 * SECOND + 1);
    expect(await it.feed.read()).toBe('everything');
    await it.rename(it.ids[0]);
    expect(await it.feed.read()).toEqual([changeOf(it.ids[0])]);
  });

  test('is everything once a server answers whose transactions begin anew', async () => {
    const url = await server.createMigrated();
    // Uses up ids of transactions.
    await server.run(
      'DO $$ BEGIN FOR i IN 1..500 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$',
    );
    await using restored = await PostgresServer.start();
    const restoredUrl = new URL(await restored.createMigrated());
    await using link = await CuttableLink.to(server.port);
    const linked = new URL(url);
    linked.host = `127.0.0.1:${link.port}`;
    await using it = await scene(url, linked.href);
    restoredUrl.pathname = new URL(url).pathname;
    await restored.run(`CREATE DATABASE ${restoredUrl.pathname.slice(1)} TEMPLATE migrated`);
    await restored.run(
      `INSERT INTO pet_changes VALUES ('production', '999999999', 77, 'available', 'sold')`,
      restoredUrl.href,
    );
    link.pointAt(restored.port);
    // The first statements find that their connections are closed.
    await eventually(() => it.database.get('SELECT 1').then(Boolean, () => false));
    expect(await it.feed.read()).toBe('everything');
    // A row with the id of a transaction that the server has yet to begin.
    expect(await it.feed.read()).toEqual([]);
    await it.feed.prune();
    it.clock.advance(MINUTE);
    await it.feed.prune();
    expect(await restored.run('SELECT * FROM pet_changes', restoredUrl.href)).toEqual([]);
  });

  test('repeats changes for two seconds on several nodes, which may show them a moment later', async () => {
    await using it = await scene(await server.createMigrated());
    it.database.isDistributed = true;
    await it.rename(it.ids[0]);
    for (const advance of [1_000, 1_000]) {
      expect(await it.feed.read()).toEqual([changeOf(it.ids[0])]);
      it.clock.advance(advance);
    }
    await it.feed.read();
    expect(await it.feed.read()).toEqual([]);
  });

  // Not skipped but absent with an older release, which mixes up prepared statements.
  if (Bun.semver.satisfies(pgBouncerVersion(), '>=1.21.0')) {
    test('works through PgBouncer, whose clients share connections', async () => {
      const url = await server.createMigrated();
      await using pooler = await PgBouncer.start(server, [
        'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout',
        'max_prepared_statements = 200',
        'default_pool_size = 2',
      ]);
      await using it = await scene(url, pooler.url(url));
      await using early = await openTransaction(url, 77);
      await it.rename(it.ids[0]);
      expect(await it.feed.read()).toEqual([changeOf(it.ids[0])]);
      await early.commit();
      expect(await it.feed.read()).toEqual([changeOf(77)]);
    });
  }

  test('makes no change wait for another one', async () => {
    const url = await server.createMigrated();
    await using it = await scene(url);
    await using _ = await openTransaction(url, it.ids[0]);
    await it.rename(it.ids[1]);
    expect((await it.pets.delete({ id: it.ids[2], accountId: 'anyone' })).kind).toBe('deleted');
    await it.pets.create(pet('later'), at());
  });
});
