import { describe, expect, test } from 'bun:test';
import {
  ApiError,
  InvalidReplyError,
  PetstoreClient,
  type PetstoreClientOptions,
  type Retry,
} from '../../client/src/index.ts';
import { failure, reply, ScriptedService } from '../../client/testing/scripted-service.ts';
import { connect, rejection } from '../../client/testing/test-client.ts';

const PET = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('the raw reply of a call', () => {
  test('has status, headers and body, beside the result', async () => {
    using service = new ScriptedService(reply(201, PET, { 'X-Request-Id': 'req-1' }));
    const { client } = connect(service);

    const { data, response } = await client
      .createPet({ name: 'Rex', categoryId: 7 })
      .withResponse();

    expect(data.name).toBe('Rex');
    expect([response.status, response.headers.get('X-Request-Id')]).toEqual([201, 'req-1']);
    expect(response.headers.get('Content-Length')).toBeNull();
    expect(await response.json()).toEqual(PET);
  });

  test('is rejected like the call, once', async () => {
    using service = new ScriptedService(failure(404, 'pet_not_found'));
    const { client } = connect(service);

    const error = await rejection(client.getPet(1).withResponse());

    expect(error).toMatchObject({ status: 404, code: 'pet_not_found' });
    expect(service.received).toHaveLength(1);
  });

  test('leaves the call a promise like any other', async () => {
    using service = new ScriptedService(reply(200, []), reply(200, [PET]));
    const { client } = connect(service);
    let isOver = false;

    const lengths = await Promise.all(
      [client.listPets(), client.listPets().finally(() => (isOver = true))].map((call) =>
        call.then(({ pets }) => pets.length),
      ),
    );

    expect(lengths.toSorted()).toEqual([0, 1]);
    expect(isOver).toBe(true);
  });
});

describe('the request id', () => {
  test('of an error reply is on the error', async () => {
    using service = new ScriptedService(failure(404, 'pet_not_found', { 'X-Request-Id': 'req-7' }));
    const { client } = connect(service);

    const error = await rejection(client.getPet(1));

    expect(error instanceof ApiError && error.requestId).toBe('req-7');
  });

  test('of a reply that breaks the contract is on the error', async () => {
    using service = new ScriptedService(reply(200, '{', { 'X-Request-Id': 'req-8' }));
    const { client } = connect(service);

    const error = await rejection(client.getPet(1));

    expect(error instanceof InvalidReplyError && error.requestId).toBe('req-8');
  });
});

describe('retries', () => {
  test('are limited for one call', async () => {
    using service = new ScriptedService(failure(503, 'unavailable'), reply(200, []));
    const { client } = connect(service);

    const error = await rejection(client.listPets({}, { maxRetries: 0 }));

    expect(error).toMatchObject({ code: 'unavailable' });
    expect((await client.listPets()).pets).toEqual([]);
  });

  test('are reported before their wait, with cause and length', async () => {
    const refused = failure(429, 'rate_limited', { 'Retry-After': '60' });
    using service = new ScriptedService(failure(503, 'unavailable'), refused, reply(200, []));
    const retries: Retry[] = [];
    const { client, waits } = connect(service, {
      maxRetryWaitMs: 70_000,
      onRetry: (retry) => retries.push(retry),
    });

    await client.listPets();

    expect(retries).toMatchObject([
      { method: 'GET', retry: 1, maxRetries: 3, error: { code: 'unavailable' } },
      { url: `${service.baseUrl}/pets`, retry: 2, error: { code: 'rate_limited' } },
    ]);
    expect(retries.map(({ delayMs }) => delayMs)).toEqual([...waits]);
    expect(waits[1]).toBeGreaterThanOrEqual(60_000);
  });

  test('are reported to the hook of the call, in place of the one of the client', async () => {
    using service = new ScriptedService(failure(503, 'unavailable'), reply(200, []));
    const reports: string[] = [];
    const { client } = connect(service, { onRetry: () => reports.push('client') });

    await client.listPets({}, { onRetry: () => reports.push('call') });

    expect(reports).toEqual(['call']);
  });

  test('end when the hook throws', async () => {
    using service = new ScriptedService(failure(503, 'unavailable'));
    const { client } = connect(service);
    const enough = new Error('Enough.');
    const onRetry = () => {
      throw enough;
    };

    expect(await rejection(client.listPets({}, { onRetry }))).toBe(enough);
  });

  test('end when the hook rejects', async () => {
    using service = new ScriptedService(failure(503, 'unavailable'));
    const { client } = connect(service);
    const enough = new Error('Enough.');

    const error = await rejection(client.listPets({}, { onRetry: () => Promise.reject(enough) }));

    expect(error).toBe(enough);
  });
});

describe('headers', () => {
  test('of the client and of the call are sent, those of the call first', async () => {
    using service = new ScriptedService(reply(200, []), reply(200, []));
    const { client } = connect(service, { headers: { 'X-Team': 'zoo', 'X-Shift': 'day' } });

    await client.listPets({}, { headers: { 'x-shift': 'night', 'user-agent': 'zoo/2' } });
    await client.listPets();

    const sent = service.received.map(({ headers }) =>
      ['X-Team', 'X-Shift', 'User-Agent'].map((name) => headers.get(name)),
    );
    expect(sent).toEqual([
      ['zoo', 'night', 'zoo/2'],
      ['zoo', 'day', 'petstore-client/1.0.0'],
    ]);
  });

  test.each(['Authorization', 'accept', 'Content-Type', 'idempotency-key'])(
    'that the client sets are refused: %s',
    async (name) => {
      using service = new ScriptedService();
      const { client } = connect(service);
      const headers = { [name]: 'secret-value' };

      const error = await rejection(client.listPets({}, { headers }));

      expect(String(error)).toBe(
        `TypeError: headers must not hold ${name.toLowerCase()}: the client sets it`,
      );
      expect(() => new PetstoreClient({ apiKey: 'key', headers })).toThrow(TypeError);
      expect(service.received).toEqual([]);
    },
  );
});

describe('the API key', () => {
  const VARIABLE = 'PETSTORE_KEY';

  test('is read from the environment when none is given', async () => {
    using service = new ScriptedService(reply(200, []), reply(200, []));
    const { baseUrl } = service;
    const send = (options: PetstoreClientOptions) =>
      new PetstoreClient({ baseUrl, ...options }).listPets();
    process.env[VARIABLE] = 'pst_live_environment';
    try {
      await send({});
      await send({ apiKey: 'pst_live_given' });
    } finally {
      delete process.env[VARIABLE];
    }

    expect(service.received.map(({ headers }) => headers.get('Authorization'))).toEqual([
      'Bearer pst_live_environment',
      'Bearer pst_live_given',
    ]);
    for (const options of [{}, { apiKey: '' }]) {
      expect(() => new PetstoreClient(options)).toThrow('Set apiKey, or the environment variable');
    }
  });
});
