import { describe, expect, test } from 'bun:test';
import type { PetstoreClient } from '../../client/src/index.ts';
import { rejection } from '../../client/testing/test-client.ts';
import { TestService } from '../support/harness.ts';
import { callSandbox } from '../support/sandbox-scene.ts';

/** A service with a client of staging, whose retries wait for no time. */
async function scene() {
  const service = await TestService.start();
  const { secret } = await service.account(undefined, 'staging');
  return {
    service,
    secret,
    client: clientOf(service, secret),
    /** Lets the service lose the reply to the next request of this method, after it was carried out. */
    async loseReply(method: 'POST' | 'PATCH' | 'DELETE') {
      const simulation = { simulate: 'drop_after', times: 1, method };
      const reply = await callSandbox(service, secret, 'PUT', '/simulation', simulation);
      expect(reply.status).toBe(200);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function clientOf(service: TestService, secret: string): PetstoreClient {
  const baseUrl = service.url('staging');
  return service.client(secret, { baseUrl, maxRetries: 3, sleep: async () => {} });
}

describe('with a real service', () => {
  test('an animal is changed with its tag, and deleted', async () => {
    await using it = await scene();
    const { client } = it;
    const big = 9_223_372_036_854_775_807n;
    const { data: rex, response } = await client
      .createPet({ name: 'Rex', categoryId: 7 })
      .withResponse();
    const ifMatch = response.headers.get('ETag') ?? '';

    const changed = await client
      .updatePet(rex.id, { name: 'Max', categoryId: big, status: 'sold' }, { ifMatch })
      .withResponse();

    expect(changed.data).toEqual({ id: rex.id, name: 'Max', categoryId: big, status: 'sold' });
    const stale = await rejection(client.updatePet(rex.id, { name: 'Tom' }, { ifMatch }));
    expect(stale).toMatchObject({ code: 'precondition_failed', status: 412, isRetry: false });
    const back = await rejection(client.updatePet(rex.id, { status: 'pending' }));
    expect(back).toMatchObject({ code: 'invalid_transition', retryAfterMs: undefined });
    const current = { ifMatch: changed.response.headers.get('ETag') ?? '' };
    expect(await client.deletePet(rex.id, current)).toBeUndefined();
    expect(await rejection(client.deletePet(rex.id))).toMatchObject({ code: 'pet_not_found' });
  });

  test('a deletion whose reply was lost succeeds', async () => {
    await using it = await scene();
    const { id } = await it.client.createPet({ name: 'Rex', categoryId: 7 });
    await it.loseReply('DELETE');

    const { response } = await it.client.deletePet(id).withResponse();

    expect(response.status).toBe(404);
    expect((await it.client.listPets()).pets).toEqual([]);
  });

  test('a change whose reply was lost is made once: with a tag it is a 412 marked as a retry', async () => {
    await using it = await scene();
    const { client } = it;
    const created = await client.createPet({ name: 'Rex', categoryId: 7 }).withResponse();
    const { id } = created.data;

    await it.loseReply('PATCH');
    expect(await client.updatePet(id, { name: 'Max' })).toMatchObject({ id, name: 'Max' });

    const read = await client.getPet(id).withResponse();
    const ifMatch = read.response.headers.get('ETag') ?? '';
    await it.loseReply('PATCH');
    const error = await rejection(client.updatePet(id, { name: 'Tom' }, { ifMatch }));
    expect(error).toMatchObject({ code: 'precondition_failed', isRetry: true });
    expect((await client.getPet(id)).name).toBe('Tom');
  });

  test('an animal is ordered once, although the reply was lost, and follows its order', async () => {
    await using it = await scene();
    const { client } = it;
    const { id: petId } = await client.createPet({ name: 'Rex', categoryId: 7 });
    await it.loseReply('POST');

    const { data: order, response } = await client.createOrder({ petId }).withResponse();

    expect(order).toMatchObject({ petId, status: 'placed' });
    expect(order.updatedAt).toBe(order.createdAt);
    expect((await client.getPet(petId)).status).toBe('pending');
    expect(await rejection(client.createOrder({ petId }))).toMatchObject({
      code: 'pet_unavailable',
      retryAfterMs: undefined,
    });
    expect(await rejection(client.deletePet(petId))).toMatchObject({ code: 'pet_reserved' });
    const ifMatch = response.headers.get('ETag') ?? '';
    await client.updateOrder(order.id, { status: 'approved' }, { ifMatch });
    const stale = await rejection(
      client.updateOrder(order.id, { status: 'cancelled' }, { ifMatch }),
    );
    expect(stale).toMatchObject({ code: 'precondition_failed', status: 412 });
    expect(await client.updateOrder(order.id, { status: 'delivered' })).toMatchObject({
      status: 'delivered',
    });
    expect((await client.getPet(petId)).status).toBe('sold');
  });

  test('orders are listed page by page, and those of others do not exist', async () => {
    await using it = await scene();
    const { client, service } = it;
    for (let made = 0; made < 3; made += 1) {
      const { id: petId } = await client.createPet({ name: 'Rex', categoryId: 7 });
      await client.createOrder({ petId });
    }
    await client.updateOrder(2, { status: 'cancelled' });

    const all = await Array.fromAsync(client.listAllOrders({ limit: 2 }));
    expect(all.map(({ id, status }) => [id, status])).toEqual([
      [1, 'placed'],
      [2, 'cancelled'],
      [3, 'placed'],
    ]);
    const open = await Array.fromAsync(client.listAllOrders({ limit: 1, status: 'placed' }));
    expect(open.map(({ id }) => id)).toEqual([1, 3]);
    expect(all[1]).toEqual(await client.getOrder(2));

    const other = clientOf(service, (await service.account(undefined, 'staging')).secret);
    expect(await rejection(other.getOrder(1))).toMatchObject({ code: 'order_not_found' });
    expect(await Array.fromAsync(other.listAllOrders())).toEqual([]);
  });
});
