import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { eventually, TestService } from '../support/harness.ts';
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

  /** The value of a sample without labels; nothing when there is none. */
  const sampleOf = (text: string, name: string) => {
    const [, value] = new RegExp(`^${name} (.*)$`, 'm').exec(text) ?? [];
    return value === undefined ? undefined : Number(value);
  };

  test('tell how long statements take', async () => {
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

  test('go on while the database is away, count its errors, and leave out what it keeps', async () => {
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
