import { describe, expect, test } from 'bun:test';
import type { PetstoreClient } from '../../../client/src/index.ts';
import { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { callSandbox, sandbox, sandboxScene } from '../../support/sandbox-scene.ts';
import { ON_ONE_FOLDER, ON_POSTGRES } from '../../support/shared-store.ts';

const ANIMALS = { animals: true };

/** An account of staging with its client. */
async function customer(service: TestService) {
  const { account, secret } = await service.account(undefined, 'staging');
  return { account, secret, client: clientOf(service, secret) };
}

function clientOf(service: TestService, secret: string): PetstoreClient {
  return service.client(secret, { baseUrl: service.url('staging') });
}

/** Posts a reset without the help of `callSandbox`. */
function postReset(
  service: TestService,
  key: string,
  headers: Readonly<Record<string, string>>,
  body?: RequestInit['body'],
): Promise<Response> {
  return fetch(`${service.url('sandbox')}/reset`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, ...headers },
    ...(body !== undefined && { body }),
  });
}

async function add(client: PetstoreClient, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let added = 0; added < count; added += 1) {
    ids.push(Number((await client.createPet({ name: 'Rex', categoryId: 7 })).id));
  }
  return ids;
}

async function idsOf(client: PetstoreClient): Promise<number[]> {
  return (await Array.fromAsync(client.listAllPets())).map(({ id }) => Number(id));
}

describe.each([ON_ONE_FOLDER, ON_POSTGRES])('a reset with animals on $name', ({ isHere, open }) => {
  test.skipIf(!isHere)(
    'deletes the animals of the account in staging, and says how many',
    async () => {
      await using store = await open();
      await using service = await TestService.start({ settings: store.settings });
      const [own, other] = [await customer(service), await customer(service)];
      const ofOther = await add(other.client, 1);
      await add(own.client, 3);
      const production = await service.account(undefined, 'production');
      await service.client(production.secret).createPet({ name: 'Rex', categoryId: 7 });
      await service.stores
        .environment('staging')
        .pets.import([{ name: 'Of nobody', categoryId: 7, status: 'available' }]);
      expect(await idsOf(own.client)).toHaveLength(5);

      const reset = await sandbox(service, own.secret, 'POST', '/reset', ANIMALS);

      expect(reset).toMatchObject({ animals: { deleted: 3, kept: 0 }, simulation: null });
      expect(await idsOf(own.client)).toEqual([...ofOther, 5]);
      expect(await add(own.client, 1)).toEqual([6]);
      expect(await idsOf(service.client(production.secret))).toHaveLength(1);
    },
  );

  test.skipIf(!isHere)(
    'first frees what the account has ordered, and keeps what others have',
    async () => {
      await using store = await open();
      await using service = await TestService.start({ settings: store.settings });
      const [own, other] = [await customer(service), await customer(service)];
      const [ordered = 0, kept = 0, delivered = 0] = await add(own.client, 3);
      const [ofOther = 0] = await add(other.client, 1);
      await own.client.createOrder({ petId: ordered });
      await own.client.createOrder({ petId: ofOther });
      const openOrder = await other.client.createOrder({ petId: kept });
      const final = await other.client.createOrder({ petId: delivered });
      await other.client.updateOrder(final.id, { status: 'approved' });
      await other.client.updateOrder(final.id, { status: 'delivered' });

      const reset = await sandbox(service, own.secret, 'POST', '/reset', ANIMALS);

      expect(reset).toMatchObject({ animals: { deleted: 2, kept: 1 } });
      const left = await Array.fromAsync(other.client.listAllPets());
      expect(left.map(({ id, status }) => [id, status])).toEqual([
        [kept, 'pending'],
        [ofOther, 'available'],
      ]);
      expect(await Array.fromAsync(own.client.listAllOrders())).toEqual([]);
      expect((await Array.fromAsync(other.client.listAllOrders())).map(({ id }) => id)).toEqual([
        openOrder.id,
        final.id,
      ]);
      expect(await sandbox(service, own.secret, 'POST', '/reset', ANIMALS)).toMatchObject({
        animals: { deleted: 0, kept: 1 },
      });
    },
  );
});

test('a reset with animals is on the audit log', async () => {
  await using it = await sandboxScene();
  await sandbox(it.service, it.secret, 'POST', '/reset', ANIMALS);
  const [entry] = await it.service.stores.audit.list(1);
  expect(entry).toMatchObject({
    action: 'sandbox.reset',
    detail: 'the clock was 0 s ahead; its orders and animals are deleted',
  });
});

describe('a reset without a body', () => {
  test('keeps animals and orders, and does not speak of them', async () => {
    await using service = await TestService.start();
    const { client, secret } = await customer(service);
    const [petId = 0] = await add(client, 2);
    const order = await client.createOrder({ petId });
    const nothing = new ReadableStream({ start: (stream) => stream.close() });

    const resets = [
      await callSandbox(service, secret, 'POST', '/reset'),
      await postReset(service, secret, { 'Content-Type': 'application/json' }),
      await postReset(service, secret, { 'Content-Type': 'text/plain' }, nothing),
    ];

    for (const reset of resets) {
      expect(reset.status).toBe(200);
      expect(Object.keys(await reset.json())).toEqual(['clock', 'usage', 'ban', 'simulation']);
    }
    expect(await idsOf(client)).toHaveLength(2);
    expect(await client.getOrder(order.id)).toEqual(order);
  });
});

describe('a reset with any other body', () => {
  test.each([
    ['{}', 'invalid_body'],
    ['{"animals":false}', 'invalid_body'],
    ['{"animals":null}', 'invalid_body'],
    ['{"animals":1}', 'invalid_body'],
    ['{"animals":"true"}', 'invalid_body'],
    ['{"animals":true,"orders":true}', 'invalid_body'],
    ['{"pets":true}', 'invalid_body'],
    ['[{"animals":true}]', 'invalid_body'],
    ['true', 'invalid_body'],
    ['null', 'invalid_body'],
    ['{"animals":true', 'invalid_json'],
    ['{"animals":true,"animals":true}', 'invalid_json'],
    [' ', 'invalid_json'],
  ])('is refused, and nothing is reset: %s', async (body, code) => {
    await using it = await sandboxScene();
    const { service, secret } = it;
    await sandbox(service, secret, 'PATCH', '/clock', { advanceSeconds: 60 });
    const client = clientOf(service, secret);
    await add(client, 1);

    const refused = await postReset(service, secret, { 'Content-Type': 'application/json' }, body);

    expect(await refusalOf(refused)).toMatchObject({ status: 400, code });
    expect((await sandbox(service, secret)).clock.offsetSeconds).toBe(60);
    expect(await idsOf(client)).toHaveLength(1);
  });

  test.each([
    [{}],
    [{ 'Content-Type': 'application/x-www-form-urlencoded' }],
    [{ 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }],
  ])('is refused with the headers %j', async (headers) => {
    await using it = await sandboxScene();
    const { service, secret } = it;
    const body = new TextEncoder().encode(JSON.stringify(ANIMALS));
    const refused = await postReset(service, secret, headers, body);
    expect(await refusalOf(refused)).toMatchObject({
      status: 400,
      code: 'unsupported_content_type',
    });
  });

  test('is refused when it is too large', async () => {
    await using it = await sandboxScene();
    const refused = await callSandbox(it.service, it.secret, 'POST', '/reset', 'x'.repeat(70_000));
    expect(await refusalOf(refused)).toMatchObject({ status: 413, code: 'body_too_large' });
  });
});
