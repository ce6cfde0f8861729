import { expect, test } from 'bun:test';
import type { PetstoreClient } from '../../client/src/index.ts';
import { rejection } from '../../client/testing/test-client.ts';
import { hourOf } from '../../src/core/requests/usage.ts';
import { requestLogScene, savedRequests } from '../support/request-log-scene.ts';

/** What each call is: its operation, method, path, status and error code. */
const CALLS = [
  ['createPet', 'POST', '/v1/pets', 201, undefined],
  ['updatePet', 'PATCH', '/v1/pets/1', 200, undefined],
  ['updatePet', 'PATCH', '/v1/pets/1', 412, 'precondition_failed'],
  ['createOrder', 'POST', '/v1/store/orders', 201, undefined],
  ['createOrder', 'POST', '/v1/store/orders', 409, 'pet_unavailable'],
  ['deletePet', 'DELETE', '/v1/pets/1', 409, 'pet_reserved'],
  ['listOrders', 'GET', '/v1/store/orders', 200, undefined],
  ['getOrder', 'GET', '/v1/store/orders/1', 200, undefined],
  ['updateOrder', 'PATCH', '/v1/store/orders/1', 200, undefined],
  ['updateOrder', 'PATCH', '/v1/store/orders/1', 409, 'invalid_transition'],
  ['deletePet', 'DELETE', '/v1/pets/1', 204, undefined],
  ['getOrder', 'GET', '/v1/store/orders/2', 404, 'order_not_found'],
] as const;

async function makeCalls(client: PetstoreClient): Promise<void> {
  await client.createPet({ name: 'Rex', categoryId: 7 });
  await client.updatePet(1, { name: 'Max' });
  await rejection(client.updatePet(1, { name: 'Tom' }, { ifMatch: '"stale"' }));
  await client.createOrder({ petId: 1 });
  await rejection(client.createOrder({ petId: 1 }));
  await rejection(client.deletePet(1));
  await client.listOrders();
  await client.getOrder(1);
  await client.updateOrder(1, { status: 'cancelled' });
  await rejection(client.updateOrder(1, { status: 'delivered' }));
  await client.deletePet(1);
  await rejection(client.getOrder(2));
}

test('changes, deletions and orders are in the request log, the usage and the metrics by operation', async () => {
  await using it = await requestLogScene();
  const { service, clock } = it;
  const { account, secret } = await service.account();
  await makeCalls(service.client(secret));

  const logged = await savedRequests(it, account.id);
  expect(logged.map(({ method, path, status, code }) => [method, path, status, code])).toEqual(
    CALLS.map(([, ...call]) => call).reverse(),
  );

  await service.runJobs();
  const first = hourOf(clock.now().wall);
  const usage = await service.stores.usage.bySubject({ accountId: account.id, first });
  const counted = usage.map(({ operation, succeeded, clientErrors }) => [
    operation,
    succeeded,
    clientErrors,
  ]);
  const operations = [...new Set(CALLS.map(([operation]) => operation))].sort();
  const statusesOf = (operation: string) =>
    CALLS.flatMap(([each, , , status]) => (each === operation ? [status] : []));
  expect(counted.sort()).toEqual(
    operations.map((operation) => {
      const statuses = statusesOf(operation);
      const successes = statuses.filter((status) => status < 400).length;
      return [operation, successes, statuses.length - successes];
    }),
  );

  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  for (const [operation, , , status] of CALLS) {
    const count = statusesOf(operation).filter((each) => each === status).length;
    expect(metrics).toContain(
      `petstore_request_duration_seconds_count{operation="${operation}",status="${status}"} ${count}\n`,
    );
  }
});
