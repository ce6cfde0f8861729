import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { checkSender, newSenders, sendUntilKilled } from '../api/messages/message-senders.ts';
import { account, message, NOON } from '../storage/ports/backend.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { eventually } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/process.ts';
import { WITH_QUICKSTART } from '../support/quickstart-scene.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';

const EVERYTHING = 1_000_000;

describe.skipIf(!hasPostgres)('messages on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.skipIf(!hasRedis)(
    'are delivered once and in order by three processes, one of which is killed',
    async () => {
      await using redis = await RedisServer.start();
      const settings = {
        PETSTORE_DATABASE_URL: await server.createDatabase(),
        ...redis.settings,
        PETSTORE_SECRET: SECRET,
      };
      const stores = await openStores(readConfig(settings), systemClock);
      await using _ = { [Symbol.asyncDispose]: () => stores.close() };
      const start = () => ServiceProcess.start(settings, ['--only', WITH_QUICKSTART.join()]);
      await using killed = await start();
      await using second = await start();
      await using third = await start();
      const services = [killed, second, third];
      const senders = (
        await Promise.all([0, 1, 2].map((index) => newSenders(stores, index)))
      ).flat();
      const ended = new AbortController();
      // Every account sends through two processes, so that the processes share every inbox.
      const sending = senders.map((sender, index) =>
        sendUntilKilled(sender, services[index % 3] ?? killed, 1, ended.signal),
      );
      const sent = () => senders.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
      await eventually(() => sent() > 300);
      await killed.end('SIGKILL');
      const before = sent();
      await eventually(() => sent() > before + 300);
      ended.abort();
      await Promise.all(sending);

      await eventually(async () => (await stores.messages.queued()) === 0);
      for (const sender of senders) {
        const inbox = await stores.messages.list(sender.accountId, EVERYTHING);
        checkSender(sender, inbox.toReversed());
      }
    },
  );

  test('of an account that another worker has wait for it, and are taken over when it dies', async () => {
    const url = await server.createMigrated();
    await using backend = connectTo(url);
    const busy = await account(backend, 'busy@example.com');
    const other = await account(backend, 'other@example.com');
    for (const { id } of [busy, other]) await backend.messages.enqueue(message(id));
    const inbox = async ({ id }: { id: string }) =>
      (await backend.messages.list(id, 9)).filter((each) => each.deliveredAt !== undefined).length;

    const worker = new SQL({ url, max: 1 });
    const connection = await worker.reserve();
    // Like a worker during its statement.
    await connection.unsafe('BEGIN');
    await connection.unsafe('SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [busy.id]);
    expect(await backend.messages.deliver(NOON, EVERYTHING)).toBe(1);
    expect([await inbox(busy), await inbox(other)]).toEqual([0, 1]);

    await server.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'",
    );
    await eventually(async () => (await backend.messages.deliver(NOON, EVERYTHING)) === 1);
    expect([await inbox(busy), await inbox(other)]).toEqual([1, 1]);
    await worker.close({ timeout: 0 });
  });
});
