import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUCKET_SIZE } from '../../src/storage/pets/buckets.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { type PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { CitusCluster } from './cluster.ts';

const REX = { name: 'Rex', categoryId: 7 };

/** The number of clients that ask for animals of the worker, and of the others. */
const CLIENTS = 4;

/** How many requests for others must succeed meanwhile. */
const ENOUGH = 50;

/** Stops all processes of a server, as if the network were cut, until it is disposed of. */
function suspend(server: PostgresServer): Disposable {
  const [line = ''] = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n');
  const postmaster = Number(line);
  // Stopped first, so that it starts no other processes.
  process.kill(postmaster, 'SIGSTOP');
  const listed = Bun.spawnSync(['pgrep', '-P', line]).stdout.toString().trim().split('\n');
  const children = listed.map(Number);
  for (const child of children) process.kill(child, 'SIGSTOP');
  return {
    [Symbol.dispose]() {
      for (const stopped of [...children, postmaster]) process.kill(stopped, 'SIGCONT');
    },
  };
}

function count(statuses: readonly number[], status: number): number {
  return statuses.filter((each) => each === status).length;
}

describe('a worker that hangs', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await CitusCluster.start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Adds animals; returns a worker that is to hang, with the ids that it has, and those of the other worker. */
  async function addPets(url: string) {
    const [worker] = cluster.workers;
    if (!worker) throw new Error('There is no worker.');
    const lost: number[] = [];
    const kept: number[] = [];
    for (let bucket = 0; bucket < 16; bucket += 1) {
      const id = bucket * BUCKET_SIZE + 1;
      await cluster.coordinator.run(
        `INSERT INTO pets (environment, bucket, id, name, category_id, status)
         VALUES ('production', ${bucket}, ${id}, 'Rex', 7, 'sold')`,
        url,
      );
      const [holder] = await cluster.coordinator.run<{ port: number }>(
        `SELECT nodeport::int AS port FROM pg_dist_shard_placement
         WHERE shardid = get_shard_id_for_distribution_column('pets', ${bucket}::bigint)`,
        url,
      );
      (holder?.port === worker.port ? lost : kept).push(id);
    }
    if (lost.length === 0 || kept.length === 0) throw new Error('A worker has no animals.');
    return { worker, lost, kept };
  }

  test('costs 503 for its animals, and slows others without stopping them', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET },
    });
    const { secret } = await service.account();
    const { worker, lost, kept } = await addPets(url);
    const get = async (id: number) => {
      const reply = await service.request(`/pets/${id}`, { key: secret });
      await reply.text();
      return reply.status;
    };
    const all = [...lost, ...kept];
    expect(await Promise.all(all.map(get))).toEqual(all.map(() => 200));
    let hangs = true;
    /** Clients that fetch animals in turn; returns their statuses. */
    const fetchInTurn = (ids: readonly number[]) => {
      const statuses: number[] = [];
      const lanes = Array.from({ length: CLIENTS }, async (_, lane) => {
        for (let turn = lane; hangs; turn += 1) {
          statuses.push(await get(ids[turn % ids.length] ?? 0));
        }
      });
      return { statuses, end: Promise.all(lanes) };
    };
    const creations: number[] = [];
    {
      using _suspended = suspend(worker);
      const ofWorker = fetchInTurn(lost);
      const ofOthers = fetchInTurn(kept);
      try {
        await eventually(() => ofWorker.statuses.length > 2 * CLIENTS, 60_000, 300);
        await eventually(() => count(ofOthers.statuses, 200) >= ENOUGH, 60_000, 300);
        creations.push((await service.post(secret, REX)).status);
      } finally {
        hangs = false;
        await Promise.all([ofWorker.end, ofOthers.end]);
      }
      expect(count(ofWorker.statuses, 503)).toBe(ofWorker.statuses.length);
      expect(count(ofOthers.statuses, 200)).toBeGreaterThan(ofOthers.statuses.length / 2);
    }
    // The newest animals may be on either worker.
    expect([201, 503]).toContain(creations[0] ?? 0);
    await eventually(async () => (await Promise.all(all.map(get))).every((each) => each === 200));
    await eventually(async () => (await service.post(secret, REX)).status === 201);
  });

  test('is named by petstore distribute --check', async () => {
    const url = await cluster.createMigrated();
    const [worker] = cluster.workers;
    if (!worker) throw new Error('There is no worker.');
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    using _suspended = suspend(worker);
    const checked = await runCommand(['distribute', '--check'], {
      ...settings,
      PETSTORE_DATA_DIR: folder.path,
    });
    expect(checked).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('pets'),
      stderr: expect.stringContaining(`cannot reach 127.0.0.1:${worker.port}`),
    });
  });
});
