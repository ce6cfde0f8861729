import { expect } from 'bun:test';
import { SPREAD } from '../../src/storage/postgres/distribution.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { type PostgresServer, SECRET } from '../support/postgres-server.ts';
import { advance, sandbox } from '../support/sandbox-scene.ts';

const REX = { name: 'Rex', categoryId: 1 };

/**
 * The distributed tables that a statement uses without setting or comparing their distribution column: a
 * sharded database would have to query every shard.
 */
export function scattered(statement: string): string[] {
  return SPREAD.flatMap(({ name, by }) => {
    const touches = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+"?${name}\\b`, 'i');
    if (!touches.test(statement)) return [];
    const gives = new RegExp(`INTO\\s+"?${name}\\b[^(]*\\([^)]*\\b${by}\\b`, 'i');
    const compares = new RegExp(`\\b${by}"?\\s*(?:=|>=|in\\b)`, 'i');
    return gives.test(statement) || compares.test(statement) ? [] : [name];
  });
}

/** The different statements that a service sends for requests and to save what they used. @param url a new database. */
export async function requestPathStatements(
  server: PostgresServer,
  url: string,
): Promise<readonly string[]> {
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
  // Earlier releases stored the id of the pet alone.
  await server.run('UPDATE idempotent_requests SET reply_status = NULL, reply_body = NULL', url);
  const repeated = await service.post(secret, REX, { 'Idempotency-Key': 'once' });
  expect(repeated.status).toBe(201);
  await service.runJobs('save production usage', 'save production quotas', 'save last uses');
  return [...new Set(server.recordedStatements())];
}

/** Sends at least one request for each code path of the stores. */
async function sendOneOfEach(service: TestService, key: string, staging: string): Promise<void> {
  const expectStatus = async (status: number, reply: Response) => {
    expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status });
  };
  // Waits until the service has connections again.
  while (!(await service.request('/pets', { key })).ok);
  await expectStatus(201, await service.post(key, REX));
  for (const sent of [201, 201]) {
    await expectStatus(sent, await service.post(key, REX, { 'Idempotency-Key': 'once' }));
  }
  const another = service.post(key, { ...REX, name: 'Ada' }, { 'Idempotency-Key': 'once' });
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
