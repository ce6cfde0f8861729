import { Database } from 'bun:sqlite';
import type { OperationId } from '../../src/api/operations.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { QUEUE_CAPACITY } from '../../src/storage/write-queue.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';

interface Scene {
  readonly service: TestService;
  readonly clock: ManualClock;
  /** A key of an account with ample limits. */
  readonly secret: string;
}

interface Provocation {
  /** The operation that returns the error; absent if it belongs to no operation. */
  readonly operation?: OperationId;
  readonly act: (scene: Scene) => Promise<Response>;
}

const REX = { name: 'Rex', categoryId: 7 };
const ONE_PER_MINUTE = subscribe('enterprise', { perMinute: 1, perDay: 1_000 });

/** How to provoke each error code in a real service. */
export const PROVOCATIONS: Readonly<Record<ErrorCode, Provocation>> = {
  invalid_json: {
    operation: 'createPet',
    act: ({ service, secret }) => service.post(secret, '{"name":"Rex","categoryId":7,}'),
  },
  invalid_body: {
    operation: 'createPet',
    act: ({ service, secret }) => service.post(secret, {}),
  },
  invalid_parameter: {
    operation: 'listPets',
    act: ({ service, secret }) => service.request('/pets?limit=0', { key: secret }),
  },
  unsupported_content_type: {
    operation: 'createPet',
    act: ({ service, secret }) => service.post(secret, REX, { 'Content-Type': 'text/plain' }),
  },
  missing_api_key: { operation: 'listPets', act: ({ service }) => service.request('/pets') },
  invalid_api_key: {
    operation: 'getPet',
    act: ({ service }) => service.request('/pets/1', { key: 'no-key' }),
  },
  not_owner: {
    operation: 'updatePet',
    act: async ({ service, secret }) => {
      const other = await service.account();
      await service.post(other.secret, REX);
      return service.change(secret, 'PATCH', '/pets/1', { status: 'sold' });
    },
  },
  pet_not_found: {
    operation: 'getPet',
    act: ({ service, secret }) => service.request('/pets/42', { key: secret }),
  },
  order_not_found: {
    operation: 'getOrder',
    act: ({ service, secret }) => service.request('/store/orders/42', { key: secret }),
  },
  not_found: { act: ({ service, secret }) => service.request('/nothing', { key: secret }) },
  method_not_allowed: {
    act: ({ service, secret }) => service.request('/pets', { key: secret, method: 'PUT' }),
  },
  idempotency_conflict: { operation: 'createPet', act: sendTwiceAtOnce },
  invalid_transition: {
    operation: 'updatePet',
    act: async ({ service, secret }) => {
      await service.post(secret, { ...REX, status: 'sold' });
      return service.change(secret, 'PATCH', '/pets/1', { status: 'pending' });
    },
  },
  pet_unavailable: {
    operation: 'createOrder',
    act: async ({ service, secret }) => {
      await service.post(secret, { ...REX, status: 'pending' });
      return ordersOf(service, secret).create(1);
    },
  },
  pet_reserved: {
    operation: 'deletePet',
    act: async ({ service, secret }) => {
      await service.post(secret, REX);
      await ordersOf(service, secret).create(1);
      return service.change(secret, 'DELETE', '/pets/1');
    },
  },
  operation_removed: {
    operation: 'getPet',
    act: ({ service, clock, secret }) => {
      clock.step(Date.UTC(2030, 11, 5) - clock.now().wall);
      return service.request('/pets/1', { key: secret });
    },
  },
  precondition_failed: {
    operation: 'deletePet',
    act: async ({ service, secret }) => {
      await service.post(secret, REX);
      return service.change(secret, 'DELETE', '/pets/1', undefined, { 'If-Match': '"other"' });
    },
  },
  body_too_large: {
    operation: 'createPet',
    act: ({ service, secret }) => service.post(secret, 'x'.repeat(65_537)),
  },
  idempotency_mismatch: {
    operation: 'createPet',
    act: async ({ service, secret }) => {
      await service.post(secret, REX, { 'Idempotency-Key': 'once' });
      return service.post(secret, { ...REX, name: 'Tom' }, { 'Idempotency-Key': 'once' });
    },
  },
  rate_limited: {
    operation: 'listPets',
    act: async ({ service }) => {
      const { secret } = await service.account(ONE_PER_MINUTE);
      await service.request('/pets', { key: secret });
      return service.request('/pets', { key: secret });
    },
  },
  api_key_banned: {
    operation: 'getPet',
    act: async ({ service, clock }) => {
      const { secret } = await service.account(ONE_PER_MINUTE);
      await service.request('/pets', { key: secret });
      await service.request('/pets', { key: secret });
      // The grace for requests in flight.
      clock.advance(2_000);
      return service.request('/pets/1', { key: secret });
    },
  },
  internal_error: {
    operation: 'getPet',
    act: async ({ service, secret }) => {
      // Closing the stores is a failure that no operation expects.
      await service.stores.close();
      return service.request('/pets/1', { key: secret });
    },
  },
  unavailable: {
    operation: 'createPet',
    act: async ({ service, secret }) => {
      // The writer waits for a lock of another connection until its queue is full.
      using file = openPets(service);
      file.run('BEGIN IMMEDIATE');
      const { pets } = service.stores.environment('production');
      const waiting = Array.from({ length: QUEUE_CAPACITY + 1 }, () => pets.import([]));
      const reply = await service.post(secret, { name: 'Rex', categoryId: 1 });
      file.run('ROLLBACK');
      await Promise.all(waiting);
      return reply;
    },
  },
};

/** Provokes the error in a new service. */
export async function provoke(code: ErrorCode): Promise<Response> {
  const clock = new ManualClock();
  await using service = await TestService.start({ clock, settings: { PETSTORE_BAN_AFTER: '1' } });
  const { secret } = await service.account();
  const reply = await PROVOCATIONS[code].act({ service, clock, secret });
  // The reply must be read before the service stops.
  return new Response(await reply.text(), { status: reply.status, headers: reply.headers });
}

async function sendTwiceAtOnce({ service, secret }: Scene): Promise<Response> {
  using file = openPets(service);
  // The lock of the file keeps the first of the two requests in flight.
  file.run('BEGIN IMMEDIATE');
  const send = () => service.post(secret, REX, { 'Idempotency-Key': 'once' });
  const both = [send(), send()];
  const refused = await Promise.race(both);
  file.run('ROLLBACK');
  await Promise.all(both);
  return refused;
}

function openPets(service: TestService): Database {
  return new Database(service.stores.folder.database('production'), { readwrite: true });
}
