import { describe, expect, test } from 'bun:test';
import { InvalidReplyError } from '../../client/src/index.ts';
import {
  crash,
  failure,
  reply,
  ScriptedService,
  type Step,
} from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'sold' };
const noContent: Step = () => new Response(null, { status: 204 });

describe('updatePet', () => {
  test('sends only the fields that change, as a merge patch, and returns the animal', async () => {
    using service = new ScriptedService(reply(200, rex), reply(200, rex));
    const { client } = connect(service);

    expect(await client.updatePet(1, { status: 'sold' })).toEqual({ ...rex, status: 'sold' });
    await client.updatePet(1, { name: 'Rex "R"', categoryId: 8, status: undefined });

    expect(service.received.map(({ body }) => body)).toEqual([
      '{"status":"sold"}',
      '{"name":"Rex \\"R\\"","categoryId":8}',
    ]);
    expect(service.received[0]?.headers.get('Content-Type')).toBe('application/merge-patch+json');
    expect(service.received[0]?.headers.get('Idempotency-Key')).toBeNull();
  });

  test('keeps every digit of ids, in the address, the body and the reply', async () => {
    const big = 9_223_372_036_854_775_807n;
    using service = new ScriptedService(
      reply(200, `{"id":9007199254740993,"name":"Rex","categoryId":${big},"status":"sold"}`),
    );
    const { client } = connect(service);

    const pet = await client.updatePet(9_007_199_254_740_993n, { categoryId: big });

    expect(pet).toMatchObject({ id: 9_007_199_254_740_993n, categoryId: big });
    expect(service.received[0]?.path).toBe('/v1/pets/9007199254740993');
    expect(service.received[0]?.body).toBe(`{"categoryId":${big}}`);
  });

  test('refuses numbers that are no exact int64, and sends nothing', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const number of [2 ** 53, 1.5, Number.NaN, 2n ** 63n]) {
      expect(await rejection(client.updatePet(number, { name: 'Rex' }))).toBeInstanceOf(Error);
      expect(await rejection(client.updatePet(1, { categoryId: number }))).toBeInstanceOf(Error);
      expect(await rejection(client.deletePet(number))).toBeInstanceOf(Error);
    }
    expect(service.received).toHaveLength(0);
  });
});

describe('deletePet', () => {
  test('sends no body, and resolves to nothing', async () => {
    using service = new ScriptedService(noContent);
    const { client } = connect(service);

    const { data, response } = await client.deletePet(1).withResponse();

    expect(data).toBeUndefined();
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(service.received[0]).toMatchObject({ method: 'DELETE', path: '/v1/pets/1', body: '' });
    expect(service.received[0]?.headers.get('Content-Type')).toBeNull();
  });

  test('does not take the page of a proxy for a success', async () => {
    using service = new ScriptedService(reply(200, '<html>Please sign in</html>'));

    const error = await rejection(connect(service).client.deletePet(1));

    expect(error).toBeInstanceOf(InvalidReplyError);
  });

  test.each([
    ['a lost reply', [crash]],
    ['a 503', [failure(503, 'unavailable')]],
    ['a gateway', [reply(502, ''), reply(504, '')]],
    ['a 429', [failure(429, 'rate_limited', { 'Retry-After': '1' })]],
  ])('succeeds when the animal is gone at a retry after %s', async (_, faults) => {
    using service = new ScriptedService(...faults, failure(404, 'pet_not_found'));
    const { client } = connect(service);

    const { data, response } = await client.deletePet(1).withResponse();

    expect(data).toBeUndefined();
    expect(response.status).toBe(404);
    expect(service.received).toHaveLength(faults.length + 1);
  });

  test('rejects when the animal is not there at the first attempt', async () => {
    using service = new ScriptedService(failure(404, 'pet_not_found'));

    const error = await rejection(connect(service).client.deletePet(1));

    expect(error).toMatchObject({ code: 'pet_not_found', isRetry: false });
    expect(service.received).toHaveLength(1);
  });

  test.each([
    ['of another resource', failure(404, 'not_found')],
    ['of a proxy', reply(404, '<html>Not found</html>')],
  ])('rejects when a retry gets a 404 %s', async (_, notFound) => {
    using service = new ScriptedService(crash, notFound);

    const error = await rejection(connect(service).client.deletePet(1));

    expect(error).toMatchObject({ code: 'not_found', isRetry: true });
  });
});
