import { describe, expect, test } from 'bun:test';
import { isApiError } from '../../client/src/index.ts';
import {
  crash,
  failure,
  reply,
  ScriptedService,
  silence,
} from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const newRex = { name: 'Rex', categoryId: 7 };
const queued = { id: 'msg_1', message: 'Hi', status: 'queued', createdAt: '2026-11-20T12:00:00Z' };

function idempotencyKeys(service: ScriptedService): (string | null)[] {
  return service.received.map(({ headers }) => headers.get('Idempotency-Key'));
}

describe('creations', () => {
  test('every retry of a call sends the same idempotency key and body', async () => {
    using service = new ScriptedService(
      crash,
      failure(503, 'unavailable'),
      failure(429, 'rate_limited', { 'Retry-After': '1' }),
      reply(201, rex),
    );
    const { client } = connect(service);

    await client.createPet(newRex);

    const keys = idempotencyKeys(service);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(service.received.map(({ body }) => body)).size).toBe(1);
  });

  test('every call makes its own idempotency key', async () => {
    using service = new ScriptedService(reply(201, rex), reply(201, rex));
    const { client } = connect(service);

    await client.createPet(newRex);
    await client.createPet(newRex);

    expect(new Set(idempotencyKeys(service)).size).toBe(2);
  });

  test("the caller's idempotency key is the one that is sent", async () => {
    using service = new ScriptedService(failure(503, 'unavailable'), reply(201, rex));
    const { client } = connect(service);

    await client.createPet(newRex, { idempotencyKey: 'order-42' });

    expect(idempotencyKeys(service)).toEqual(['order-42', 'order-42']);
  });

  test('an idempotency key that no header can carry is refused', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const idempotencyKey of ['', ' ', 'order 42', 'a\nb', 'é', 'x'.repeat(256)]) {
      const creation = client.createPet(newRex, { idempotencyKey });
      expect(await rejection(creation)).toBeInstanceOf(TypeError);
    }
    expect(service.received).toHaveLength(0);
  });

  test('reads carry no idempotency key', async () => {
    using service = new ScriptedService(reply(200, []));
    const { client } = connect(service);

    await client.listPets();

    expect(idempotencyKeys(service)).toEqual([null]);
  });

  test('a conflict on a retry means that our first attempt is in flight, and is retried', async () => {
    const conflict = failure(409, 'idempotency_conflict', { 'Retry-After': '0' });
    using service = new ScriptedService(crash, conflict, conflict, reply(201, rex));
    const { client } = connect(service);

    expect((await client.createPet(newRex)).name).toBe('Rex');
  });

  test.each(['idempotency_conflict', 'invalid_transition', 'pet_unavailable'])(
    'a 409 %s without Retry-After is not retried, also after a lost reply',
    async (code) => {
      using service = new ScriptedService(crash, failure(409, code), reply(201, rex));
      const { client } = connect(service);

      const error = await rejection(client.createPet(newRex));

      expect(error).toMatchObject({ status: 409, code });
      expect(service.received).toHaveLength(2);
    },
  );

  test("a conflict on the first attempt is somebody else's, and is not retried", async () => {
    using service = new ScriptedService(failure(409, 'idempotency_conflict'));
    const { client } = connect(service);

    const error = await rejection(client.createPet(newRex, { idempotencyKey: 'order-42' }));

    expect(isApiError(error, 'idempotency_conflict')).toBe(true);
    expect(service.received).toHaveLength(1);
  });
});

describe('messages', () => {
  test('are retried when the service refused them', async () => {
    using service = new ScriptedService(
      failure(429, 'rate_limited', { 'Retry-After': '2' }),
      failure(503, 'unavailable', { 'Retry-After': '1' }),
      reply(202, queued),
    );
    const { client, waits } = connect(service, { random: () => 0 });

    expect((await client.sendMessage('Hi')).status).toBe('queued');
    expect(waits).toEqual([2000, 1000]);
  });

  test('are retried after a lost or late reply, with the same idempotency key', async () => {
    using service = new ScriptedService(crash, silence, reply(502, ''), reply(202, queued));
    const { client } = connect(service, { timeoutMs: 1_000, maxRetries: 3 });

    expect((await client.sendMessage('Hi')).id).toBe('msg_1');

    const keys = idempotencyKeys(service);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("carry the caller's idempotency key, or one of their own", async () => {
    using service = new ScriptedService(reply(202, queued), reply(202, queued), reply(202, queued));
    const { client } = connect(service);

    await client.sendMessage('Hi', { idempotencyKey: 'order-42' });
    await client.sendMessage('Hi');
    await client.sendMessage('Hi');

    const [given, ...made] = idempotencyKeys(service);
    expect(given).toBe('order-42');
    expect(new Set(made).size).toBe(2);
  });
});
