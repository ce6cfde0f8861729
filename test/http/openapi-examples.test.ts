import { describe, expect, test } from 'bun:test';
import { OPERATION_IDS, OPERATIONS } from '../../src/api/all-operations.ts';
import type { OperationId } from '../../src/api/operations.ts';
import { API_PARTS } from '../../src/core/environments.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import {
  committed,
  DOCUMENTS,
  objections,
  operationOf,
  type WithSchema,
} from './openapi-document.ts';

const FREE = subscribe('free');

describe('the examples of successes', () => {
  /** The example of the only success of an operation. */
  function successOf(id: OperationId): unknown {
    const { responses } = operationOf(id);
    const [response] = Object.entries(responses).flatMap(([status, each]) =>
      status.startsWith('2') ? [each] : [],
    );
    return response?.content?.['application/json']?.examples?.['success']?.value;
  }

  /** The example of the body of an operation. */
  function bodyOf(id: OperationId): unknown {
    const { requestBody } = operationOf(id);
    return requestBody?.content['application/json']?.examples?.['typical']?.value;
  }

  /** The times of an order, which no example can know. */
  function timesOf({ createdAt, updatedAt }: { createdAt: string; updatedAt: string }): object {
    return { createdAt, updatedAt };
  }

  test('are the replies of an empty store to the examples of bodies', async () => {
    await using service = await TestService.start({ parts: API_PARTS });
    const { secret: key } = await service.account();

    const created = await service.post(key, bodyOf('createPet'));
    expect(await created.json()).toEqual(successOf('createPet'));
    const got = await service.request('/pets/1', { key });
    expect(await got.json()).toEqual(successOf('getPet'));
    const changed = await service.change(key, 'PATCH', '/pets/1', bodyOf('updatePet'));
    expect(await changed.json()).toEqual(successOf('updatePet'));
    await service.change(key, 'PATCH', '/pets/1', { status: 'available' });
    const [, second] = Object.values(Object(successOf('listPets')));
    await service.post(key, second);
    const page = await service.request('/pets?limit=20', { key });
    expect(await page.json()).toEqual(successOf('listPets'));

    const orders = ordersOf(service, key);
    const placed = await (await orders.post(bodyOf('createOrder'))).json();
    expect(placed).toEqual({ ...Object(successOf('createOrder')), ...timesOf(placed) });
    const found = await (await orders.get(1)).json();
    expect(found).toEqual({ ...Object(successOf('getOrder')), ...timesOf(placed) });
    const approved = await (await orders.patch(1, bodyOf('updateOrder'))).json();
    expect(approved).toEqual({ ...Object(successOf('updateOrder')), ...timesOf(approved) });
    const [listed] = await (await orders.list()).json();
    const [shown] = Object.values(Object(successOf('listOrders')));
    expect(listed).toEqual({ ...Object(shown), ...timesOf(approved), status: 'approved' });

    const sent = await fetch(`${service.url('quickstart')}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(bodyOf('sendMessage')),
    });
    const { id, createdAt, ...rest } = Object(successOf('sendMessage'));
    expect(await sent.json()).toEqual({
      ...rest,
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect([id, createdAt]).not.toContain(undefined);
  });

  test('are the replies of the sandbox to the examples of bodies', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 21, 9, 30));
    await using service = await TestService.start({ clock });
    for (const id of OPERATION_IDS.filter((each) => OPERATIONS[each].tag === 'Sandbox')) {
      const { method, path } = OPERATIONS[id];
      const { secret } = await service.account(FREE, 'staging');
      if (id === 'resetSandbox') await addAnimals(service, secret);
      const body = bodyOf(id);
      const reply = await fetch(service.url('sandbox') + path, {
        method,
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect([id, await reply.json()]).toEqual([id, successOf(id)]);
    }
  });

  test('have no Idempotency-Key, which testers would send with every body', () => {
    const parameters = OPERATION_IDS.flatMap((id) => operationOf(id).parameters ?? []);
    const keys = parameters.filter(({ name }) => name === 'Idempotency-Key');
    expect(keys.length).toBe(3);
    for (const parameter of keys) expect(parameter).not.toHaveProperty('example');
  });
});

describe('every example', () => {
  const replies = OPERATION_IDS.flatMap((id) =>
    Object.entries(operationOf(id).responses).flatMap(([status, { content }]) => {
      const { schema = { not: {} }, examples = {} } = content?.['application/json'] ?? {};
      return Object.entries(examples).map(
        ([name, { value }]) => [`${id} ${status} ${name}`, schema, value] as const,
      );
    }),
  );

  test.each(replies)('of a reply is what its schema says: %s', (_, schema, value) => {
    expect(objections(schema, value)).toEqual([]);
  });

  test('of a schema, a parameter or a header is what its schema says', () => {
    const schemas = DOCUMENTS.flatMap(({ components }) => Object.values(components.schemas)).map(
      (schema) => ({ schema, example: schema.example }),
    );
    const parameters = OPERATION_IDS.flatMap((id) => operationOf(id).parameters ?? []);
    const headers = Object.values(committed.components.headers);
    const all: WithSchema[] = [...schemas, ...parameters, ...headers];

    const withExample = all.filter(({ example }) => example !== undefined);

    expect(withExample.length).toBeGreaterThan(10);
    for (const { schema, example } of withExample) expect(objections(schema, example)).toEqual([]);
  });

  test('is distinguished from an incompatible one', () => {
    const pet = { $ref: '#/components/schemas/Pet' };

    expect(objections(pet, { id: 1, name: 'Rex', categoryId: 7 })).not.toEqual([]);
    expect(objections(pet, { id: 1, name: '', categoryId: 7, status: 'sold' })).not.toEqual([]);
    expect(objections({ type: 'array', items: pet }, [{ id: 0 }])).not.toEqual([]);
  });
});

/** Adds three animals to staging, of which another account orders one. */
async function addAnimals(service: TestService, secret: string): Promise<void> {
  const baseUrl = service.url('staging');
  const client = service.client(secret, { baseUrl });
  for (const name of ['Biscuit', 'Pebble', 'Rex']) await client.createPet({ name, categoryId: 7 });
  const [pet] = (await client.listPets()).pets;
  if (!pet) throw new Error('There is no animal.');
  const other = await service.account(FREE, 'staging');
  await service.client(other.secret, { baseUrl }).createOrder({ petId: pet.id });
}
