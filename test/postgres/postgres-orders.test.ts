import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ordersOf } from '../api/orders/order-scene.ts';
import { TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/process.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';

const CONTENDERS = 30;

describe.skipIf(!hasPostgres || !hasRedis)('three processes on one database and one Redis', () => {
  let servers: AsyncDisposableStack;
  let settings: Record<string, string>;
  beforeAll(async () => {
    servers = new AsyncDisposableStack();
    const postgres = servers.use(await PostgresServer.start());
    const redis = servers.use(await RedisServer.start());
    const PETSTORE_DATABASE_URL = await postgres.createMigrated();
    settings = { ...redis.settings, PETSTORE_DATABASE_URL, PETSTORE_SECRET: SECRET };
  });
  afterAll(() => servers.disposeAsync());

  test(`let exactly one of ${CONTENDERS} concurrent orders for an animal win, and free it once`, async () => {
    await using service = await TestService.start({ settings });
    await using second = await ServiceProcess.start(settings);
    await using third = await ServiceProcess.start(settings);
    const hosts = [service.port, second.port, third.port];
    const { secret: key } = await service.account();
    const buyers = await Promise.all(
      Array.from({ length: CONTENDERS }, async () => (await service.account()).secret),
    );
    const added = await service.post(key, { name: 'Rex', categoryId: 7 });
    const { id: petId } = await added.json();
    const order = async (buyer: string, index: number) => {
      const reply = await fetch(`http://127.0.0.1:${hosts[index % 3]}/v1/store/orders`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${buyer}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ petId }),
      });
      return { buyer, status: reply.status, body: await reply.json() };
    };
    for (let round = 0; round < 3; round += 1) {
      const replies = await Promise.all(buyers.map(order));
      const [winner, ...others] = replies.toSorted((one, other) => one.status - other.status);
      expect(winner).toMatchObject({ status: 201, body: { petId, status: 'placed' } });
      const reasons = others.map(({ status, body }) => [status, body.code]);
      expect(reasons).toEqual(Array(CONTENDERS - 1).fill([409, 'pet_unavailable']));
      const orders = ordersOf(service, winner?.buyer ?? '');
      expect((await orders.update(winner?.body.id, 'cancelled')).status).toBe(200);
    }
  });
});
