import { afterAll, describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { BUCKET_SIZE } from '../../src/storage/pets/buckets.ts';
import { eventually, ManualClock, type NewAccount, TestService } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { send } from '../support/quickstart-scene.ts';
import { readyz } from '../support/readyz.ts';
import { CitusCluster } from './cluster.ts';

const REX = { name: 'Rex', categoryId: 7 };

/** How many requests of each kind are sent at once, and how many of those that need no lost worker must succeed. */
const CLIENTS = 4;
const ENOUGH = 50;

/** How often an account lists before, while and after a worker is lost. */
const LISTED = 7;

const cluster = await CitusCluster.start();
afterAll(() => cluster[Symbol.asyncDispose]());

describe('a worker', () => {
  async function start(clock?: ManualClock) {
    const url = await cluster.createDatabase();
    const service = await TestService.start({
      ...(clock ? { clock } : {}),
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET },
      parts: ['production', 'quickstart'],
    });
    const run = <Row>(sql: string) => cluster.coordinator.run<Row>(sql, url);
    /** The worker that has the rows of a table with this value of its distribution column. */
    const holderOf = async (table: string, value: string) => {
      const [row] = await run<{ port: number }>(
        `SELECT nodeport::int AS port FROM pg_dist_shard_placement
         WHERE shardid = get_shard_id_for_distribution_column('${table}', '${value}')`,
      );
      return cluster.workers[0].port === row?.port ? cluster.workers[0] : cluster.workers[1];
    };
    return { service, run, holderOf };
  }

  /** The worker with the newest animals, with an account whose usage and quota are on it, and one without any. */
  async function startWithTwo(clock?: ManualClock) {
    const started = await start(clock);
    const worker = await started.holderOf('pets', '0');
    const of = async (isOwn: boolean): Promise<NewAccount> => {
      const made = await started.service.account();
      const usage = await started.holderOf('key_usage', made.account.id);
      const quota = await started.holderOf('quotas', `account:${made.account.id}`);
      return [usage, quota].every((holder) => (holder === worker) === isOwn) ? made : of(isOwn);
    };
    return { ...started, worker, own: await of(true), other: await of(false) };
  }

  test.each(['killed', 'stopped'] as const)(
    'that is %s costs 503 for its animals, and neither stops nor loses anything else',
    async (how) => {
      const { service, run, holderOf } = await start();
      await using _ = service;
      const { secret } = await service.account();
      const newest = await holderOf('pets', '0');
      const [worker = newest] = cluster.workers.filter((each) => each !== newest);
      const [own, others]: [number[], number[]] = [[], []];
      for (let bucket = 1; bucket <= 16; bucket += 1) {
        const id = bucket * BUCKET_SIZE + 1;
        await run(
          `INSERT INTO pets (environment, bucket, id, name, category_id, status)
         VALUES ('production', ${bucket}, ${id}, 'Ada', 7, 'sold')`,
        );
        ((await holderOf('pets', `${bucket}`)) === worker ? own : others).push(id);
      }
      const fetchOne = async (id = 0) => {
        const reply = await service.request(`/pets/${id}`, { key: secret });
        await reply.arrayBuffer();
        const hasRetryAfter = Number(reply.headers.get('Retry-After')) > 0;
        expect(hasRetryAfter).toBe(reply.status === 503);
        return reply.status;
      };
      const acknowledged = new Set<number>();
      const create = async (turn: number) => {
        const reply = await service.post(secret, REX, { 'Idempotency-Key': `${turn}` });
        const { id } = await reply.json();
        if (reply.status === 201) acknowledged.add(id);
        return reply.status;
      };
      const [ofOwn, ofOthers, created]: [number[], number[], number[]] = [[], [], []];
      const isOver = () =>
        count(ofOwn, 503) > 2 * CLIENTS &&
        count(ofOthers, 200) > ENOUGH &&
        count(created, 201) > ENOUGH;
      {
        await using _lost = await cluster.take(worker, how);
        await Promise.all([
          sendUntil(isOver, ofOwn, (turn) => fetchOne(own[turn % own.length])),
          sendUntil(isOver, ofOthers, (turn) => fetchOne(others[turn % others.length])),
          sendUntil(isOver, created, create),
        ]);
      }
      expect(count(ofOwn, 503)).toBe(ofOwn.length);
      expect(count(ofOthers, 200)).toBeGreaterThan(ofOthers.length / 2);
      expect(count(created, 201)).toBeGreaterThan(created.length / 2);
      await eventually(async () => {
        const statuses = await Promise.all([...own, ...others].map(fetchOne));
        return count(statuses, 200) === 16;
      });
      // Those that were refused succeed now, and none exists twice.
      for (const turn of created.keys()) expect(await create(turn + 1)).toBe(201);
      const stored = await run<{ id: number }>("SELECT id::int FROM pets WHERE name = 'Rex'");
      expect(stored.map(({ id }) => id).sort()).toEqual([...acknowledged].sort());
      expect(stored).toHaveLength(created.length);
    },
  );

  test('that is killed loses no usage, requests and quotas of anybody, and is named to operators while they wait', async () => {
    const { service, worker, own, other, run } = await startWithTwo();
    await using _ = service;
    const listAll = async () => {
      for (let count = 0; count < LISTED; count += 1) {
        for (const { secret } of [own, other]) {
          await (await service.request('/pets', { key: secret })).arrayBuffer();
        }
      }
    };
    /** Whether everything is stored of an account that listed this often. */
    const isSaved = async ({ account: { id } }: NewAccount) => {
      const [saved] = await run(
        `SELECT (SELECT sum(succeeded + server_errors)::int FROM key_usage WHERE account_id = '${id}') AS used,
           (SELECT count(*)::int FROM request_log WHERE account_id = '${id}') AS logged,
           (SELECT day_used::int FROM quotas WHERE caller = 'account:${id}') AS counted`,
      );
      const all = 3 * LISTED;
      return Bun.deepEquals(saved, { used: all, logged: all, counted: all });
    };
    const readiness = () => readyz({ opsPort: Number(new URL(service.opsUrl).port) });
    const isFailing = async () =>
      (await readiness()).text.includes('all saves of usage have failed');
    await listAll();
    {
      await using _lost = await cluster.take(worker, 'killed');
      await listAll();
      await eventually(isFailing, 60_000, 300);
      const text = expect.stringContaining(`127.0.0.1:${worker.port}`);
      expect(await readiness()).toEqual({ status: 200, text });
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      expect(metrics).toContain('petstore_write_kind_failing{kind="saves of usage"} 1');
      await listAll();
    }
    for (const each of [own, other]) await eventually(() => isSaved(each), 60_000, 300);
    await eventually(async () => !(await isFailing()), 60_000, 300);
    await service.stop();
    expect([await isSaved(own), await isSaved(other)]).toEqual([true, true]);
  });

  test('that is killed with the newest animals refuses creations, sign-ups and its own messages, and delays those of others', async () => {
    // With a manual clock, background jobs do not run automatically.
    const { service, worker, own, other, run } = await startWithTwo(new ManualClock());
    await using _ = service;
    const acknowledged = new Set<string>();
    const queue = async ({ secret }: NewAccount, headers = {}) => {
      const reply = await send(service, secret, undefined, headers);
      if (reply.ok) acknowledged.add((await reply.json()).id);
      return reply.status;
    };
    const create = async (key: string) =>
      (await service.post(own.secret, REX, { 'Idempotency-Key': key })).status;
    const delivered = async (...accounts: NewAccount[]) => {
      await service.runJobs('deliver messages').catch(() => {});
      const ids = accounts.map(({ account: { id } }) => `'${id}'`);
      const rows = await run<{ id: string }>(
        `SELECT id FROM messages WHERE account_id IN (${ids}) AND delivered_at IS NOT NULL`,
      );
      return new Set(rows.map(({ id }) => id));
    };
    const once = { 'Idempotency-Key': 'once' };
    expect(await Promise.all([queue(own), queue(other), queue(other, once)])).toEqual([
      202, 202, 202,
    ]);
    {
      await using _lost = await cluster.take(worker, 'killed');
      // The first statement after the loss may use a connection that breaks.
      await eventually(async () => (await queue(own)) === 503 && (await queue(other)) === 202);
      const sent = [queue(other), queue(own), queue(other, once), queue(own, once)];
      expect(await Promise.all(sent)).toEqual([202, 503, 202, 503]);
      expect(await delivered(other)).toEqual(new Set());
      expect(await Promise.all([create('one'), create('two')])).toEqual([503, 503]);
      await expect(service.account()).rejects.toBeInstanceOf(StorageUnavailable);
      const disabled = run(`SELECT citus_disable_node('127.0.0.1', ${worker.port}, true)`);
      await expect(disabled).rejects.toThrow('the only shard placement');
    }
    await eventually(async () => Bun.deepEquals(await delivered(own, other), acknowledged));
    await eventually(async () => (await create('one')) === 201);
    await service.account();
  });
});

function count(statuses: readonly number[], status: number): number {
  return statuses.filter((each) => each === status).length;
}

/** Sends requests by several clients, and adds the statuses of the replies. */
async function sendUntil(
  isOver: () => boolean,
  statuses: number[],
  send: (turn: number) => Promise<number>,
): Promise<void> {
  let turns = 0;
  const sendInTurn = async () => {
    while (!isOver()) {
      turns += 1;
      statuses.push(await send(turns));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, sendInTurn));
}
