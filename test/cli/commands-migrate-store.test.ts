import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS, readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { ONE, provokeBan } from '../support/ban-scene.ts';
import { createKey, keysOf, messagesOf, sendMessage } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { withSecrets } from '../support/secrets.ts';
import { makeKey, onFolder } from '../support/storage.ts';

const WITH_SECRET = { PETSTORE_SECRET: SECRET };
const LARGEST = '9223372036854775807';
const STRANGER = 'acct_stranger';
const NEW_PET = { name: 'Rex', categoryId: 1, status: 'available' } as const;

describe.skipIf(!hasPostgres)('migrate-store', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A folder with a secret, and an empty database. */
  async function scene() {
    const folder = temporaryFolder();
    const url = await server.createDatabase();
    const settings = { ...WITH_SECRET, PETSTORE_DATA_DIR: folder.path, PETSTORE_DATABASE_URL: url };
    const inFolder = { ...WITH_SECRET, PETSTORE_DATA_DIR: folder.path };
    return {
      folder,
      url,
      settings,
      inFolder,
      migrate: (more: Record<string, string> = {}) =>
        runCommand(['migrate-store', '--json'], { ...settings, ...more }),
      [Symbol.dispose]: () => folder[Symbol.dispose](),
    };
  }

  test('copies everything that users see', async () => {
    using it = await scene();
    const clock = new ManualClock();
    const before = await fill(it.folder.path, clock);
    const { code, stdout, stderr } = await it.migrate();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = rowsByTable(stdout);
    expect(rows).toMatchObject({ accounts: 2, 'pets of production': 3, 'pets of staging': 1 });
    expect(rows).toMatchObject({ 'orders of production': 1, 'orders of staging': 0 });
    expect(rows).toMatchObject({ messages: 2, bans: 1, 'idempotent_requests of production': 1 });

    const settings = { ...WITH_SECRET, PETSTORE_DATABASE_URL: it.url };
    await using service = await TestService.start({ settings, clock, parts: PARTS });
    expect(await picture(service, before.email, before.key)).toEqual(before.picture);
    const again = await service.post(before.key, before.pet, { 'Idempotency-Key': 'once' });
    expect({ status: again.status, text: await again.text() }).toEqual(before.created);
    const next = await service.post(before.key, before.pet);
    expect(await next.json()).toMatchObject({ id: 5 });
    const { orders } = service.stores.environment('production');
    const accountId = await accountOf(service, before.email);
    expect(await orders.list({ accountId, limit: 10, after: 0 })).toMatchObject({
      orders: [{ id: 2, petId: 1, status: 'placed' }],
    });
    const order = await orders.create({ accountId, petId: 5 }, clock.now());
    expect(order).toMatchObject({ kind: 'created', order: { id: 3 } });
    expect((await ask(service, before.banned)).code).toBe('api_key_banned');

    const refused = { id: 1, accountId: 'acct_other' };
    for (const environment of ['production', 'staging'] as const) {
      const { pets } = service.stores.environment(environment);
      expect(await pets.delete(refused)).toMatchObject({ kind: 'not_owner' });
    }
    expect(await service.client(before.key).updatePet(3, { name: 'Mine' })).toMatchObject({
      id: 3,
    });
  });

  test('leaves no page uncacheable because of animals that were deleted before', async () => {
    using it = await scene();
    await runCommand(['seed', '--pets', '200'], it.inFolder);
    const stores = await openStores(readConfig(it.inFolder), systemClock, REUSED_THREADS);
    const { pets } = stores.environment('production');
    for (const id of [1, 3, 4, 5, 50, 199, 200]) await pets.delete({ id, accountId: STRANGER });
    await stores.close();
    expect(await it.migrate()).toMatchObject({ code: 0 });
    const migrated = await openStores(readConfig(it.settings), systemClock, REUSED_THREADS);
    await using _ = { [Symbol.asyncDispose]: () => migrated.close() };
    const store = migrated.environment('production').pets;
    for (const status of [undefined, 'sold', 'pending'] as const) {
      expect(await store.list({ limit: 20, status, after: 0 })).toMatchObject({
        isCacheable: true,
      });
    }
    await store.import(Array.from({ length: 20 }, () => ({ ...NEW_PET })));
    expect((await store.list({ limit: 100, after: 0 })).isCacheable).toBe(true);
    await migrated.environment('production').reset();
    store.invalidatePages();
    await server.run("SELECT nextval('production_pet_ids')", it.url);
    await store.import(Array.from({ length: 20 }, () => ({ ...NEW_PET })));
    expect((await store.list({ limit: 10, after: 0 })).isCacheable).toBe(false);
  });

  test('says which settings to start with, and how to treat the folder', async () => {
    using it = await scene();
    await fill(it.folder.path, new ManualClock());
    const { stdout } = await runCommand(['migrate-store'], it.settings);
    expect(stdout).toEndWith(
      `Start the service with the same settings. The data in ${it.folder.path} is unchanged: keep it for a while. Releases older than this one may no longer open it.\n`,
    );
  });

  test('continues where it stopped after it was killed', async () => {
    using it = await scene();
    await runCommand(['seed', '--pets', '40000'], it.inFolder);
    const first = startCommand(['migrate-store', '--json'], it.settings);
    const carried = async () => {
      const query = "SELECT rows FROM store_migration WHERE name = 'pets of production'";
      const [row] = await server.run<{ rows: string }>(query, it.url).catch(() => []);
      return Number(row?.rows ?? 0);
    };
    await eventually(async () => (await carried()) > 0);
    first.kill('SIGKILL');
    await first.exited;
    const half = await runCommand(['accounts', 'list'], it.settings);
    expect(half).toMatchObject({ code: 2, stderr: expect.stringContaining('run it again') });
    const { code, stdout } = await it.migrate();
    expect(code).toBe(0);
    expect(rowsByTable(stdout)['pets of production']).toBe(40_000);
    const [row] = await server.run<{ rows: string }>('SELECT count(*) AS rows FROM pets', it.url);
    expect(Number(row?.rows)).toBe(40_000);
  });

  test('reports a folder that changed between two runs', async () => {
    using it = await scene();
    await runCommand(['accounts', 'create', 'ada@example.com'], it.inFolder);
    expect(await it.migrate()).toMatchObject({ code: 0 });
    await server.run(
      'CREATE TABLE store_migration (name TEXT PRIMARY KEY, rows BIGINT, after TEXT)',
      it.url,
    );
    const rows =
      "INSERT INTO store_migration SELECT 'accounts', 1, json_build_array(id) FROM accounts";
    await server.run('DELETE FROM audit', it.url);
    await server.run(rows, it.url);
    await runCommand(['accounts', 'set-plan', 'ada@example.com', 'pro'], it.inFolder);
    const { code, stderr } = await it.migrate();
    expect(code).toBe(1);
    expect(stderr).toContain('accounts: the folder has 1 rows, the database 1, and they are not');
  });

  test('refuses a folder that is served, one without data, and one with another secret', async () => {
    using it = await scene();
    expect((await it.migrate()).stderr).toContain('holds no data');
    {
      await using service = await TestService.start({
        folder: it.folder.path,
        settings: WITH_SECRET,
      });
      expect((await ask(service, undefined)).status).toBe(401);
      expect((await it.migrate()).stderr).toContain('Stop the service');
    }
    const other = await it.migrate({ PETSTORE_SECRET: SECRET.toUpperCase() });
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('another secret') });
    const nowhere = await runCommand(['migrate-store'], it.inFolder);
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Set PETSTORE_DATABASE_URL'),
    });
  });

  test('of a folder whose secret was changed asks for the previous one, and keeps every key', async () => {
    using it = await scene();
    const keys = [await makeKey(it.folder.path)];
    const inFolder = onFolder(it.folder.path);
    await runCommand(['store', 'rotate-secret'], inFolder);
    const made = await runCommand(['keys', 'create', 'production@example.com'], inFolder);
    keys.push(made.stdout.trim());
    const [secret = '', previous = ''] = ['secret', 'secret.previous'].map((name) =>
      readFileSync(join(it.folder.path, name), 'utf8').trim(),
    );
    const alone = await it.migrate({ PETSTORE_SECRET: secret });
    expect(alone).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ 1 API keys and second factors .*PETSTORE_PREVIOUS_SECRETS/),
    });
    const secrets = withSecrets(secret, previous);
    expect(await it.migrate(secrets)).toMatchObject({ code: 0, stderr: '' });
    const settings = { ...secrets, PETSTORE_DATABASE_URL: it.url };
    await using service = await TestService.start({ settings });
    for (const key of keys) expect((await service.request('/pets', { key })).status).toBe(200);
  });

  test('refuses a database that is in use', async () => {
    using it = await scene();
    await runCommand(['accounts', 'create', 'ada@example.com'], it.inFolder);
    const settings = { ...WITH_SECRET, PETSTORE_DATABASE_URL: it.url };
    await runCommand(['accounts', 'create', 'bob@example.com'], settings);
    const { code, stderr } = await it.migrate();
    expect(code).toBe(1);
    expect(stderr).toContain('is in use already');
  });
});

/** Uses every part of a service in this folder; returns what its user then sees. */
async function fill(folder: string, clock: ManualClock) {
  const settings = { ...WITH_SECRET, PETSTORE_BAN_AFTER: '1' };
  await using service = await TestService.start({ folder, settings, clock, parts: PARTS });
  const visitor = await Visitor.signUp(service, 'Ada@Example.com');
  const { text: key } = await createKey(visitor, { name: 'The "first" – 🐕' });
  const staging = await createKey(visitor, { environment: 'staging' });
  const pet = { name: '🐈 "Ünique"\\', categoryId: 7 };
  const made = await service.post(key, pet, { 'Idempotency-Key': 'once' });
  const created = { status: made.status, text: await made.text() };
  await service.post(key, `{"name":"Rex","categoryId":${LARGEST},"status":"sold"}`);
  await service.post(key, { name: "O'Malley", categoryId: 1, status: 'pending' });
  const { pets } = service.stores.environment('production');
  await pets.import([{ name: 'Deleted', categoryId: 1, status: 'sold' }]);
  expect(await pets.delete({ id: 4, accountId: 'acct_1' })).toEqual({ kind: 'deleted' });
  const { orders } = service.stores.environment('production');
  const order = { accountId: await accountOf(service, visitor.email), petId: 1 };
  await orders.create(order, clock.now(), 'order');
  await orders.deleteAll(order.accountId);
  await orders.create(order, clock.now(), 'order');
  await service.request('/pets', {
    method: 'POST',
    key: staging.text,
    environment: 'staging',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(pet),
  });
  await sendMessage(service, key, 'first \u0000 "quoted"');
  await sendMessage(service, key, 'second');
  await service.runJobs();
  const { secret: banned } = await service.account(ONE);
  await provokeBan({ service, clock, secret: banned }, 1);
  return {
    ...{ email: visitor.email, key, pet, created, banned },
    picture: await picture(service, visitor.email, key),
  };
}

async function accountOf({ stores }: TestService, email: string): Promise<string> {
  const account = await stores.accounts.findByEmail(email);
  if (!account) throw new Error(`There is no account ${email}.`);
  return account.id;
}

/** The data that the owner of a key sees. */
async function picture(service: TestService, email: string, key: string) {
  const visitor = await Visitor.signIn(service, email);
  const pets = await service.request('/pets', { key });
  const keys = await keysOf(visitor);
  return {
    pets: await pets.text(),
    keys: keys.map(({ lastUsedAt: _, ...rest }) => rest),
    messages: await messagesOf(visitor),
  };
}

function rowsByTable(stdout: string): Record<string, number> {
  const { tables }: { tables: Array<{ name: string; rows: number }> } = JSON.parse(stdout);
  return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));
}
