import { describe, expect, test } from 'bun:test';
import { InvalidReplyError } from '../../client/src/index.ts';
import { reply, ScriptedService } from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const BEYOND_NUMBERS = [9007199254740993n, 9223372036854775807n, -9223372036854775808n];

function petWith(id: string, categoryId = '1'): string {
  return `{"id":${id},"name":"Rex","categoryId":${categoryId},"status":"available"}`;
}

describe('int64 in replies', () => {
  test.each(BEYOND_NUMBERS)('%p is read exactly, as a bigint', async (value) => {
    using service = new ScriptedService(reply(200, `[${petWith(`${value}`, `${value}`)}]`));
    const { client } = connect(service);

    const { pets } = await client.listPets();

    expect(pets[0]?.id).toBe(value);
    expect(pets[0]?.categoryId).toBe(value);
  });

  test.each([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['0', 0],
    ['1.0', 1],
    ['1e2', 100],
  ])('%p is read as a number', async (digits, value) => {
    using service = new ScriptedService(reply(200, petWith(digits)));
    const { client } = connect(service);

    expect((await client.getPet(1)).id).toBe(value);
  });

  test.each(['9223372036854775808', '-9223372036854775809', '1.5', '1e300', '"1"', 'null'])(
    'an id of %s is refused',
    async (id) => {
      using service = new ScriptedService(reply(200, petWith(id)));
      const { client } = connect(service);

      expect(await rejection(client.getPet(1))).toBeInstanceOf(InvalidReplyError);
    },
  );

  test('an integer that would have to be rounded is refused', async () => {
    using service = new ScriptedService(reply(200, petWith('9007199254740993.0')));
    const { client } = connect(service);

    expect(await rejection(client.getPet(1))).toBeInstanceOf(InvalidReplyError);
  });

  test('a next page after an id beyond 2^53 keeps every digit', async () => {
    const link = '</v1/pets?after=9223372036854775807>; rel="next"';
    using service = new ScriptedService(reply(200, '[]', { Link: link }), reply(200, '[]'));
    const { client } = connect(service);

    const { next } = await client.listPets();
    await client.listPets(next);

    expect(next).toEqual({ after: 9223372036854775807n });
    expect(service.received[1]?.path).toBe('/v1/pets?after=9223372036854775807');
  });
});

describe('int64 in requests', () => {
  test.each(BEYOND_NUMBERS)('%p is written exactly', async (value) => {
    using service = new ScriptedService(
      reply(201, petWith('1', `${value}`)),
      reply(200, petWith(`${value}`)),
    );
    const { client } = connect(service);

    await client.createPet({ name: 'Rex', categoryId: value });
    await client.getPet(value);

    expect(service.received[0]?.body).toBe(`{"name":"Rex","categoryId":${value}}`);
    expect(service.received[1]?.path).toBe(`/v1/pets/${value}`);
  });

  test('a number beyond 2^53 - 1 is refused, for it may be rounded already', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const unsafe of [2 ** 53, -(2 ** 53), 1e300]) {
      const creation = client.createPet({ name: 'Rex', categoryId: unsafe });
      expect(await rejection(creation)).toBeInstanceOf(RangeError);
      expect(await rejection(client.getPet(unsafe))).toBeInstanceOf(RangeError);
      expect(await rejection(client.listPets({ after: unsafe }))).toBeInstanceOf(RangeError);
    }
    expect(service.received).toHaveLength(0);
  });

  test('a bigint outside int64 is refused', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const outside of [2n ** 63n, -(2n ** 63n) - 1n]) {
      expect(await rejection(client.getPet(outside))).toBeInstanceOf(RangeError);
    }
    expect(service.received).toHaveLength(0);
  });

  test('a number that is no integer is refused', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    for (const fraction of [1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      const creation = client.createPet({ name: 'Rex', categoryId: fraction });
      expect(await rejection(creation)).toBeInstanceOf(TypeError);
    }
    expect(service.received).toHaveLength(0);
  });
});
