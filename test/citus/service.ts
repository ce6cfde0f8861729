import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { requestPathStatements, scattered } from '../postgres/request-path-statements.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
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

  test('sends only statements that name what their tables are distributed by', async () => {
    const url = await cluster.createDatabase();
    const statements = await requestPathStatements(cluster.coordinator, url);
    expect(statements.some((statement) => /INTO pets\b/.test(statement))).toBe(true);
    expect(statements.filter((statement) => scattered(statement).length > 0)).toEqual([]);
  });

  test('uses the coordinator alone, also where workers are listed', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(cluster.urlOfAll(url)) });
    const { secret } = await service.account();
    const addAndFetch = async (headers: Record<string, string>) => {
      const added = await service.post(secret, REX, headers);
      expect(added.status).toBe(201);
      const pet = await added.json();
      const fetched = await service.request(`/pets/${pet.id}`, { key: secret });
      expect(await fetched.json()).toEqual(pet);
      const page = await service.request(`/pets?after=${pet.id - 1}`, { key: secret });
      expect(await page.json()).toEqual([pet]);
    };
    for (let count = 0; count < 4; count += 1) {
      await addAndFetch(count % 2 ? { 'Idempotency-Key': `${count}` } : {});
    }
    for (const worker of cluster.workers) {
      // The start examined each server over a connection, which may be closing.
      await eventually(async () => {
        const connected = await worker.run(
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'petstore'",
        );
        return connected.length === 0;
      });
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
