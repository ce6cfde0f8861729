import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { BUCKET_SIZE } from '../../src/storage/pets/buckets.ts';
import { eventually, ManualClock, type NewAccount, TestService } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { CitusCluster } from './cluster.ts';
import { sendMessage, startWithTwo } from './two-accounts.ts';

const REX = { name: 'Rex', categoryId: 7 };

const settingsOf = (url: string) => ({ PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET });

describe('a worker that is lost', () => {
  let cluster: CitusCluster;
  beforeAll(async () => {
    cluster = await CitusCluster.start();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test.each([
    ['named', (url: string) => cluster.urlOfAll(url)],
    ['not named', (url: string) => url],
  ])(
    'costs 503 for the animals that it has, until it is back, where workers are %s',
    async (_, named) => {
      const url = await cluster.createDatabase();
      await using service = await TestService.start({ settings: settingsOf(named(url)) });
      const { secret } = await service.account();
      const ids = Array.from({ length: 16 }, (_, bucket) => bucket * BUCKET_SIZE + 1);
      for (const id of ids) {
        await cluster.coordinator.run(
          `INSERT INTO pets (environment, bucket, id, name, category_id, status)
         VALUES ('production', ${id} / ${BUCKET_SIZE}, ${id}, 'Rex', 7, 'sold')`,
          url,
        );
      }
      const fetchAll = () =>
        Promise.all(ids.map((id) => service.request(`/pets/${id}`, { key: secret })));
      expect((await fetchAll()).map(({ status }) => status)).toEqual(ids.map(() => 200));
      const [worker] = cluster.workers;
      await worker?.stop('SIGQUIT');
      // The first statements after the loss may use a connection that breaks.
      await eventually(async () => (await fetchAll()).some(({ status }) => status === 200));
      const replies = await fetchAll();
      const statuses = replies.map(({ status }) => status);
      expect([...new Set(statuses)].sort()).toEqual([200, 503]);
      for (const { status, headers } of replies) {
        if (status === 503) expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      }
      const node = `127.0.0.1:${worker?.port}`;
      const readyz = async () => {
        const reply = await fetch(`${service.opsUrl}/readyz`);
        return { status: reply.status, text: await reply.text() };
      };
      await eventually(async () => (await readyz()).text.includes(node));
      expect((await readyz()).status).toBe(200);
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      expect(metrics).toContain(`petstore_database_node_lost{node="${node}"} 1`);
      await worker?.start();
      await eventually(async () => !(await readyz()).text.includes(node));
      await eventually(async () => (await fetchAll()).every(({ status }) => status === 200));
    },
  );

  describe('with accounts on it and on another', () => {
    const LISTED = 7;

    /** Like `startWithTwo`; the first worker is stopped, and both accounts list before and after. */
    async function loseOneAfterLists() {
      const { service, worker, own, other, run } = await startWithTwo(cluster);
      const accounts = [own, other];
      const list = async ({ secret }: NewAccount) => {
        for (let count = 0; count < LISTED; count += 1) {
          await (await service.request('/pets', { key: secret })).arrayBuffer();
        }
      };
      await Promise.all(accounts.map(list));
      await worker?.stop('SIGQUIT');
      await Promise.all(accounts.map(list));
      /** What is stored of an account. */
      const saved = async ({ account: { id } }: NewAccount) => {
        const [row] = await run<{ used: number; logged: number }>(
          `SELECT (SELECT coalesce(sum(succeeded + client_errors + limited + server_errors), 0)::int
               FROM key_usage WHERE account_id = '${id}') AS used,
             (SELECT count(*)::int FROM request_log WHERE account_id = '${id}') AS logged`,
        );
        return row;
      };
      return { service, worker, own, other, list, saved, run };
    }

    test('saves the usage and requests of the others while it is lost, and its own when it is back', async () => {
      const { service, worker, own, other, list, saved } = await loseOneAfterLists();
      await using _ = service;
      const all = (times: number) => ({ used: times * LISTED, logged: times * LISTED });
      await eventually(async () => Bun.deepEquals(await saved(other), all(2)));
      await list(other);
      await eventually(async () => Bun.deepEquals(await saved(other), all(3)));
      await list(own);
      await worker?.start();
      await eventually(async () => Bun.deepEquals(await saved(own), all(3)));
      await service.stop();
      expect([await saved(own), await saved(other)]).toEqual([all(3), all(3)]);
    });

    test('keeps everybody from signing up until it is back', async () => {
      const { service, worker, run } = await startWithTwo(cluster);
      await using _ = service;
      await worker?.stop('SIGQUIT');
      const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
      expect(await failureOf(service.account())).toBeInstanceOf(StorageUnavailable);
      const disabled = run(`SELECT citus_disable_node('127.0.0.1', ${worker?.port}, true)`);
      expect(String(await failureOf(disabled))).toContain('the only shard placement');
      await worker?.start();
      // The first statements afterwards may use a connection that broke.
      await eventually(async () => !((await failureOf(service.account())) instanceof Error));
    });

    test('delays its own messages until it is back, and those of no others', async () => {
      // With a manual clock, background jobs do not run automatically.
      const { service, worker, own, other, run } = await startWithTwo(cluster, {
        clock: new ManualClock(),
      });
      await using _ = service;
      const delivered = async ({ account: { id } }: NewAccount) => {
        const [row] = await run<{ count: number }>(
          `SELECT count(delivered_at)::int AS count FROM messages WHERE account_id = '${id}'`,
        );
        return row?.count;
      };
      expect(await Promise.all([own, other].map((each) => sendMessage(service, each)))).toEqual([
        202, 202,
      ]);
      await worker?.stop('SIGQUIT');
      await service.runJobs('check database nodes', 'deliver messages');
      expect(await delivered(other)).toBe(1);
      expect(await sendMessage(service, other)).toBe(202);
      expect(await sendMessage(service, own)).toBe(503);
      await service.runJobs('deliver messages');
      expect(await delivered(other)).toBe(2);
      await worker?.start();
      await service.runJobs('check database nodes');
      await eventually(async () => {
        await service.runJobs('deliver messages');
        return (await delivered(own)) === 1;
      });
      expect(await delivered(other)).toBe(2);
    });

    test('does not keep others from repeating a message', async () => {
      const { service, worker, own, other } = await startWithTwo(cluster, {
        clock: new ManualClock(),
      });
      await using _ = service;
      const repeated = { 'Idempotency-Key': 'once' };
      const sendBoth = () =>
        Promise.all([sendMessage(service, other, repeated), sendMessage(service, other)]);
      expect(await sendBoth()).toEqual([202, 202]);
      await worker?.stop('SIGQUIT');
      await service.runJobs('check database nodes');
      expect(await sendBoth()).toEqual([202, 202]);
      expect(await sendMessage(service, own, repeated)).toBe(503);
      await worker?.start();
    });

    test('does not keep a stop from saving the usage, requests and quotas of the others', async () => {
      const { service, worker, other, saved, run } = await loseOneAfterLists();
      await service.stop();
      expect(await saved(other)).toEqual({ used: 2 * LISTED, logged: 2 * LISTED });
      const quota = `SELECT day_used::int AS used FROM quotas WHERE caller = 'account:${other.account.id}'`;
      expect(await run(quota)).toEqual([{ used: 2 * LISTED }]);
      await worker?.start();
      await service[Symbol.asyncDispose]();
    });
  });

  test('costs no creation anything as long as it does not have the newest animals', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(cluster.urlOfAll(url)) });
    const owners = [await service.account(), await service.account(), await service.account()];
    const createAll = (round: string) =>
      Promise.all(
        owners.map(({ secret }) => service.post(secret, REX, { 'Idempotency-Key': round })),
      );
    expect((await createAll('first')).map(({ status }) => status)).toEqual(owners.map(() => 201));
    const bucket = `SELECT nodeport::int AS port FROM pg_dist_shard_placement
      WHERE shardid = get_shard_id_for_distribution_column('pets', 0::bigint)`;
    const [holder] = await cluster.coordinator.run<{ port: number }>(bucket, url);
    const [other, own] = cluster.workers.toSorted(({ port }) => (port === holder?.port ? 1 : -1));
    await other?.stop('SIGQUIT');
    expect((await createAll('second')).map(({ status }) => status)).toEqual(owners.map(() => 201));
    await other?.start();
    await own?.stop('SIGQUIT');
    expect((await createAll('third')).map(({ status }) => status)).toEqual(owners.map(() => 503));
    await own?.start();
    await eventually(async () => (await createAll('third')).every(({ status }) => status === 201));
  });
});
