import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { SECOND } from '../../src/lib/clock.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { startCommand } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

const FREE = 'free animals of deleted accounts';

/** A way to keep the pets of production from being changed, until it is disposed. */
type Hold = () => Promise<AsyncDisposable>;

interface Scene extends AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>;
  readonly hold: Hold;
  start(clock: ManualClock): Promise<TestService>;
}

function tests(open: () => Promise<Scene>): void {
  /** A service in which an account has ordered one of two animals. */
  async function ordered(scene: Scene) {
    const clock = new ManualClock(Date.now());
    const service = await scene.start(clock);
    const [buyer, other] = [await service.account(), await service.account()];
    for (const name of ['Rex', 'Tom']) await service.post(other.secret, { name, categoryId: 7 });
    const orders = ordersOf(service, buyer.secret);
    expect((await orders.create(1)).status).toBe(201);
    const statusOf = async (id: number): Promise<string> =>
      (await (await service.request(`/pets/${id}`, { key: other.secret })).json()).status;
    const { orders: store } = service.stores.environment('production');
    const left = async () => (await store.listAll({ limit: 10, after: 0 })).orders.length;
    return { service, clock, account: buyer.account, store, statusOf, left };
  }

  test('a deletion frees the animals of open orders and deletes all orders, in both environments', async () => {
    await using scene = await open();
    const it = await ordered(scene);
    await using service = it.service;
    const { pets, orders } = service.stores.environment('staging');
    await pets.import([{ name: 'Max', categoryId: 1, status: 'available' }]);
    await orders.create({ accountId: it.account.id, petId: 1 }, it.clock.now());
    await service.stores.accounts.delete(it.account.id, it.clock.now().wall, 'test');
    expect(await it.statusOf(1)).toBe('available');
    expect((await pets.get(1))?.status).toBe('available');
    expect([await it.left(), (await orders.listAll({ limit: 10, after: 0 })).orders]).toEqual([
      0,
      [],
    ]);
    expect(await service.stores.unfinishedDeletions.list()).toEqual([]);
  });

  test('an order that was in flight while its account was deleted is deleted by a job', async () => {
    await using scene = await open();
    const it = await ordered(scene);
    await using service = it.service;
    await service.stores.accounts.delete(it.account.id, it.clock.now().wall, 'test');
    await it.store.create({ accountId: it.account.id, petId: 2 }, it.clock.now());
    expect(await it.statusOf(2)).toBe('pending');
    await service.runJobs(FREE);
    expect([await it.statusOf(2), await it.left()]).toEqual(['available', 0]);
  });

  test('orders that have ended are deleted by a job, too', async () => {
    await using scene = await open();
    const it = await ordered(scene);
    await using service = it.service;
    await service.stores.accounts.delete(it.account.id, it.clock.now().wall, 'test');
    const accountId = it.account.id;
    await it.store.create({ accountId, petId: 2 }, it.clock.now());
    const [order] = (await it.store.listAll({ limit: 1, after: 0 })).orders;
    await it.store.update({ id: order?.id ?? 0, accountId }, 'cancelled', it.clock.now());
    await service.runJobs(FREE);
    expect(await it.left()).toBe(1);
    await service.runJobs('delete orders of deleted accounts');
    expect(await it.left()).toBe(0);
  });

  test('orders of accounts that exist stay', async () => {
    await using scene = await open();
    const it = await ordered(scene);
    await using service = it.service;
    await service.runJobs(FREE, 'delete orders of deleted accounts');
    expect([await it.statusOf(1), await it.left()]).toEqual(['pending', 1]);
  });

  test('a deletion that is killed after the keys ended holds no animal for more than a minute', async () => {
    await using scene = await open();
    const it = await ordered(scene);
    await using service = it.service;
    const held = await scene.hold();
    const command = startCommand(['accounts', 'delete', it.account.email, '--yes'], scene.settings);
    await eventually(async () => (await service.stores.keys.list(it.account.id)).length === 0);
    command.kill('SIGKILL');
    await command.exited;
    await held[Symbol.asyncDispose]();
    expect(await service.stores.accounts.find(it.account.id)).toBeDefined();
    expect(await it.statusOf(1)).toBe('pending');
    // The job runs every 20 s.
    for (let run = 0; run < 2; run += 1) {
      it.clock.advance(20 * SECOND);
      await service.runJobs(FREE);
    }
    expect([await it.statusOf(1), await it.left()]).toEqual(['available', 0]);
    expect(await service.stores.unfinishedDeletions.list()).toEqual([]);
  });
}

describe('in a data folder', () => {
  tests(async () => {
    const folder = temporaryFolder();
    return {
      settings: onFolder(folder.path),
      start: (clock) => TestService.start({ clock, folder: folder.path }),
      async hold() {
        const file = new Database(`${folder.path}/production.db`, { readwrite: true });
        file.run('BEGIN IMMEDIATE');
        return {
          async [Symbol.asyncDispose]() {
            file.run('ROLLBACK');
            file.close();
          },
        };
      },
      async [Symbol.asyncDispose]() {
        folder[Symbol.dispose]();
      },
    };
  });
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  tests(async () => {
    const url = await server.createDatabase();
    const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    return {
      settings,
      start: (clock) => TestService.start({ clock, settings }),
      async hold() {
        const sql = new SQL(url, { max: 1 });
        const connection = await sql.reserve();
        await connection`BEGIN`;
        await connection`SELECT 1 FROM pets FOR UPDATE`;
        return {
          async [Symbol.asyncDispose]() {
            await connection`ROLLBACK`;
            connection.release();
            await sql.close();
          },
        };
      },
      async [Symbol.asyncDispose]() {},
    };
  });
});
