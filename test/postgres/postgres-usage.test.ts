import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { UsageRecord } from '../../src/core/requests/usage.ts';
import { UsageRecorder } from '../../src/jobs/usage-recorder.ts';
import { account, type Backend } from '../storage/ports/backend.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { entry } from '../storage/ports/request-log.suite.ts';
import { CuttableLink } from '../support/cuttable-link.ts';
import { eventually } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { usageRecord } from '../support/usage-records.ts';

/** A request that was answered in the first hour. */
const LISTED = { operation: 'listPets', status: 200, took: 1, at: 0 };

describe.skipIf(!hasPostgres)('the record of requests on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function someAccount() {
    const url = await server.createMigrated();
    const backend = connectTo(url);
    const { id } = await account(backend);
    return {
      ...{ url, backend, id },
      used: (succeeded: number, hour = 7): UsageRecord[] => [
        usageRecord({ accountId: id, hour, succeeded }),
      ],
      succeeded: async () =>
        (await backend.usage.byPeriod({ accountId: id, first: 0 })).reduce(
          (sum, { succeeded }) => sum + succeeded,
          0,
        ),
      [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
    };
  }

  test('is counted once when the connection dies while it is being committed', async () => {
    await using it = await someAccount();
    await using link = await CuttableLink.to(server.port);
    const url = new URL(it.url);
    url.port = String(link.port);
    await using far = connectTo(url.href);
    const recorder = new UsageRecorder(far.usage, 'production');
    for (let request = 0; request < 3; request += 1)
      recorder.record({ id: 'key_1', accountId: it.id }, LISTED);
    // The reply to a commit is delayed, because it waits for a standby that does not exist.
    await server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    await server.run('SELECT pg_reload_conf()');
    const saved = recorder.save().catch((error: unknown) => error);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await eventually(async () => (await server.run(waiting)).length > 0);
    link.mend();
    expect(await saved).toBeInstanceOf(StorageUnavailable);
    await server.run('ALTER SYSTEM RESET synchronous_standby_names');
    await server.run('SELECT pg_reload_conf()');

    recorder.record({ id: 'key_1', accountId: it.id }, LISTED);
    await eventually(() =>
      recorder.save().then(
        () => true,
        () => false,
      ),
    );
    expect(await it.succeeded()).toBe(4);
  });

  test.each([
    [
      'usage',
      async ({ usage }: Backend, [kept, deleted]: readonly [string, string]) => {
        const records = [kept, deleted].map((accountId) => usageRecord({ accountId, hour: 7 }));
        await usage.add(records, { source: 'one', number: 1 });
        return (await usage.byPeriod({ accountId: kept, first: 0 })).length;
      },
    ],
    [
      'the request log',
      async ({ requestLog }: Backend, [kept, deleted]: readonly [string, string]) => {
        await requestLog.add([entry(kept), entry(deleted)]);
        return (await requestLog.page(kept, {}, 9)).length;
      },
    ],
  ])('of others is saved when an account is deleted while it is added to %s', async (_, save) => {
    await using it = await someAccount();
    const deleted = await account(it.backend, 'deleted@example.com');
    await using deletion = new SQL(it.url, { max: 1 });
    const isWaiting = async () =>
      (await server.run('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0;
    let found: Promise<number> | undefined;
    await deletion.begin(async (transaction) => {
      await transaction`DELETE FROM accounts WHERE id = ${deleted.id}`;
      found = save(it.backend, [it.id, deleted.id]);
      await eventually(isWaiting);
    });
    expect(await found).toBe(1);
  });
});
