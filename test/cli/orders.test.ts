import { describe, expect, test } from 'bun:test';
import { orderScene, ordersOf } from '../api/orders/order-scene.ts';
import { eventually, TestService } from '../support/harness.ts';
import { type CommandResult, runCommand } from '../support/process.ts';
import { advance } from '../support/sandbox-scene.ts';
import { onFolder } from '../support/storage.ts';

const run = (service: TestService, ...args: string[]): Promise<CommandResult> =>
  runCommand(['orders', ...args], onFolder(service.folder.path));

describe('petstore orders list', () => {
  test('lists the orders of all accounts or of one, by status or not', async () => {
    await using service = await TestService.start();
    const [one, two] = [await orderScene(service), await orderScene(service)];
    const first = await one.order('cancelled');
    const second = await two.order();
    const listed = async (...args: string[]) => {
      const { code, stdout } = await run(service, 'list', ...args, '--json');
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    const { createdAt } = second.body;
    expect(await listed()).toEqual([
      expect.objectContaining({ id: 1, petId: first.petId, status: 'cancelled' }),
      {
        ...{ id: 2, petId: second.petId, status: 'placed', createdAt, updatedAt: createdAt },
        ...{ accountId: two.account.id, email: two.account.email },
      },
    ]);
    const ids = async (...args: string[]) =>
      (await listed(...args)).map(({ id }: { id: number }) => id);
    expect(await ids(one.account.email)).toEqual([1]);
    expect(await ids('--status', 'placed')).toEqual([2]);
    expect(await ids(one.account.email, '--status', 'placed')).toEqual([]);
    expect(await ids('--environment', 'staging')).toEqual([]);
    const { stdout } = await run(service, 'list');
    expect(stdout).toMatch(/^ID +ANIMAL +STATUS +CREATED +UPDATED +ACCOUNT\n/);
    expect(stdout).toContain(two.account.email);
    const none = await run(service, 'list', '--environment', 'staging');
    expect(none.stdout).toBe('No such orders in staging.\n');
  });

  test('refuses an unknown account and an unknown status', async () => {
    await using service = await TestService.start();
    expect(await run(service, 'list', 'nobody@example.com')).toMatchObject({ code: 1 });
    expect(await run(service, 'list', '--status', 'open')).toMatchObject({ code: 2 });
  });

  test('lists more orders than it reads at once', async () => {
    await using service = await TestService.start();
    const { pets, orders } = service.stores.environment('production');
    const pet = { name: 'Rex', categoryId: 1, status: 'available' } as const;
    await pets.import(Array.from({ length: 501 }, () => pet));
    const now = { wall: Date.now(), elapsed: 0 };
    const ids = Array.from({ length: 501 }, (_, index) => index + 1);
    await Promise.all(ids.map((petId) => orders.create({ accountId: 'acct_gone', petId }, now)));
    const { stdout } = await run(service, 'list', '--json');
    const listed: Array<{ id: number; email: string | null }> = JSON.parse(stdout);
    expect(listed.map(({ id }) => id)).toEqual(ids);
    expect(new Set(listed.map(({ email }) => email))).toEqual(new Set([null]));
  });
});

describe('petstore orders cancel', () => {
  test.each(['placed', 'approved'])(
    'frees the animal of an order that is %s, on record',
    async (status) => {
      await using service = await TestService.start({
        settings: { PETSTORE_STABILITY: 'experimental' },
      });
      const it = await orderScene(service);
      const { id, petId } = await it.order(status);
      expect(await run(service, 'cancel', String(id))).toEqual({
        code: 0,
        stdout: `Order ${id} of production is cancelled. Animal ${petId} is available.\n`,
        stderr: '',
      });
      await eventually(async () => (await it.petStatus(petId)) === 'available');
      expect(await (await it.get(id)).json()).toMatchObject({ status: 'cancelled' });
      const [entry] = await service.stores.audit.list(1);
      expect(entry).toMatchObject({
        action: 'order.cancelled',
        accountId: it.account.id,
        by: expect.stringMatching(/^command line: /),
        detail: `production order ${id} for animal ${petId}`,
      });
      expect((await it.create(petId)).status).toBe(201);
    },
  );

  test('is shown on cached pages within a second', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    await it.addPet();
    await it.addPet();
    await it.create(1);
    const first = async (): Promise<string> => {
      const page = await service.request('/pets?limit=1', { key: it.key });
      return (await page.json())[0].status;
    };
    expect(await first()).toBe('pending');
    expect(await run(service, 'cancel', '1')).toMatchObject({ code: 0 });
    await eventually(async () => (await first()) === 'available');
  });

  test('works where the operations are not served, and on the clock of an account in staging', async () => {
    await using service = await TestService.start({ settings: { PETSTORE_STABILITY: 'stable' } });
    const { secret, account } = await service.account(undefined, 'staging');
    await advance(service, secret, 3_600);
    const { pets, orders } = service.stores.environment('staging');
    await pets.import([{ name: 'Rex', categoryId: 1, status: 'available' }]);
    const wall = Date.now() + 3_600_000;
    await orders.create({ accountId: account.id, petId: 1 }, { wall, elapsed: 0 });
    expect((await ordersOf(service, secret, 'staging').list()).status).toBe(404);
    const { code, stdout } = await run(
      service,
      'cancel',
      '1',
      '--environment',
      'staging',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ id: 1, environment: 'staging', petId: 1, accountId: account.id, status: 'cancelled' },
    });
    const order = await orders.find(1);
    expect(order?.updatedAt).toBeGreaterThanOrEqual(wall);
    expect((await pets.get(1))?.status).toBe('available');
  });

  test.each(['delivered', 'cancelled'])('refuses an order that is %s', async (status) => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    const { id } = await it.order(status);
    expect(await run(service, 'cancel', String(id))).toEqual({
      code: 1,
      stdout: '',
      stderr: `petstore: Order ${id} of production is ${status}: it holds no animal.\n`,
    });
    expect(await service.stores.audit.list(1)).not.toMatchObject([{ action: 'order.cancelled' }]);
  });

  test('refuses an unknown order, one of the other environment, and what is no id', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    const { id } = await it.order();
    expect(await run(service, 'cancel', '42')).toMatchObject({
      code: 1,
      stderr: 'petstore: production has no order with the id 42.\n',
    });
    const other = await run(service, 'cancel', String(id), '--environment', 'staging');
    expect(other.code).toBe(1);
    for (const text of ['first', '0', '-1', '1.0', '9007199254740993']) {
      expect(await run(service, 'cancel', text)).toMatchObject({ code: 2 });
    }
  });
});
