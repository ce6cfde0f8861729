import { describe, expect, test } from 'bun:test';
import {
  ApiError,
  type ChangeOptions,
  InvalidReplyError,
  isApiError,
  type PetstoreClient,
  RetryLaterError,
} from '../../client/src/index.ts';
import {
  crash,
  failure,
  reply,
  ScriptedService,
  type Step,
  silence,
} from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'sold' };
const TAG = '"Xb2sQ0cJQ6y8k1mF3nZr0A"';
const noContent: Step = () => new Response(null, { status: 204 });

/** A call that changes or deletes one thing, with the success of its script. */
interface ChangeCall {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly success: Step;
  readonly notFound: string;
  make(client: PetstoreClient, options?: ChangeOptions): Promise<unknown>;
}

const updatePet: ChangeCall = {
  name: 'updatePet',
  method: 'PATCH',
  path: '/v1/pets/1',
  success: reply(200, rex),
  notFound: 'pet_not_found',
  make: (client, options) => client.updatePet(1, { status: 'sold' }, options),
};
const deletePet: ChangeCall = {
  name: 'deletePet',
  method: 'DELETE',
  path: '/v1/pets/1',
  success: noContent,
  notFound: 'pet_not_found',
  make: (client, options) => client.deletePet(1, options),
};
const PATCHES = [updatePet];
const CHANGES = [...PATCHES, deletePet];

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

describe.each(CHANGES)('$name', ({ method, path, success, make }) => {
  test('sends the tag that it is given, and none otherwise', async () => {
    const tags = [TAG, '*', `${TAG}, "b"`, 'W/"weak"', '"a-gzip" , W/"b","c"', '""'];
    using service = new ScriptedService(success, ...tags.map(() => success));
    const { client } = connect(service);

    await make(client);
    for (const ifMatch of tags) await make(client, { ifMatch });

    const sent = service.received.map(({ headers }) => headers.get('If-Match'));
    expect(sent).toEqual([null, ...tags]);
    expect(service.received[0]).toMatchObject({ method, path });
  });

  test('refuses a tag that would not protect the change, and sends nothing', async () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    const tags = [
      '',
      ' ',
      'abc',
      'w/"a"',
      '"a',
      '"a" "b"',
      '"a",',
      '*, "a"',
      '"a\nb"',
      '"é"',
      '"a b"',
    ];
    for (const ifMatch of tags) {
      expect(await rejection(make(client, { ifMatch }))).toBeInstanceOf(TypeError);
    }
    // What `headers.get('ETag')` returns where there is none.
    const missing: ChangeOptions = JSON.parse('{"ifMatch":null}');
    expect(await rejection(make(client, missing))).toBeInstanceOf(TypeError);
    expect(service.received).toHaveLength(0);
  });

  test('is repeated after lost replies, 429, 502, 503 and 504, with the same tag and body', async () => {
    const faults = [
      crash,
      failure(429, 'rate_limited', { 'Retry-After': '2' }),
      reply(502, '<html>Bad gateway</html>'),
      failure(503, 'unavailable', { 'Retry-After': '1' }),
      reply(504, ''),
    ];
    using service = new ScriptedService(...faults, success);
    const { client, waits } = connect(service, { maxRetries: 5, random: () => 0 });

    await make(client, { ifMatch: TAG });

    expect(waits).toEqual([0, 2000, 0, 1000, 0]);
    expect(new Set(service.received.map((each) => each.method))).toEqual(new Set([method]));
    expect(new Set(service.received.map((each) => each.body)).size).toBe(1);
    expect(new Set(service.received.map(({ headers }) => headers.get('If-Match')))).toEqual(
      new Set([TAG]),
    );
  });

  test('is repeated after a timeout', async () => {
    // On a slow machine further replies may be late, too.
    const successes = Array.from({ length: 9 }, () => success);
    using service = new ScriptedService(silence, ...successes);

    await make(connect(service, { timeoutMs: 250, maxRetries: 9 }).client);

    expect(service.received.length).toBeGreaterThan(1);
  });

  test.each([
    [409, 'invalid_transition'],
    [409, 'pet_reserved'],
    [409, 'pet_unavailable'],
    [409, 'added_later'],
    [412, 'precondition_failed'],
    [403, 'not_owner'],
    [400, 'invalid_body'],
    [500, 'internal_error'],
  ])(
    'is not repeated after %d %s, neither at first nor after a lost reply',
    async (status, code) => {
      for (const faults of [[], [crash], [failure(503, 'unavailable')]]) {
        using service = new ScriptedService(...faults, failure(status, code), success);

        const error = await rejection(make(connect(service).client, { ifMatch: TAG }));

        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status, code, isRetry: faults.length > 0 });
        expect(service.received).toHaveLength(faults.length + 1);
      }
    },
  );

  test('tells of a wait that is too long whether an attempt went before', async () => {
    const ban = failure(429, 'api_key_banned', { 'Retry-After': '300' });
    using service = new ScriptedService(ban, crash, ban);
    const { client } = connect(service);

    const first = await rejection(make(client));
    const second = await rejection(make(client));

    expect(first).toBeInstanceOf(RetryLaterError);
    expect(first).toMatchObject({ isRetry: false });
    expect(second).toBeInstanceOf(RetryLaterError);
    expect(second).toMatchObject({ isRetry: true });
  });

  test('has the code precondition_failed for a 412 of a proxy', async () => {
    using service = new ScriptedService(reply(412, '<html>Precondition failed</html>'));

    const error = await rejection(make(connect(service).client, { ifMatch: TAG }));

    expect(isApiError(error, 'precondition_failed')).toBe(true);
  });
});

describe.each(PATCHES)('$name', ({ success, notFound, make }) => {
  test('rejects when a retry finds nothing to change', async () => {
    using service = new ScriptedService(crash, failure(404, notFound), success);

    const error = await rejection(make(connect(service).client));

    expect(error).toMatchObject({ code: notFound, isRetry: true });
    expect(service.received).toHaveLength(2);
  });
});

test('the tag of an animal is in the reply of the calls that return one', async () => {
  const tagged = { ETag: TAG };
  using service = new ScriptedService(
    reply(201, rex, tagged),
    reply(200, rex, tagged),
    reply(200, rex, tagged),
  );
  const { client } = connect(service);

  const replies = [
    await client.createPet({ name: 'Rex', categoryId: 7 }).withResponse(),
    await client.getPet(1).withResponse(),
    await client.updatePet(1, { name: 'Rex' }).withResponse(),
  ];

  expect(replies.map(({ response }) => response.headers.get('ETag'))).toEqual([TAG, TAG, TAG]);
});
