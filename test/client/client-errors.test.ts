import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  ApiError,
  InvalidReplyError,
  isApiError,
  NetworkError,
  PetstoreClient,
  PetstoreError,
  RetryLaterError,
} from '../../client/src/index.ts';
import { crash, failure, reply, ScriptedService } from '../../client/testing/scripted-service.ts';
import { CANARY_KEY, connect, rejection, START } from '../../client/testing/test-client.ts';
import { ERRORS } from '../../src/core/errors.ts';

const quota = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1795176042',
};
const windows = {
  'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  RateLimit: '"minute";r=59;t=42, "day";r=993;t=5120',
};

describe('errors', () => {
  test('an error of the service tells its code, message, status and headers', async () => {
    const headers = { ...quota, 'X-Trace': 'abc' };
    using service = new ScriptedService(failure(404, 'pet_not_found', headers));
    const { client } = connect(service);

    const error = await rejection(client.getPet(1));

    if (!(error instanceof ApiError)) throw error;
    expect(error).toBeInstanceOf(PetstoreError);
    expect(error.name).toBe('ApiError');
    expect(error.code).toBe('pet_not_found');
    expect(error.message).toBe('This is pet_not_found.');
    expect(error.status).toBe(404);
    expect(error.headers.get('X-Trace')).toBe('abc');
    expect(error.rateLimit?.remaining).toBe(59);
    expect(error.retryAfterMs).toBeUndefined();
  });

  test('isApiError narrows by any of the codes that it is given', async () => {
    using service = new ScriptedService(failure(404, 'pet_not_found'));
    const { client } = connect(service);

    const error = await rejection(client.getPet(1));

    expect(isApiError(error)).toBe(true);
    expect(isApiError(error, 'pet_not_found')).toBe(true);
    expect(isApiError(error, 'not_found', 'pet_not_found')).toBe(true);
    expect(isApiError(error, 'not_found')).toBe(false);
    expect(isApiError(new Error('pet_not_found'), 'pet_not_found')).toBe(false);
  });

  test('a code that this version does not know is passed on', async () => {
    using service = new ScriptedService(failure(402, 'payment_required'));
    const { client } = connect(service);

    expect(isApiError(await rejection(client.listPets()), 'payment_required')).toBe(true);
  });

  test.each([
    [401, '', 'invalid_api_key'],
    [403, '<html>Forbidden</html>', 'http_403'],
    [404, 'null', 'not_found'],
    [413, '<html>Too large</html>', 'body_too_large'],
    [429, '<html>Slow down</html>', 'rate_limited'],
    [500, '{"code":500,"message":"oops"}', 'internal_error'],
    [502, '<html>Bad gateway</html>', 'unavailable'],
    [503, '{"status"', 'unavailable'],
  ])('%d from a proxy, with the body %p, has the code %p', async (status, body, code) => {
    using service = new ScriptedService(reply(status, body));
    const { client } = connect(service, { maxRetries: 0 });

    const error = await rejection(client.listPets());

    expect(isApiError(error, code)).toBe(true);
    expect(error).toHaveProperty('status', status);
  });

  test('a redirect is an error: the request goes nowhere else', async () => {
    using service = new ScriptedService(reply(301, '', { Location: '/v1/elsewhere' }));
    const { client } = connect(service);

    expect(await rejection(client.listPets())).toHaveProperty('status', 301);
    expect(service.received).toHaveLength(1);
  });

  test('a network error tells the request, and what the runtime said as its cause', async () => {
    using service = new ScriptedService(crash);
    const { client } = connect(service, { maxRetries: 0 });

    const error = await rejection(client.listPets({ limit: 1 }));

    if (!(error instanceof NetworkError)) throw error;
    expect(error.message).toContain(`GET ${service.baseUrl}/pets?limit=1`);
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each([
    ['no JSON', '<html>Welcome</html>'],
    ['cut off', '[{"id":1'],
    ['an object instead of a list', '{"pets":[]}'],
    ['a list of something else', '[1]'],
    ['an animal without a name', '[{"id":1,"categoryId":1,"status":"sold"}]'],
    ['an animal of no known status', '[{"id":1,"name":"x","categoryId":1,"status":"lost"}]'],
  ])('a successful reply that is %s is an InvalidReplyError', async (_, body) => {
    using service = new ScriptedService(reply(200, body));
    const { client } = connect(service);

    expect(await rejection(client.listPets())).toBeInstanceOf(InvalidReplyError);
    expect(service.received).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  test('is unknown before the first reply, then as in the last reply', async () => {
    using service = new ScriptedService(
      reply(200, [], quota),
      failure(404, 'pet_not_found', { ...quota, 'X-RateLimit-Remaining': '58' }),
      reply(200, []),
    );
    const { client } = connect(service);

    expect(client.rateLimit).toBeUndefined();
    await client.listPets();
    expect(client.rateLimit).toEqual({
      limit: 60,
      remaining: 59,
      resetAt: new Date(1_795_176_042_000),
      windows: [],
    });
    await rejection(client.getPet(1));
    expect(client.rateLimit?.remaining).toBe(58);
    await client.listPets();
    expect(client.rateLimit?.remaining).toBe(58);
  });

  test('tells every window when the service does', async () => {
    using service = new ScriptedService(reply(200, [], { ...quota, ...windows }));
    const { client } = connect(service);

    await client.listPets();

    expect(client.rateLimit?.windows).toEqual([
      {
        name: 'minute',
        limit: 60,
        windowMs: 60_000,
        remaining: 59,
        resetAt: new Date(START.getTime() + 42_000),
      },
      {
        name: 'day',
        limit: 1000,
        windowMs: 86_400_000,
        remaining: 993,
        resetAt: new Date(START.getTime() + 5_120_000),
      },
    ]);
  });

  test('leaves out what it cannot read', async () => {
    const odd = { ...quota, 'RateLimit-Policy': '"a";q=1;w=60, "b";q=x;w=1', RateLimit: '"b";r=1' };
    using service = new ScriptedService(
      reply(200, [], { ...quota, 'X-RateLimit-Limit': 'many' }),
      reply(200, [], odd),
    );
    const { client } = connect(service);

    await client.listPets();
    expect(client.rateLimit).toBeUndefined();
    await client.listPets();
    expect(client.rateLimit?.windows).toEqual([]);
  });
});

describe('the API key', () => {
  test('shows in no rendering of the client', () => {
    using service = new ScriptedService();
    const { client } = connect(service);

    const renderings = [
      Bun.inspect(client),
      Bun.inspect({ client }, { depth: 10 }),
      JSON.stringify(client),
      String(client),
      JSON.stringify(Object.getOwnPropertyDescriptors(client)),
    ];

    expect(renderings.join('\n')).not.toContain(CANARY_KEY);
  });

  test('shows in no error', async () => {
    const late = { 'Retry-After': '3600' };
    using service = new ScriptedService(
      failure(401, 'invalid_api_key'),
      failure(429, 'api_key_banned', late),
      crash,
      reply(200, 'nonsense'),
      () => new Promise(() => {}),
    );
    const { client } = connect(service, { maxRetries: 0, timeoutMs: 200 });

    for (let call = 0; call < 5; call += 1) {
      const error = await rejection(client.listPets());
      if (!(error instanceof PetstoreError)) throw error;
      const rendering = Bun.inspect(error, { depth: 10 });
      expect(rendering).toContain(error.name);
      expect(`${rendering}${error.stack}${JSON.stringify(error)}`).not.toContain(CANARY_KEY);
    }
  });

  test('is refused without being shown when no header can carry it', () => {
    for (const apiKey of ['', 'pst_live_canary\n', 'pst_live_canary é', 'a pst_live_canary']) {
      const connectWithKey = () => new PetstoreClient({ apiKey });
      expect(connectWithKey).toThrow(TypeError);
      expect(connectWithKey).not.toThrow(/canary/);
    }
  });
});

describe('options', () => {
  const apiKey = CANARY_KEY;

  test('an address must be an absolute http(s) URL of host and path', () => {
    for (const baseUrl of [
      '/v1',
      'ftp://host/v1',
      'http://a:b@host/v1',
      'http://host/v1?x=1',
      '',
    ]) {
      expect(() => new PetstoreClient({ apiKey, baseUrl })).toThrow(TypeError);
      expect(() => new PetstoreClient({ apiKey, quickstartBaseUrl: baseUrl })).toThrow(TypeError);
    }
  });

  test('numbers must be in range', () => {
    for (const value of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new PetstoreClient({ apiKey, timeoutMs: value })).toThrow(RangeError);
      expect(() => new PetstoreClient({ apiKey, maxRetries: value })).toThrow(RangeError);
      expect(() => new PetstoreClient({ apiKey, maxRetryWaitMs: value })).toThrow(RangeError);
    }
  });

  test('the fetch function that is given is the one in use, called without a receiver', async () => {
    let receiver: unknown = 'none yet';
    async function ownFetch(this: unknown): Promise<Response> {
      receiver = this;
      return Response.json([]);
    }
    const client = new PetstoreClient({ apiKey, fetch: ownFetch });

    expect((await client.listPets()).pets).toEqual([]);
    expect(receiver).toBeUndefined();
  });

  test('RetryLaterError is an ApiError by name and by nature', () => {
    const cause = new ApiError({
      code: 'rate_limited',
      message: 'Slow down.',
      status: 429,
      headers: new Headers(),
      rateLimit: undefined,
      retryAfterMs: 1000,
    });
    const error = new RetryLaterError(cause, START);

    expect(String(error)).toBe('RetryLaterError: Slow down.');
    expect(isApiError(error, 'rate_limited')).toBe(true);
  });
});

test('the types of the client name every error code of the service', async () => {
  const source = await Bun.file(join(import.meta.dir, '../../client/src/errors.ts')).text();
  const [, union = ''] = /type KnownErrorCode =([^;]*);/.exec(source) ?? [];
  const named = Array.from(union.matchAll(/'(\w+)'/g), ([, code]) => code);
  expect(named.sort()).toEqual(Object.keys(ERRORS).sort());
});
