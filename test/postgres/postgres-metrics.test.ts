import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { eventually, ManualClock, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('metrics of a service on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const start = async () =>
    TestService.start({
      settings: {
        PETSTORE_DATABASE_URL: await server.createDatabase(),
        PETSTORE_SECRET: SECRET,
      },
    });

  /** The value of a sample without labels, if there is one. */
  const sampleOf = (text: string, name: string) => {
    const [, value] = new RegExp(`^${name} (.*)$`, 'm').exec(text) ?? [];
    return value === undefined ? undefined : Number(value);
  };

  test('show how long statements take', async () => {
    await using service = await start();
    const collect = async () => (await fetch(`${service.opsUrl}/metrics`)).text();
    const count = 'petstore_database_duration_seconds_count';
    const before = sampleOf(await collect(), count) ?? 0;
    const { secret } = await service.account();
    expect((await service.post(secret, { name: 'Rex', categoryId: 1 })).status).toBe(201);
    const text = await collect();
    expect(sampleOf(text, count)).toBeGreaterThan(before);
    expect(sampleOf(text, 'petstore_database_errors_total')).toBe(0);
    expect(sampleOf(text, 'petstore_messages_queued')).toBe(0);
  });

  test('and /readyz show that writes fail on a full disk, until they work again', async () => {
    const url = await server.createDatabase();
    await using sql = new SQL(url);
    const clock = new ManualClock();
    await using service = await TestService.start({
      clock,
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET },
    });
    const { secret } = await service.account();
    await sql`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END $$`.simple();
    await sql`CREATE TRIGGER refuse BEFORE INSERT ON pets EXECUTE FUNCTION refuse()`.simple();
    const readyz = async () => {
      const reply = await fetch(`${service.opsUrl}/readyz`);
      return [reply.status, await reply.text()];
    };
    const collect = async () => (await fetch(`${service.opsUrl}/metrics`)).text();
    expect((await service.post(secret, { name: 'Rex', categoryId: 1 })).status).toBe(503);
    expect((await service.request('/pets', { key: secret })).status).toBe(200);
    expect(await readyz()).toEqual([
      503,
      'PostgreSQL cannot be written (last result 0.0 s ago): could not extend file\n',
    ]);
    expect(await collect()).toContain('petstore_writes_failing{store="PostgreSQL"} 1\n');

    await service.runJobs('probe failing writes');
    clock.advance(2_000);
    expect(await readyz()).toEqual([200, 'ready\n']);
    expect(await collect()).toContain('petstore_writes_failing{store="PostgreSQL"} 0\n');
    expect(await collect()).toContain('petstore_last_write_age_seconds{store="PostgreSQL"} 2\n');
  });

  test('are served while the database is unavailable, count its errors, and omit what it stores', async () => {
    await using service = await start();
    const collect = async () => {
      const reply = await fetch(`${service.opsUrl}/metrics`);
      return { status: reply.status, text: await reply.text() };
    };
    await server.stop();
    await eventually(async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503);
    const { status, text } = await collect();
    expect(status).toBe(200);
    expect(sampleOf(text, 'petstore_database_errors_total')).toBeGreaterThan(0);
    expect(sampleOf(text, 'petstore_writes_waiting')).toBe(0);
    expect(sampleOf(text, 'petstore_messages_queued')).toBeUndefined();
    await server.start();
    await eventually(
      async () => sampleOf((await collect()).text, 'petstore_messages_queued') === 0,
      10_000,
    );
  });
});
