import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SPREAD } from '../../src/storage/postgres/distribution.ts';
import { findPrimary, requirePrimary } from '../../src/storage/postgres/primary.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { requestPathStatements, scattered } from './request-path-statements.ts';

test('a statement without the column of distribution is distinguished from one with it', () => {
  expect(scattered('SELECT id FROM pets WHERE environment = $1 AND id = $2')).toEqual(['pets']);
  expect(scattered('SELECT id FROM pets WHERE bucket = $1 AND id = $2')).toEqual([]);
  expect(scattered('INSERT INTO pets (environment, id) SELECT $1, bucket FROM x')).toEqual([
    'pets',
  ]);
  expect(scattered('INSERT INTO pets (environment, bucket, id) SELECT $1, 1, $2')).toEqual([]);
  expect(scattered('update "messages" set "text" = $1 where "id" = $2')).toEqual(['messages']);
  expect(scattered('SELECT id FROM accounts')).toEqual([]);
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test('every statement of the request path names what its tables are distributed by', async () => {
    const statements = await requestPathStatements(server, await server.createDatabase());
    const touched = SPREAD.filter(({ name }) =>
      statements.some((statement) => new RegExp(`\\b${name}\\b`).test(statement)),
    );
    expect(touched.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['messages', 'pets', 'quotas']),
    );
    expect(statements.filter((statement) => scattered(statement).length > 0)).toEqual([]);
  });

  test('the first server that is no worker takes changes, and a server alone does whatever it is', async () => {
    const [worker, coordinator] = [await server.createDatabase(), await server.createDatabase()];
    // The content of this table on a worker, and on a coordinator.
    await server.run('CREATE TABLE pg_dist_local_group AS SELECT 3 AS groupid', worker);
    await server.run('CREATE TABLE pg_dist_local_group AS SELECT 0 AS groupid', coordinator);
    expect(await requirePrimary([worker, coordinator])).toBe(coordinator);
    expect(await findPrimary([worker, coordinator])).toBe(coordinator);
    expect(await findPrimary([worker])).toBe(worker);
    const alone = requirePrimary([worker, worker]);
    await expect(alone).rejects.toThrow('it is a worker of Citus');
  });

  test('petstore distribute says what it needs, and leaves a database without Citus alone', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    const run = (settings: Record<string, string>, ...args: string[]) =>
      runCommand(['distribute', ...args], { ...settings, PETSTORE_DATA_DIR: folder.path });
    const database = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    expect(await run(database)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const embedded = await run({}, '--yes');
    expect(embedded).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('PETSTORE_DATABASE_URL'),
    });
    for (const option of ['--yes', '--check']) {
      const refused = await run(database, option);
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('CREATE EXTENSION'),
      });
    }
    await using service = await TestService.start({ settings: database });
    const { secret } = await service.account();
    expect((await service.post(secret, { name: 'Rex', categoryId: 1 })).status).toBe(201);
  });
});
