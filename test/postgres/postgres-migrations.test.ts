import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SetupError } from '../../src/core/errors.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

const NEXT = { worksWith: 1, statements: ['CREATE TABLE made_once (id INTEGER)'] };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(SetupError);
  return error instanceof Error ? error.message : '';
}

describe.skipIf(!hasPostgres)('migrations of a PostgreSQL database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const state = (url: string) =>
    server.run<{ done: string; works_with: string }>(
      'SELECT done::text, works_with::text FROM petstore_schema',
      url,
    );

  test('are made once when many processes start at the same moment', async () => {
    const url = await server.createDatabase();
    const steps = [...MIGRATIONS, NEXT];
    await Promise.all(Array.from({ length: 8 }, () => migrate(url, steps)));
    await migrate(url, steps);
    expect(await state(url)).toEqual([{ done: String(steps.length), works_with: '1' }]);
    expect(await server.run<{ value: bigint }>('SELECT value FROM revision', url)).toHaveLength(1);
  });

  test('leave everything as it was when a step fails', async () => {
    const url = await server.createDatabase();
    await migrate(url);
    const broken = { worksWith: 1, statements: [...NEXT.statements, 'SELECT nonsense'] };
    expect(await refusal(migrate(url, [...MIGRATIONS, broken]))).toContain('nonsense');
    await migrate(url, [...MIGRATIONS, NEXT]);
    expect(await state(url)).toEqual([{ done: String(MIGRATIONS.length + 1), works_with: '1' }]);
  });

  test('let the previous release start while the next one runs, unless a step forbids it', async () => {
    const url = await server.createDatabase();
    await migrate(url, [...MIGRATIONS, NEXT]);
    await migrate(url);
    const breaking = { worksWith: MIGRATIONS.length + 2, statements: ['DROP TABLE made_once'] };
    await migrate(url, [...MIGRATIONS, NEXT, breaking]);
    expect(await refusal(migrate(url))).toContain('newer release');
  });

  test('refuse a database that holds tables of something else, and leave it alone', async () => {
    const url = await server.createDatabase();
    await server.run('CREATE TABLE pets (name TEXT)', url);
    expect(await refusal(migrate(url))).toContain('"pets" that is not ours');
    const tables = await server.run(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
      url,
    );
    expect(tables).toEqual([{ table_name: 'pets' }]);
  });

  test('say why a database cannot be used, without its password', async () => {
    const unreachable = 'postgres://petstore:hidden-word@127.0.0.1:1/petstore';
    const missing = server.url('nowhere').replace('petstore@', 'petstore:hidden-word@');
    for (const url of [unreachable, missing]) {
      const message = await refusal(migrate(url));
      expect(message).toContain('PETSTORE_DATABASE_URL');
      expect(message).not.toContain('hidden-word');
    }
  });
});
