import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { eventually, TestService } from '../support/harness.ts';
import { ERAS, sendMessage, ToolClient } from '../support/mcp.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { refusalOf } from '../support/problem.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test.skipIf(!hasPostgres)('the tools work on PostgreSQL, for both kinds of clients', async () => {
  await using server = await PostgresServer.start();
  const settings = {
    PETSTORE_DATABASE_URL: await server.createDatabase(),
    PETSTORE_SECRET: SECRET,
  };
  await using service = await TestService.start({ parts: PARTS, settings });
  const { secret } = await service.account();
  for (const era of ERAS) {
    await using tools = await ToolClient.overHttp(service.dashboardUrl, secret, era);
    await tools.client.listTools();
    const categoryId = '9223372036854775807';
    const made = await tools.call('createPet', { name: era, categoryId, idempotencyKey: era });
    const again = await tools.call('createPet', { name: era, categoryId, idempotencyKey: era });
    expect(made.content.result).toMatchObject({ name: era, categoryId });
    expect(again.content).toMatchObject({ result: made.content.result, replayed: true });
    const fetched = await tools.call('getPet', { petId: made.content.result.id });
    expect(fetched.content.result).toEqual(made.content.result);
    const sent = await tools.call('sendMessage', { message: 'Hello' });
    expect(sent.content.result).toMatchObject({ message: 'Hello', status: 'queued' });
  }
  const missing = await sendMessage(service, 'guess', LIST);
  expect(await refusalOf(missing)).toMatchObject({ code: 'invalid_api_key', status: 401 });
});

test.skipIf(!hasRedis)(
  'with Redis the limit of messages is that of all processes together',
  async () => {
    await using redis = await RedisServer.start();
    const { settings } = redis;
    await using one = await TestService.start({ parts: PARTS, settings });
    await using two = await TestService.start({ parts: PARTS, settings, folder: one.folder.path });
    const { secret } = await one.account(subscribe('free'));
    const statusFrom = async (service: TestService) =>
      (await sendMessage(service, secret, PING)).status;
    expect([await statusFrom(one), await statusFrom(two)]).toEqual([200, 200]);

    const exhaust = async () => {
      let statuses: number[] = [];
      while (!statuses.includes(429)) {
        statuses = await Promise.all(Array.from({ length: 60 }, () => statusFrom(one)));
      }
    };
    // A minute may end between the two requests.
    await eventually(async () => {
      await exhaust();
      return (await statusFrom(two)) === 429;
    });
  },
);
