import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SPREAD } from '../../src/storage/postgres/distribution.ts';
import { findPrimary, findWorkers, requirePrimary } from '../../src/storage/postgres/primary.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { advance, sandbox } from '../support/sandbox-scene.ts';

/**
 * The distributed tables that a statement uses without setting or comparing their distribution column: a
 * sharded database would have to query every shard.
 */
function scattered(statement: string): string[] {
  return SPREAD.flatMap(({ name, by }) => {
    const touches = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+"?${name}\\b`, 'i');
    if (!touches.test(statement)) return [];
    const gives = new RegExp(`INTO\\s+"?${name}\\b[^(]*\\([^)]*\\b${by}\\b`, 'i');
    const compares = new RegExp(`\\b${by}"?\\s*(?:=|>=|in\\b)`, 'i');
    return gives.test(statement) || compares.test(statement) ? [] : [name];
  });
}

test('a statement without the column of distribution is told apart from one with it', () => {
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
    const url = await server.createDatabase();
    // With a manual clock, background jobs do not run automatically.
    await using service = await TestService.start({
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET },
      clock: new ManualClock(),
      parts: ['production', 'staging', 'quickstart'],
    });
    const { secret } = await service.account();
    const staging = await service.account(undefined, 'staging');
    await server.record(url);
    // Connections keep the settings of their start, so they are closed.
    await server.run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
      url,
    );
    await sendOneOfEach(service, secret, staging.secret);
    await service.runJobs('save production usage', 'save production quotas', 'save last uses');
    const statements = [...new Set(server.recordedStatements())];
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
    expect(await findWorkers([worker, coordinator])).toEqual(new Map([[3, worker]]));
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

/** Sends at least one request for each code path of the stores. */
async function sendOneOfEach(service: TestService, key: string, staging: string): Promise<void> {
  const rex = { name: 'Rex', categoryId: 1 };
  const expectStatus = async (status: number, reply: Response) => {
    expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status });
  };
  // Waits until the service has connections again.
  while (!(await service.request('/pets', { key })).ok);
  await expectStatus(201, await service.post(key, rex));
  for (const sent of [201, 201]) {
    await expectStatus(sent, await service.post(key, rex, { 'Idempotency-Key': 'once' }));
  }
  const another = service.post(key, { ...rex, name: 'Ada' }, { 'Idempotency-Key': 'once' });
  await expectStatus(422, await another);
  for (const path of [
    '/pets',
    '/pets?limit=1',
    '/pets?status=sold',
    '/pets?limit=1&status=available',
  ]) {
    await expectStatus(200, await service.request(path, { key }));
  }
  await expectStatus(200, await service.request('/pets/1', { key }));
  await expectStatus(404, await service.request('/pets/99999999', { key }));
  const send = (headers: Record<string, string>) =>
    fetch(`${service.url('quickstart')}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ message: 'Hello!' }),
    });
  await expectStatus(202, await send({}));
  for (const name of ['once', 'once'])
    await expectStatus(202, await send({ 'Idempotency-Key': name }));
  await advance(service, staging, 60);
  const simulation = { simulate: 'internal_error', times: 1 };
  await sandbox(service, staging, 'PUT', '/simulation', simulation);
  await expectStatus(500, await service.request('/pets', { key: staging, environment: 'staging' }));
}
