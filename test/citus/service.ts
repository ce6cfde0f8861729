import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { BUCKET_SIZE } from '../../src/storage/buckets.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { eventually, type NewAccount, TestService, temporaryFolder } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { CitusCluster, PLACEMENTS } from './cluster.ts';

const REX = { name: 'Rex', categoryId: 7 };

const settingsOf = (url: string) => ({ PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET });

describe('a service on Citus', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await CitusCluster.start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('distributes the tables that its first start makes, also when several start at once', async () => {
    const url = await cluster.createDatabase();
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    await migrate(url);
  });

  test('lists, adds and fetches animals, and repeats a creation once', async () => {
    await using service = await TestService.start({
      settings: settingsOf(await cluster.createDatabase()),
      parts: ['production', 'staging', 'quickstart'],
    });
    const { secret } = await service.account();
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        service.post(secret, REX, index % 2 ? { 'Idempotency-Key': `key-${index}` } : {}),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    const again = await service.post(secret, REX, { 'Idempotency-Key': 'key-1' });
    expect(await again.text()).toBe((await replies[1]?.text()) ?? '');
    const client = service.client(secret);
    const seen = [];
    for await (const pet of client.listAllPets({ limit: 7 })) seen.push(pet.id);
    expect(seen).toHaveLength(30);
    expect(await service.request('/pets/1', { key: secret })).toMatchObject({ status: 200 });
    expect(await service.request('/pets/31', { key: secret })).toMatchObject({ status: 404 });
    const sent = await fetch(`${service.url('quickstart')}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: 'Hello!' }),
    });
    expect(sent.status).toBe(202);
  });

  test('reads animals at the workers whose addresses it has, as soon as they are acknowledged', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(cluster.urlOfAll(url)) });
    const { secret } = await service.account();
    const database = new URL(url).pathname.slice(1);
    const readers = async () => {
      const counts = cluster.workers.map((worker) =>
        worker.run<{ count: number }>(
          `SELECT count(*)::int AS count FROM pg_stat_activity
           WHERE application_name = 'petstore' AND datname = '${database}' AND query LIKE '%AS pets%'`,
        ),
      );
      return (await Promise.all(counts)).flat().reduce((sum, { count }) => sum + count, 0);
    };
    const addAndFetch = async (headers: Record<string, string>) => {
      const added = await service.post(secret, REX, headers);
      expect(added.status).toBe(201);
      const pet = await added.json();
      const fetched = await service.request(`/pets/${pet.id}`, { key: secret });
      expect(await fetched.json()).toEqual(pet);
      const page = await service.request(`/pets?after=${pet.id - 1}`, { key: secret });
      expect(await page.json()).toEqual([pet]);
    };
    await eventually(async () => {
      await addAndFetch({});
      return (await readers()) > 0;
    });
    for (let count = 0; count < 20; count += 1) {
      await addAndFetch(count % 2 ? { 'Idempotency-Key': `${count}` } : {});
    }
  });

  test('has on the coordinator what belongs there, also where an earlier release had it elsewhere', async () => {
    const url = await cluster.createMigrated();
    await cluster.coordinator.run(
      `SELECT create_distributed_table('idempotent_requests', 'account_id', colocate_with => 'messages')`,
      url,
    );
    for (const table of ['counting', 'changes', 'revision', 'usage_sources']) {
      await cluster.coordinator.run(`SELECT create_reference_table('${table}')`, url);
    }
    await using service = await TestService.start({ settings: settingsOf(url) });
    const { secret } = await service.account();
    const create = async () => {
      const reply = await service.post(secret, REX, { 'Idempotency-Key': 'once' });
      return { status: reply.status, text: await reply.text() };
    };
    const first = await create();
    expect(first.status).toBe(201);
    using folder = temporaryFolder();
    const settings = { ...settingsOf(url), PETSTORE_DATA_DIR: folder.path };
    expect(await runCommand(['distribute', '--yes'], settings)).toMatchObject({ code: 0 });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    expect(await create()).toEqual(first);
  });

  test('is filled from a data folder', async () => {
    using folder = temporaryFolder();
    const embedded = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: SECRET };
    expect(await runCommand(['seed', '--pets', '300'], embedded)).toMatchObject({ code: 0 });
    const key = await runCommand(['keys', 'create', 'ada@example.com'], embedded);
    const url = await cluster.createDatabase();
    const migrated = await runCommand(['migrate-store'], { ...embedded, ...settingsOf(url) });
    expect(migrated).toMatchObject({ code: 0 });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    await using service = await TestService.start({ settings: settingsOf(url) });
    const pets = await service.request('/pets?limit=100&after=200', { key: key.stdout.trim() });
    expect(await pets.json()).toHaveLength(100);
  });
});

describe('a worker that is lost', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await CitusCluster.start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each([
    ['named', (url: string) => cluster.urlOfAll(url)],
    ['not named', (url: string) => url],
  ])(
    'costs 503 for the animals that it has, until it is back, where workers are %s',
    async (_, named) => {
      const url = await cluster.createDatabase();
      await using service = await TestService.start({ settings: settingsOf(named(url)) });
      const { secret } = await service.account();
      const ids = Array.from({ length: 16 }, (_, bucket) => bucket * BUCKET_SIZE + 1);
      for (const id of ids) {
        await cluster.coordinator.run(
          `INSERT INTO pets (environment, bucket, id, name, category_id, status)
         VALUES ('production', ${id} / ${BUCKET_SIZE}, ${id}, 'Rex', 7, 'sold')`,
          url,
        );
      }
      const fetchAll = () =>
        Promise.all(ids.map((id) => service.request(`/pets/${id}`, { key: secret })));
      expect((await fetchAll()).map(({ status }) => status)).toEqual(ids.map(() => 200));
      const [worker] = cluster.workers;
      await worker?.stop('SIGQUIT');
      // The first statements after the loss may use a connection that breaks.
      await eventually(async () => (await fetchAll()).some(({ status }) => status === 200));
      const replies = await fetchAll();
      const statuses = replies.map(({ status }) => status);
      expect([...new Set(statuses)].sort()).toEqual([200, 503]);
      for (const { status, headers } of replies) {
        if (status === 503) expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      }
      const node = `127.0.0.1:${worker?.port}`;
      const readyz = async () => {
        const reply = await fetch(`${service.opsUrl}/readyz`);
        return { status: reply.status, text: await reply.text() };
      };
      await eventually(async () => (await readyz()).text.includes(node));
      expect((await readyz()).status).toBe(200);
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      expect(metrics).toContain(`petstore_database_node_lost{node="${node}"} 1`);
      await worker?.start();
      await eventually(async () => !(await readyz()).text.includes(node));
      await eventually(async () => (await fetchAll()).every(({ status }) => status === 200));
    },
  );

  describe('with accounts on it and on another', () => {
    const LISTED = 7;

    /** A service with an account on a worker that is stopped, and one on another; both list before and after. */
    async function loseOneAfterLists() {
      const url = await cluster.createDatabase();
      const [worker] = cluster.workers;
      const service = await TestService.start({
        settings: settingsOf(url),
        parts: ['production', 'quickstart'],
      });
      const run = <Row>(sql: string) => cluster.coordinator.run<Row>(sql, url);
      /** How many of the account's usage and quota are on the worker that is stopped. */
      const onWorker = async ({ account: { id } }: NewAccount) => {
        const [row] = await run<{ count: number }>(
          `SELECT count(*)::int AS count
           FROM (VALUES ('key_usage', '${id}'), ('quotas', 'account:${id}')) AS of (name, owner)
           JOIN pg_dist_shard_placement
             ON shardid = get_shard_id_for_distribution_column(name::regclass, owner)
           WHERE nodeport = ${worker?.port}`,
        );
        return row?.count;
      };
      let own: NewAccount | undefined;
      let other: NewAccount | undefined;
      while (!own || !other) {
        const made = await service.account();
        const count = await onWorker(made);
        if (count === 2) own = made;
        if (count === 0) other = made;
      }
      const accounts = [own, other];
      const list = async ({ secret }: NewAccount) => {
        for (let count = 0; count < LISTED; count += 1) {
          await (await service.request('/pets', { key: secret })).arrayBuffer();
        }
      };
      await Promise.all(accounts.map(list));
      await worker?.stop('SIGQUIT');
      await Promise.all(accounts.map(list));
      /** What is stored of an account. */
      const saved = async ({ account: { id } }: NewAccount) => {
        const [row] = await run<{ used: number; logged: number }>(
          `SELECT (SELECT coalesce(sum(succeeded + client_errors + limited + server_errors), 0)::int
               FROM key_usage WHERE account_id = '${id}') AS used,
             (SELECT count(*)::int FROM request_log WHERE account_id = '${id}') AS logged`,
        );
        return row;
      };
      return { service, worker, own, other, list, saved, run };
    }

    test('saves the usage and requests of the others while it is lost, and its own when it is back', async () => {
      const { service, worker, own, other, list, saved } = await loseOneAfterLists();
      await using _ = service;
      const all = (times: number) => ({ used: times * LISTED, logged: times * LISTED });
      await eventually(async () => Bun.deepEquals(await saved(other), all(2)));
      await list(other);
      await eventually(async () => Bun.deepEquals(await saved(other), all(3)));
      await list(own);
      await worker?.start();
      await eventually(async () => Bun.deepEquals(await saved(own), all(3)));
      await service.stop();
      expect([await saved(own), await saved(other)]).toEqual([all(3), all(3)]);
    });

    test('keeps everybody from signing up and from getting messages until it is back', async () => {
      const { service, worker, other, run } = await loseOneAfterLists();
      await using _ = service;
      const sent = await fetch(`${service.url('quickstart')}/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${other.secret}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ message: 'Hello!' }),
      });
      expect(sent.status).toBe(202);
      const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
      expect(await failureOf(service.account())).toBeInstanceOf(StorageUnavailable);
      const delivery = service.stores.messages.deliver(Date.now(), 1);
      expect(await failureOf(delivery)).toBeInstanceOf(StorageUnavailable);
      const disabled = run(`SELECT citus_disable_node('127.0.0.1', ${worker?.port}, true)`);
      expect(String(await failureOf(disabled))).toContain('the only shard placement');
      await worker?.start();
      const delivered = `SELECT FROM messages
        WHERE account_id = '${other.account.id}' AND delivered_at IS NOT NULL`;
      await eventually(async () => (await run(delivered)).length === 1);
      // The first statements afterwards may use a connection that broke.
      await eventually(async () => !((await failureOf(service.account())) instanceof Error));
    });

    test('does not keep a stop from saving the usage, requests and quotas of the others', async () => {
      const { service, worker, other, saved, run } = await loseOneAfterLists();
      await service.stop();
      expect(await saved(other)).toEqual({ used: 2 * LISTED, logged: 2 * LISTED });
      const quota = `SELECT day_used::int AS used FROM quotas WHERE caller = 'account:${other.account.id}'`;
      expect(await run(quota)).toEqual([{ used: 2 * LISTED }]);
      await worker?.start();
      await service[Symbol.asyncDispose]();
    });
  });

  test('costs no creation anything as long as it does not have the newest animals', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(cluster.urlOfAll(url)) });
    const owners = [await service.account(), await service.account(), await service.account()];
    const createAll = (round: string) =>
      Promise.all(
        owners.map(({ secret }) => service.post(secret, REX, { 'Idempotency-Key': round })),
      );
    expect((await createAll('first')).map(({ status }) => status)).toEqual(owners.map(() => 201));
    const bucket = `SELECT nodeport::int AS port FROM pg_dist_shard_placement
      WHERE shardid = get_shard_id_for_distribution_column('pets', 0::bigint)`;
    const [holder] = await cluster.coordinator.run<{ port: number }>(bucket, url);
    const [other, own] = cluster.workers.toSorted(({ port }) => (port === holder?.port ? 1 : -1));
    await other?.stop('SIGQUIT');
    expect((await createAll('second')).map(({ status }) => status)).toEqual(owners.map(() => 201));
    await other?.start();
    await own?.stop('SIGQUIT');
    expect((await createAll('third')).map(({ status }) => status)).toEqual(owners.map(() => 503));
    await own?.start();
    await eventually(async () => (await createAll('third')).every(({ status }) => status === 201));
  });
});
