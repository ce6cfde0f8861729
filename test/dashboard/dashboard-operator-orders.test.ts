import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import type { AuditInfo } from '../../src/dashboard/shared/operator.ts';
import type { OperatorOrderPage } from '../../src/dashboard/shared/orders.ts';
import { customer, dashboardScene, expectRefusal, operator } from '../support/dashboard-scene.ts';
import type { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';

const MINUTE = 60_000;

/** An order of an account for a new animal. */
async function order(
  { stores, clock }: TestService,
  accountId: string,
  environment: Environment = 'production',
) {
  const { pets, orders } = stores.environment(environment);
  const now = clock.now();
  const made = await pets.create({ name: 'Rex', categoryId: 1, status: 'available' }, now);
  if (made.kind !== 'created') throw new Error(made.kind);
  const outcome = await orders.create({ accountId, petId: made.pet.id }, now);
  if (outcome.kind !== 'created') throw new Error(outcome.kind);
  return outcome.order;
}

function list(boss: Visitor, query = '', environment: Environment = 'production') {
  return boss.json<OperatorOrderPage>('GET', `/api/operator/${environment}/orders${query}`);
}

function cancel(boss: Visitor, id: number | string, environment: Environment = 'production') {
  return boss.post(`/api/operator/${environment}/orders/${id}/cancel`);
}

describe('the orders of all accounts', () => {
  test('show whose they are, the newest first, in pages and by status', async () => {
    await using it = await dashboardScene();
    const [boss, ada] = [await operator(it.service), await customer(it.service)];
    const first = await order(it.service, ada.accountId);
    const second = await order(it.service, 'acct_gone');
    const staging = await order(it.service, boss.accountId, 'staging');
    const shown = { petName: 'Rex', nextStatuses: ['approved', 'cancelled'] };
    expect(await list(boss)).toEqual({
      orders: [
        { ...second, ...shown, accountId: 'acct_gone', email: null },
        { ...first, ...shown, accountId: ada.accountId, email: ada.email },
      ],
      next: null,
    } as OperatorOrderPage);
    expect((await list(boss, '', 'staging')).orders).toMatchObject([
      { id: staging.id, email: boss.email },
    ]);
    expect((await list(boss, `?before=${second.id}`)).orders).toMatchObject([{ id: first.id }]);
    expect((await list(boss, '?status=approved')).orders).toEqual([]);
    for (let count = 0; count < 25; count += 1) await order(it.service, ada.accountId);
    const page = await list(boss);
    expect([page.orders.length, page.next]).toEqual([25, page.orders.at(-1)?.id ?? null]);
    const rest = await list(boss, `?before=${page.next}`);
    expect(rest.orders.map(({ id }) => id)).toEqual([second.id, first.id]);
  });
});

describe('the cancellation of an order by an operator', () => {
  test('frees the animal, and is on the audit log', async () => {
    await using it = await dashboardScene();
    const [boss, ada] = [await operator(it.service), await customer(it.service)];
    const { id, petId } = await order(it.service, ada.accountId, 'staging');
    expect((await cancel(boss, id, 'staging')).status).toBe(204);
    const { pets, orders } = it.service.stores.environment('staging');
    expect((await pets.get(petId))?.status).toBe('available');
    expect((await orders.get(ada.accountId, id))?.status).toBe('cancelled');
    const path = '/api/operator/audit?action=order.cancelled';
    const { entries } = await boss.json<{ entries: AuditInfo[] }>('GET', path);
    expect(entries).toMatchObject([
      {
        ...{ by: boss.email, accountId: ada.accountId, email: ada.email },
        detail: `staging order ${id} for animal ${petId}`,
      },
    ]);
    expect(await expectRefusal(await cancel(boss, id, 'staging'), 409, 'conflict')).toBe(
      `Order ${id} of staging is cancelled: it holds no animal.`,
    );
  });

  test('is refused for an order that does not exist', async () => {
    await using it = await dashboardScene();
    const boss = await operator(it.service);
    const { id } = await order(it.service, boss.accountId);
    for (const unknown of [id + 1, 0, 'x', '9007199254740993']) {
      await expectRefusal(await cancel(boss, unknown), 404, 'not_found');
    }
    await expectRefusal(await cancel(boss, id, 'staging'), 404, 'not_found');
  });

  test('asks for a recent sign-in', async () => {
    await using it = await dashboardScene();
    const boss = await operator(it.service);
    const { id } = await order(it.service, boss.accountId);
    it.clock.advance(15 * MINUTE);
    await expectRefusal(await cancel(boss, id), 403, 'sign_in_again');
    expect((await list(boss)).orders).toMatchObject([{ id, status: 'placed' }]);
    await boss.signIn();
    expect((await cancel(boss, id)).status).toBe(204);
  });

  test('asks for a second factor where operators need one', async () => {
    await using it = await dashboardScene({ PETSTORE_OPERATOR_SECOND_FACTOR: 'required' });
    const boss = await operator(it.service);
    const { id } = await order(it.service, boss.accountId);
    await expectRefusal(await cancel(boss, id), 403, 'second_factor_required');
  });

  test('goes on working where the public API serves no orders', async () => {
    await using service = await TestService.start({
      parts: PARTS,
      settings: { PETSTORE_STABILITY: 'stable' },
    });
    const boss = await operator(service);
    const { id } = await order(service, boss.accountId);
    expect((await list(boss)).orders).toMatchObject([{ id, status: 'placed' }]);
    expect((await cancel(boss, id)).status).toBe(204);
  });
});
