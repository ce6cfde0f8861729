import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { postgresEngine } from '../../src/storage/postgres/engine.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { message } from '../storage/ports/backend.ts';
import { CuttableLink } from '../support/cuttable-link.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';

describe.skipIf(!hasPostgres)('a service on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const settingsOf = (url: string) => ({
    PETSTORE_DATABASE_URL: url,
    PETSTORE_SECRET: SECRET,
  });

  test('answers 503 while the database is unavailable, and recovers when it is back', async () => {
    const settings = settingsOf(await server.createDatabase());
    await using service = await TestService.start({ settings });
    const { secret } = await service.account();
    expect((await service.post(secret, { name: 'Rex', categoryId: 1 })).status).toBe(201);
    await server.stop();
    const unavailable = await service.post(secret, { name: 'Ada', categoryId: 1 });
    expect(unavailable.status).toBe(503);
    expect(Number(unavailable.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    const readiness = await fetch(`${service.opsUrl}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toMatch(
      /^the store is unavailable: .*(?:connect|shutting down)/i,
    );
    await server.start();
    await eventually(async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200);
    expect((await service.post(secret, { name: 'Ada', categoryId: 1 })).status).toBe(201);
  });

  test('opens as many connections as its settings allow', async () => {
    const url = await server.createDatabase();
    const settings = { ...settingsOf(url), PETSTORE_DATABASE_CONNECTIONS: '3' };
    await using service = await TestService.start({ settings });
    const { secret } = await service.account();
    const connections = async () => {
      const [row] = await server.run<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'petstore'`,
        url,
      );
      return row?.count ?? 0;
    };
    const blocker = new SQL({ url, max: 1 });
    try {
      const reading = await blocker.begin(async (transaction) => {
        // While pets can neither be read nor added, each kind of requests holds a connection.
        await transaction.unsafe('LOCK TABLE pets');
        const ids = Array.from({ length: 20 }, (_, index) => index + 1);
        const replies = ids.map((id) => service.request(`/pets/${id}`, { key: secret }));
        const created = service.post(secret, { name: 'Rex', categoryId: 1 });
        await eventually(async () => (await connections()) >= 3);
        return { replies, created };
      });
      expect((await reading.created).status).toBe(201);
      await Promise.all(reading.replies);
      expect((await service.request('/pets/99', { key: secret })).status).toBe(404);
      expect(await connections()).toBe(3);
    } finally {
      await blocker.close();
    }
  });

  test('answers 503 to keys that it cannot look up, however many, and takes nothing from their address', async () => {
    const settings = {
      ...settingsOf(await server.createDatabase()),
      PETSTORE_ANONYMOUS_PER_MINUTE: '3',
    };
    await using service = await TestService.start({ settings });
    const { secret } = await service.account();
    await server.stop();
    for (let sent = 0; sent < 10; sent += 1) {
      const unavailable = await service.request('/pets', { key: secret });
      expect([unavailable.status, unavailable.headers.get('X-RateLimit-Remaining')]).toEqual([
        503,
        '3',
      ]);
    }
    await server.start();
    await eventually(async () => (await service.request('/pets', { key: secret })).ok);
  });

  test('is not ready while the network to the database drops everything', async () => {
    const url = new URL(await server.createDatabase());
    await using link = await CuttableLink.to(Number(url.port));
    url.port = String(link.port);
    await using service = await TestService.start({ settings: settingsOf(url.href) });
    const ready = async () => {
      const reply = await fetch(`${service.opsUrl}/readyz`);
      return { status: reply.status, text: await reply.text() };
    };
    expect(await ready()).toMatchObject({ status: 200 });
    link.cut();
    expect(await ready()).toEqual({
      status: 503,
      text: expect.stringContaining('no answer within 1000 ms'),
    });
    link.mend();
    await eventually(async () => (await ready()).status === 200);
  });

  test('is worked on by the commands', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const settings = { ...settingsOf(url), PETSTORE_DATA_DIR: folder.path };
    const run = (...args: string[]) => runCommand(args, settings);
    expect(await run('accounts', 'create', 'Ada@Example.com')).toMatchObject({ code: 0 });
    const key = await run('keys', 'create', 'ada@example.com');
    expect(key).toMatchObject({ code: 0, stderr: expect.not.stringContaining('postgres:') });
    expect(await run('seed', '--pets', '2500')).toMatchObject({ code: 0 });
    await using service = await TestService.start({ settings: settingsOf(url) });
    const pets = await service.request('/pets?limit=100', { key: key.stdout.trim() });
    expect(await pets.json()).toHaveLength(100);
    const backup = join(folder.path, 'before.backup');
    expect(await run('backup', backup)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('database.dump'),
    });
    expect(await run('restore', backup)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('pg_restore'),
    });
  });

  test('does not start, and says why, without the database or with another secret', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const base = { PETSTORE_DATA_DIR: folder.path };
    const list = (settings: Record<string, string>) =>
      runCommand(['accounts', 'list'], { ...base, ...settings });
    expect(await list(settingsOf(url))).toMatchObject({ code: 0 });
    const other = await list({ ...settingsOf(url), PETSTORE_SECRET: SECRET.toUpperCase() });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('another secret') });
    const unavailable = await list(settingsOf('postgres://ada:hidden-word@127.0.0.1:1/petstore'));
    expect(unavailable).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining('hidden-word'),
    });
    const wrong = await list({ PETSTORE_DATABASE_URL: 'mysql://ada:hidden-word@db/petstore' });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('PETSTORE_DATABASE_URL must be');
    expect(wrong.stderr).not.toContain('hidden-word');
    const bare = await list({ PETSTORE_DATABASE_URL: url });
    expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('PETSTORE_SECRET') });
  });

  test('takes texts with a character that PostgreSQL has not', async () => {
    await using service = await TestService.start({
      settings: settingsOf(await server.createDatabase()),
    });
    const { accounts, messages } = service.stores;
    const { account } = await service.account();
    expect(await accounts.search('\0', 10)).toEqual([]);
    const text = 'a\0b';
    await messages.enqueue(message(account.id, { text }));
    expect(await messages.list(account.id, 1)).toMatchObject([{ text }]);
  });

  test('lets a library write through Kysely', async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const database = new PostgresDatabase(url, [url]);
    const queries = await postgresEngine(database).queries();
    // Like better-auth, which does not use the typed schema.
    const library = queries.withTables<{ accounts: Record<string, unknown> }>();
    const values = { id: 'acct_1', email: 'ada@example.com', plan: 'free', created_at: 7 };
    const row = { ...values, name: 'a\0b', email_verified: true };
    const made = await library.insertInto('accounts').values(row).returningAll().execute();
    expect(made).toMatchObject([{ ...values, name: 'a\ufffdb', email_verified: 1 }]);
    const gone = await library.deleteFrom('accounts').where('id', '=', 'acct_1').execute();
    expect(gone[0]?.numDeletedRows).toBe(1n);
    await database.close();
  });
});
