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

  test('costs 503 for the animals that it has, until it is back', async () => {
    const url = await cluster.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(url) });
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
    expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([200, 503]);
    for (const { status, headers } of replies) {
      if (status === 503) expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
    await worker?.start();
    await eventually(async () => (await fetchAll()).every(({ status }) => status === 200));
  });

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

    test('loses no usage and requests of anybody, and is named to operators while they wait', async () => {
      const { service, worker, own, other, list, saved } = await loseOneAfterLists();
      await using _ = service;
      const readyz = async () => {
        const reply = await fetch(`${service.opsUrl}/readyz`);
        return { status: reply.status, text: await reply.text() };
      };
      const failing = 'all saves of usage have failed';
      await eventually(async () => (await readyz()).text.includes(failing), 60_000, 300);
      expect(await readyz()).toEqual({
        status: 200,
        text: expect.stringContaining(`127.0.0.1:${worker.port}`),
      });
      const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
      expect(metrics).toContain('petstore_write_kind_failing{kind="saves of usage"} 1');
      await Promise.all([own, other].map(list));
      await worker.start();
      const all = { used: 3 * LISTED, logged: 3 * LISTED };
      for (const each of [own, other]) {
        await eventually(async () => Bun.deepEquals(await saved(each), all), 60_000, 300);
      }
      await eventually(async () => !(await readyz()).text.includes(failing), 60_000, 300);
      await service.stop();
      expect([await saved(own), await saved(other)]).toEqual([all, all]);
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

    test('refuses its own messages and no others, and delays all of them until it is back', async () => {
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
      const sendAtOnce = (...senders: NewAccount[]) =>
        Promise.all(senders.map((each) => sendMessage(service, each)));
      expect(await sendAtOnce(own, other)).toEqual([202, 202]);
      await worker.stop('SIGQUIT');
      // The first statement after the loss may use a connection that breaks.
      await eventually(async () => Bun.deepEquals(await sendAtOnce(own), [503]));
      await eventually(async () => Bun.deepEquals(await sendAtOnce(other), [202]));
      expect(await sendAtOnce(other, own, other, other)).toEqual([202, 503, 202, 202]);
      await service.runJobs('deliver messages').catch(() => {});
      expect(await delivered(other)).toBe(0);
      await worker.start();
      await eventually(async () => {
        await service.runJobs('deliver messages').catch(() => {});
        return (await delivered(own)) === 1;
      });
      expect(await delivered(other)).toBeGreaterThanOrEqual(5);
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
      expect(await sendBoth()).toEqual([202, 202]);
      expect(await sendMessage(service, own, repeated)).toBe(503);
      await worker?.start();
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
