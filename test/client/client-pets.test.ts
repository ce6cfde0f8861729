import { describe, expect, test } from 'bun:test';
import { InvalidReplyError, type Pet } from '../../client/src/index.ts';
import { reply, ScriptedService } from '../../client/testing/scripted-service.ts';
import { CANARY_KEY, connect, rejection } from '../../client/testing/test-client.ts';

const rex: Pet = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const tom: Pet = { id: 2, name: 'Tom', categoryId: 7, status: 'sold' };
const kit: Pet = { id: 3, name: 'Kit', categoryId: 8, status: 'pending' };

/** A page that links to the next one. */
function page(pets: readonly Pet[], nextQuery: string) {
  return reply(200, pets, { Link: `<https://pets.example/v1/pets?${nextQuery}>; rel="next"` });
}

describe('operations', () => {
  test('every request carries the key as a bearer token', async () => {
    using service = new ScriptedService(reply(200, []));
    const { client } = connect(service);

    await client.listPets();

    expect(service.received[0]?.headers.get('Authorization')).toBe(`Bearer ${CANARY_KEY}`);
  });

  test('listPets sends exactly the given query', async () => {
    using service = new ScriptedService(reply(200, []), reply(200, [tom]));
    const { client } = connect(service);

    await client.listPets();
    const { pets } = await client.listPets({ limit: 5, status: 'sold', after: 1 });

    expect(pets).toEqual([tom]);
    expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1/pets',
      'GET /v1/pets?limit=5&status=sold&after=1',
    ]);
  });

  test('createPet sends the animal as JSON and returns it with its id', async () => {
    using service = new ScriptedService(reply(201, rex), reply(201, kit));
    const { client } = connect(service);

    expect(await client.createPet({ name: 'Rex', categoryId: 7 })).toEqual(rex);
    expect(await client.createPet({ name: 'Kit "K"', categoryId: 8, status: 'pending' })).toEqual(
      kit,
    );

    expect(service.received[0]?.method).toBe('POST');
    expect(service.received[0]?.path).toBe('/v1/pets');
    expect(service.received[0]?.headers.get('Content-Type')).toBe('application/json');
    expect(service.received[0]?.body).toBe('{"name":"Rex","categoryId":7}');
    expect(service.received[1]?.body).toBe(
      '{"name":"Kit \\"K\\"","categoryId":8,"status":"pending"}',
    );
  });

  test('getPet fetches one animal by its id', async () => {
    using service = new ScriptedService(reply(200, rex));
    const { client } = connect(service);

    expect(await client.getPet(1)).toEqual(rex);
    expect(service.received[0]?.path).toBe('/v1/pets/1');
  });

  test('sendMessage posts to the quickstart address', async () => {
    const queued = { id: 'msg_1', message: 'Hi', status: 'queued', createdAt: '2026-11-20T12:00Z' };
    using service = new ScriptedService(reply(202, queued));
    const { client } = connect(service);

    expect(await client.sendMessage('Hi')).toEqual(queued);
    expect(service.received[0]?.method).toBe('POST');
    expect(service.received[0]?.path).toBe('/quickstart/messages');
    expect(service.received[0]?.body).toBe('{"message":"Hi"}');
  });

  test('a field that a later version adds to an animal is kept', async () => {
    using service = new ScriptedService(reply(200, [{ ...rex, colour: 'brown', weight: 1e300 }]));
    const { client } = connect(service);

    const { pets } = await client.listPets();

    expect(pets[0]).toHaveProperty('colour', 'brown');
    expect(pets[0]).toHaveProperty('weight', 1e300);
  });

  test.each(['/', ' ', '/ ', '\n', '?', '#'])('a base address may end in %j', async (end) => {
    using service = new ScriptedService(reply(200, []));
    const { client } = connect(service, { baseUrl: `${service.baseUrl}${end}` });

    await client.listPets();

    expect(service.received[0]?.path).toBe('/v1/pets');
  });
});

describe('paging', () => {
  test('a page tells the query of the next one, and the last page tells none', async () => {
    using service = new ScriptedService(
      page([rex], 'limit=1&status=available&after=1'),
      reply(200, [kit]),
    );
    const { client } = connect(service);

    const first = await client.listPets({ limit: 1, status: 'available' });
    expect(first.next).toEqual({ limit: 1, status: 'available', after: 1 });

    const second = await client.listPets(first.next);
    expect(second.next).toBeUndefined();
    expect(service.received[1]?.path).toBe('/v1/pets?limit=1&status=available&after=1');
  });

  test('listAllPets walks every page with the same limit and status', async () => {
    using service = new ScriptedService(
      page([rex, tom], 'limit=2&status=sold&after=2'),
      reply(200, [kit]),
    );
    const { client } = connect(service);

    expect(await Array.fromAsync(client.listAllPets({ limit: 2, status: 'sold' }))).toEqual([
      rex,
      tom,
      kit,
    ]);
    expect(service.received.map(({ path }) => path)).toEqual([
      '/v1/pets?limit=2&status=sold',
      '/v1/pets?limit=2&status=sold&after=2',
    ]);
  });

  test('listAllPets takes the largest pages when the caller does not say', async () => {
    using service = new ScriptedService(reply(200, []));
    const { client } = connect(service);

    expect(await Array.fromAsync(client.listAllPets())).toEqual([]);
    expect(service.received[0]?.path).toBe('/v1/pets?limit=100');
  });

  test('leaving the loop early requests no further page', async () => {
    using service = new ScriptedService(page([rex, tom], 'limit=2&after=2'), reply(200, [kit]));
    const { client } = connect(service);

    for await (const pet of client.listAllPets({ limit: 2 })) {
      if (pet.id === tom.id) break;
    }

    expect(service.received).toHaveLength(1);
  });

  test('the next page comes from the address that the client was given, whatever the link', async () => {
    using service = new ScriptedService(page([rex], 'after=1'), reply(200, [tom]));
    const { client } = connect(service);

    expect(await Array.fromAsync(client.listAllPets())).toEqual([rex, tom]);
  });

  test.each([
    ['</v1/pets?after=9>; rel=next'],
    ['<?after=9>;REL="NEXT"'],
    ['<https://pets.example/docs>; rel="deprecation", </v1/pets?after=9>; rel="next"'],
    ['</a,b>; title="x, <y>; rel=\\"next\\""; rel="last", </v1/pets?after=9>; rel="prev next"'],
    ['</v1/pets?after=9>; title="a;b,c"; rel="next"'],
  ])('the next page is found in the link header %p', async (link) => {
    using service = new ScriptedService(reply(200, [rex], { Link: link }));
    const { client } = connect(service);

    expect((await client.listPets()).next).toEqual({ after: 9 });
  });

  test.each([
    ['</v1/pets?after=9>; rel="prev"'],
    ['</v1/pets?after=9>; rel="nextish"'],
    ['</v1/pets?after=9>; rel="prev"; rel="next"'],
    ['</v1/pets?after=9>; title="rel=next"'],
    ['nonsense'],
  ])('no next page is found in the link header %p', async (link) => {
    using service = new ScriptedService(reply(200, [rex], { Link: link }));
    const { client } = connect(service);

    expect((await client.listPets()).next).toBeUndefined();
  });

  test('a next page that starts nowhere is an error instead of an endless loop', async () => {
    using service = new ScriptedService(page([rex], 'limit=1'), page([rex], 'after=1.5'));
    const { client } = connect(service);

    expect(await rejection(client.listPets())).toBeInstanceOf(InvalidReplyError);
    expect(await rejection(client.listPets())).toBeInstanceOf(InvalidReplyError);
  });
});
