import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { literalValues } from '../../src/storage/postgres/several-nodes.ts';
import { account, at, message, NOON } from '../storage/ports/backend.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { entry } from '../storage/ports/request-log.suite.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { usageRecord } from '../support/usage-records.ts';

// The statements for a sharded database are ordinary SQL, which a single server executes as well.
describe.skipIf(!hasPostgres)('statements for several servers', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const open = async () => connectTo(await server.createMigrated(), true);

  test.each([
    'plain',
    `it's "quoted" %_?$1`,
    "\\'; DROP TABLE pets; --",
    '\\n \\\\ \r\n\t',
    '世界 🐈',
    '',
  ])('hold a text as it is: %s', async (text) => {
    const rows = await server.run(
      `SELECT * FROM (${literalValues([[text, -7]])}) AS given (one, other)`,
    );
    expect(rows).toEqual([{ one: text, other: -7 }]);
  });

  test('add the same usage, requests and messages once, however often they are sent', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const used = usageRecord({ accountId: id, hour: 1, succeeded: 2 });
    const gone = usageRecord({ accountId: "nobody's", hour: 1 });
    const batch = [used, gone, used, { ...used, operation: 'none' }];
    for (const number of [1, 1, 2]) await backend.usage.add(batch, { source: 'test', number });
    const counted = await backend.usage.bySubject({ accountId: id, first: 0 });
    expect(counted.map(({ operation, succeeded }) => [operation, succeeded])).toEqual([
      [used.operation, 8],
      ['none', 4],
    ]);

    const requests = [entry(id), entry(id)];
    for (const sent of [requests.slice(1), requests]) await backend.requestLog.add(sent);
    expect(await backend.requestLog.page(id, {}, 9)).toEqual(requests.toReversed());

    const sent = message(id);
    const again = message(id);
    expect(await backend.messages.enqueue(sent, 'once')).toBeUndefined();
    expect(await backend.messages.enqueue(again, 'once')).toEqual(sent);
    expect(await backend.messages.list(id, 9)).toEqual([sent]);
  });

  test('deliver what another process queues after the queue was empty', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id } = await account(backend);
    expect(await backend.messages.deliver(NOON, 9)).toBe(0);
    await other.messages.enqueue(message(id));
    expect(await backend.messages.deliver(at(1).wall, 9)).toBe(1);
  });

  test('replace a saved quota', async () => {
    await using backend = await open();
    const quota = { caller: "account:it's", minuteEndsAt: NOON, minuteUsed: 1, day: 7, dayUsed: 2 };
    const later = { ...quota, dayUsed: 3 };
    for (const each of [quota, later]) await backend.quotas().save([each]);
    expect(await backend.quotas().find(quota.caller)).toEqual(later);
  });
});
