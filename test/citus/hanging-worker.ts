import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, StorageUnavailable } from '../../src/core/errors.ts';
import { BUCKET_SIZE } from '../../src/storage/pets/buckets.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { NodeWatch } from '../../src/storage/postgres/node-watch.ts';
import { message } from '../storage/ports/backend.ts';
import {
  eventually,
  ManualClock,
  type NewAccount,
  TestService,
  temporaryFolder,
} from '../support/harness.ts';
import { type PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand } from '../support/process.ts';
import { CitusCluster } from './cluster.ts';
import { sendMessage, startWithTwo } from './two-accounts.ts';

/** The number of requests that wait for the worker at the same time: more than a process has connections. */
const WAITING = 20;

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

/** The message of the cause with which something fails; `undefined` if it succeeds. */
async function causeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof StorageUnavailable) return messageOf(error.cause);
    throw error;
  }
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
    const [first] = lost;
    if (first === undefined || kept.length === 0) throw new Error('A worker has no animals.');
    return { worker, node: `127.0.0.1:${worker.port}`, lost, first, kept };
  }

  test.each([
    ['named', (url: string) => cluster.urlOfAll(url)],
    ['not named', (url: string) => url],
  ])(
    'is named to operators, and costs 503 for its animals only, where workers are %s',
    async (_, named) => {
      const url = await cluster.createDatabase();
      await using service = await TestService.start({
        settings: { PETSTORE_DATABASE_URL: named(url), PETSTORE_SECRET: SECRET },
      });
      const { secret } = await service.account();
      const { worker, node, lost, first, kept } = await addPets(url);
      const get = async (path: string) => {
        const reply = await service.request(path, { key: secret });
        await reply.text();
        return reply;
      };
      const fetchAll = async (ids: readonly number[]) => {
        const replies = await Promise.all(ids.map((id) => get(`/pets/${id}`)));
        return replies.map(({ status }) => status);
      };
      const readyz = async () => {
        const reply = await fetch(`${service.opsUrl}/readyz`);
        return { status: reply.status, text: await reply.text() };
      };
      const all = [...lost, ...kept];
      expect(await fetchAll(all)).toEqual(all.map(() => 200));
      const statuses = new Set<number>();
      let hangs = true;
      // Pages are read through the coordinator, whose connections wait for the worker.
      const readPages = async (after: number) => {
        while (hangs) statuses.add((await get(`/pets?limit=1&after=${after}`)).status);
      };
      const readers: Promise<void>[] = [];
      {
        using _suspended = suspend(worker);
        const unseen = fetchAll(lost);
        for (let index = 0; index < WAITING; index += 1) {
          readers.push(readPages((lost[index % lost.length] ?? first) - 1));
        }
        try {
          await eventually(async () => (await readyz()).text.includes(node));
          for (let look = 0; look < 10; look += 1) {
            expect(await readyz()).toEqual({ status: 200, text: expect.stringContaining(node) });
            const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
            expect(metrics).toContain(`petstore_database_node_lost{node="${node}"} 1`);
            expect(metrics).toContain('petstore_not_ready{check="store"} 0');
            expect(await fetchAll(lost)).toEqual(lost.map(() => 503));
          }
          expect(await unseen).toEqual(lost.map(() => 503));
          const refused = await get(`/pets/${first}`);
          expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
          await eventually(async () => (await fetchAll(kept)).every((status) => status === 200));
        } finally {
          hangs = false;
          await Promise.all(readers);
        }
      }
      expect([...statuses]).toEqual([503]);
      await eventually(async () => !(await readyz()).text.includes(node));
      await eventually(async () => (await fetchAll(all)).every((status) => status === 200));
    },
  );

  test('does not keep the connections of a process, whose statements never end', async () => {
    const url = await cluster.createMigrated();
    const { worker, first: id } = await addPets(url);
    // With one connection, which has one to the worker.
    const database = new PostgresDatabase(url, [url], undefined, 1);
    database.isDistributed = true;
    const nodes = new NodeWatch(database, url, [url]);
    const readOne = () =>
      database.get(
        `SELECT id FROM pets WHERE environment = 'production' AND bucket = $1 AND id = $2`,
        Math.floor(id / BUCKET_SIZE),
        id,
      );
    try {
      expect(await readOne()).toBeDefined();
      {
        using _suspended = suspend(worker);
        const stuck = causeOf(readOne());
        await nodes.check();
        expect(await database.get('SELECT 1 AS one')).toEqual({ one: 1 });
        expect(await stuck).toBeDefined();
      }
      await eventually(async () => (await causeOf(readOne())) === undefined);
    } finally {
      await Promise.all([nodes, database].map((each) => each.close()));
    }
  });

  test('delays nothing of accounts on other workers, even before it is known to be lost', async () => {
    // With a manual clock, background jobs do not run automatically. Each connection has one to the worker.
    const clock = new ManualClock();
    const settings = { PETSTORE_DATABASE_CONNECTIONS: '2' };
    const { service, worker, own, other, run } = await startWithTwo(cluster, { clock, settings });
    await using _ = service;
    const accounts = [own, other];
    const enqueueBoth = () =>
      Promise.all(
        accounts.map(({ account }) =>
          causeOf(service.stores.messages.enqueue(message(account.id))),
        ),
      );
    const listAll = async () => {
      for (const { secret } of accounts)
        await (await service.request('/pets', { key: secret })).text();
    };
    const used = async ({ account: { id } }: NewAccount) => {
      const [row] = await run<{ used: number }>(
        `SELECT coalesce(sum(succeeded + server_errors), 0)::int AS used FROM key_usage WHERE account_id = '${id}'`,
      );
      return row?.used;
    };
    await listAll();
    await service.runJobs('save production usage');
    expect(await enqueueBoth()).toEqual([undefined, undefined]);
    const connect = () => service.stores.messages.list(own.account.id, 1);
    await Promise.all(Array.from({ length: WAITING }, connect));
    {
      using _suspended = suspend(worker);
      expect(await enqueueBoth()).toEqual([expect.any(String), undefined]);
      expect(service.stores.nodes?.lost).toEqual([`127.0.0.1:${worker.port}`]);
      await listAll();
      await service.runJobs('save production usage');
      expect(await used(other)).toBe(2);
    }
    await service.runJobs('check database nodes');
    // The first statements afterwards may use a connection that broke.
    await eventually(async () => {
      await service.runJobs('save production usage');
      return (await used(own)) === 2;
    });
  });

  test('is not asked for pages, messages and quotas while it is known to be lost', async () => {
    const clock = new ManualClock();
    const { url, service, worker, own, other } = await startWithTwo(cluster, { clock });
    await using _ = service;
    const { lost, first, kept } = await addPets(url);
    await cluster.coordinator.record(url);
    const asked = (pattern: RegExp) =>
      cluster.coordinator.recordedStatements().filter((statement) => pattern.test(statement))
        .length;
    const page = async (after: number) =>
      (await service.request(`/pets?limit=1&after=${after}`, { key: other.secret })).status;
    {
      using _suspended = suspend(worker);
      await service.runJobs('check database nodes');
      expect(await Promise.all(lost.map((id) => page(id - 1)))).toEqual(lost.map(() => 503));
      expect(await sendMessage(service, own)).toBe(503);
      expect([asked(/FROM pets/), asked(/INSERT INTO messages/), asked(/FROM quotas/)]).toEqual([
        0, 0, 1,
      ]);
      expect(await page((kept[0] ?? first) - 1)).toBe(200);
      expect(await sendMessage(service, other)).toBe(202);
      expect([asked(/FROM pets/), asked(/INSERT INTO messages/), asked(/FROM quotas/)]).toEqual([
        1, 1, 1,
      ]);
    }
    await service.runJobs('check database nodes');
    expect(await page(first - 1)).toBe(200);
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
