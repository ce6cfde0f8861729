import { describe, expect, test } from 'bun:test';
import {
  ApiError,
  type ChangeOptions,
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
const createdAt = '2026-11-20T12:00:00.000Z';
const order = { id: 1, petId: 1, status: 'approved', createdAt, updatedAt: createdAt };
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
const updateOrder: ChangeCall = {
  name: 'updateOrder',
  method: 'PATCH',
  path: '/v1/store/orders/1',
  success: reply(200, order),
  notFound: 'order_not_found',
  make: (client, options) => client.updateOrder(1, { status: 'approved' }, options),
};
const PATCHES = [updatePet, updateOrder];
const CHANGES = [...PATCHES, deletePet];

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

test('the tag of an animal or order is in the reply of the calls that return one', async () => {
  const tagged = { ETag: TAG };
  using service = new ScriptedService(
    reply(201, rex, tagged),
    reply(200, rex, tagged),
    reply(200, rex, tagged),
    reply(201, order, tagged),
    reply(200, order, tagged),
    reply(200, order, tagged),
  );
  const { client } = connect(service);

  const replies = [
    await client.createPet({ name: 'Rex', categoryId: 7 }).withResponse(),
    await client.getPet(1).withResponse(),
    await client.updatePet(1, { name: 'Rex' }).withResponse(),
    await client.createOrder({ petId: 1 }).withResponse(),
    await client.getOrder(1).withResponse(),
    await client.updateOrder(1, { status: 'approved' }).withResponse(),
  ];

  expect(new Set(replies.map(({ response }) => response.headers.get('ETag')))).toEqual(
    new Set([TAG]),
  );
});
