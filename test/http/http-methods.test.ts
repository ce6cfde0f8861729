import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';

const ORIGIN = 'https://app.example';

const PATHS = [
  ['/pets', 'GET, HEAD, POST, OPTIONS'],
  ['/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/openapi.yaml', 'GET, HEAD, OPTIONS'],
] as const;

const COMPLETE = 'Add the method of the new operation to PATHS in this test.';

function remaining(reply: Response): number {
  return Number(reply.headers.get('X-RateLimit-Remaining'));
}

/** Sends one raw request, so that the reply contains everything that a client would hide. */
async function raw(
  service: TestService,
  method: string,
  path: string,
  key?: string,
): Promise<{ reply: RawReply; text: string }> {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  const { replies, text } = await rawExchange(service.port, [
    `${method} /v1${path} HTTP/1.1\r\nHost: localhost:${service.port}\r\n`,
    `Connection: close\r\n${authorization}\r\n`,
  ]);
  const [reply] = replies;
  if (!reply) throw new Error(`No reply to ${method} ${path}`);
  return { reply, text };
}

/** The headers without those that differ between any two replies. */
function lasting(headers: RawReply['headers']): Record<string, string> {
  const { date, ratelimit, ...rest } = headers;
  const { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset, ...others } = rest;
  const { 'x-request-id': id, ...same } = others;
  return same;
}

function preflight(service: TestService, path: string): Promise<Response> {
  const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' };
  return service.request(path, { method: 'OPTIONS', headers });
}

/** Replies of every kind to a page of another origin. */
async function repliesTo(service: TestService, origin: string): Promise<Response[]> {
  const { secret } = await service.account();
  const limited = await service.account(subscribe('enterprise', { perMinute: 1, perDay: 10 }));
  const headers = { Origin: origin };
  const get = (path: string, key?: string) =>
    service.request(path, { headers, ...(key !== undefined && { key }) });
  const pet = { name: 'Rex', categoryId: 7 };
  const twice = { ...headers, 'Idempotency-Key': 'once' };
  return [
    await service.post(secret, pet, twice),
    await service.post(secret, pet, twice),
    await service.post(secret, pet, headers),
    await get('/pets?limit=1', secret),
    await get('/pets/1', secret),
    await get('/openapi.json'),
    await get('/pets'),
    await get('/pets', 'bad'),
    await get('/pets?limit=0', secret),
    await get('/nothing', secret),
    await service.post(secret, 'x'.repeat(70_000), headers),
    await service.request('/pets', { key: secret, method: 'DELETE', headers }),
    await service.request('/pets', { key: secret, method: 'HEAD', headers }),
    await get('/pets', limited.secret),
    await get('/pets', limited.secret),
    await preflight(service, '/pets'),
    await fetch(`http://localhost:${service.port}/elsewhere`, { headers }),
  ];
}

describe('HEAD', () => {
  test.each(['/pets', '/pets?limit=1', '/pets/1', '/pets/99', '/openapi.json', '/nothing'])(
    'answers as GET does, without the body: %s',
    async (path) => {
      await using service = await TestService.start();
      const { secret } = await service.account();
      const client = service.client(secret);
      await client.createPet({ name: 'Rex', categoryId: 7 });
      await client.createPet({ name: 'Tom', categoryId: 7 });

      const get = await raw(service, 'GET', path, secret);
      const head = await raw(service, 'HEAD', path, secret);

      expect(head.reply.status).toBe(get.reply.status);
      expect(lasting(head.reply.headers)).toEqual(lasting(get.reply.headers));
      expect(head.text).toEndWith('\r\n\r\n');
      expect(Number(head.reply.headers['content-length'])).toBeGreaterThan(0);
    },
  );

  test('counts, and needs a key', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const first = await service.request('/pets', { key: secret, method: 'HEAD' });
    const second = await service.request('/pets', { key: secret, method: 'HEAD' });
    const without = await service.request('/pets', { method: 'HEAD' });

    expect(remaining(second)).toBe(remaining(first) - 1);
    expect(without.status).toBe(401);
    expect(without.headers.get('WWW-Authenticate')).toBe('Bearer realm="petstore"');
  });
});

describe('OPTIONS', () => {
  test.each(PATHS)('of %s tells what it serves: %s', async (path, allow) => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.request(path, { key: secret, method: 'OPTIONS' });

    expect(reply.status).toBe(204);
    expect(reply.headers.get('Allow'), COMPLETE).toBe(allow);
    expect(await reply.text()).toBe('');
  });

  test.each([
    ['Origin alone', { Origin: ORIGIN }],
    ['the method alone', { 'Access-Control-Request-Method': 'GET' }],
  ])('that is no preflight needs a key and counts: with %s', async (_, headers) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const options = { method: 'OPTIONS', headers };

    const without = await service.request('/pets', options);
    const first = await service.request('/pets', { ...options, key: secret });
    const second = await service.request('/pets', { ...options, key: secret });

    expect(without.status).toBe(401);
    expect(remaining(second)).toBe(remaining(first) - 1);
  });

  test('of an unknown path is 404', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.request('/nothing', { key: secret, method: 'OPTIONS' });

    expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('a method that a path does not serve', () => {
  test.each([
    ...['PUT', 'PATCH', 'DELETE'].map((method) => [method, '/pets', PATHS[0][1]] as const),
    ...['POST', 'PUT'].map((method) => [method, '/pets/1', PATHS[1][1]] as const),
    ...['POST', 'DELETE'].map((method) => [method, '/openapi.json', PATHS[2][1]] as const),
  ])('gets 405 with Allow, and counts: %s %s', async (method, path, allow) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const before = await service.request('/pets', { key: secret });

    const reply = await service.request(path, { key: secret, method });

    expect(reply.headers.get('Allow'), COMPLETE).toBe(allow);
    expect(remaining(reply)).toBe(remaining(before) - 1);
    expect(await refusalOf(reply)).toStrictEqual({
      status: 405,
      code: 'method_not_allowed',
      message: `This path does not serve ${method}. It serves ${allow}.`,
    });
  });

  test.each(['TRACE', 'CONNECT', 'PROPFIND', 'QUERY'])(
    'gets 405 also where the runtime would treat it apart: %s',
    async (method) => {
      await using service = await TestService.start();
      const { secret } = await service.account();

      const { reply } = await raw(service, method, '/pets', secret);

      expect(reply.status).toBe(405);
      expect(reply.headers['allow']).toBe(PATHS[0][1]);
      expect(JSON.parse(reply.body)).toMatchObject({ code: 'method_not_allowed', status: 405 });
    },
  );

  test('gets 404 on a path that serves nothing', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.request('/nothing', { key: secret, method: 'DELETE' });

    expect(reply.headers.has('Allow')).toBeFalse();
    expect(await refusalOf(reply)).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('a CORS preflight', () => {
  test.each([...PATHS, ['/nothing', 'OPTIONS'] as const])(
    'of %s needs no key and allows %s',
    async (path, methods) => {
      await using service = await TestService.start();

      const reply = await preflight(service, path);

      expect(reply.status).toBe(204);
      expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(reply.headers.get('Access-Control-Allow-Methods')).toBe(methods);
      expect(reply.headers.get('Access-Control-Allow-Headers')).toBe(
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Match, X-Request-Id, traceparent, tracestate',
      );
      expect(reply.headers.get('Access-Control-Max-Age')).toBe('86400');
      expect(reply.headers.has('Access-Control-Allow-Credentials')).toBeFalse();
    },
  );

  test('does not count, and is answered past the limit', async () => {
    await using service = await TestService.start({
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '1' },
    });

    expect(remaining(await preflight(service, '/pets'))).toBe(1);
    expect((await service.request('/pets')).status).toBe(401);
    expect((await service.request('/pets')).status).toBe(429);
    expect((await preflight(service, '/pets')).status).toBe(204);
  });

  test('is answered outside of every base address, too, and does not count there', async () => {
    await using service = await TestService.start();
    const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' };
    const ask = () =>
      fetch(`http://localhost:${service.port}/elsewhere`, { method: 'OPTIONS', headers });

    expect(remaining(await ask())).toBe(remaining(await ask()));
  });
});

describe('CORS', () => {
  test.each([ORIGIN, 'null', 'http://localhost:5173'])(
    'lets any origin read every reply, without credentials: %s',
    async (origin) => {
      await using service = await TestService.start();

      const all = await repliesTo(service, origin);

      expect(new Set(all.map(({ status }) => status))).toEqual(
        new Set([200, 201, 204, 400, 401, 404, 405, 413, 429]),
      );
      for (const { headers } of all) {
        expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
        expect(headers.has('Access-Control-Allow-Credentials')).toBeFalse();
      }
    },
  );

  test('exposes every header that a page could not read otherwise', async () => {
    await using service = await TestService.start();
    // The safelist of the Fetch standard, and headers that only browsers and caches use.
    const readable = /^(access-control-.*|cache-control|content-(encoding|length|type)|date|vary)$/;
    const ours = new Set<string>();

    for (const { headers } of await repliesTo(service, ORIGIN)) {
      const exposed = (headers.get('Access-Control-Expose-Headers') ?? '')
        .toLowerCase()
        .split(', ');
      for (const name of headers.keys()) {
        if (readable.test(name) || name === 'x-content-type-options') continue;
        expect(exposed).toContain(name);
        ours.add(name);
      }
    }
    expect([...ours].sort()).toEqual([
      ...[
        'allow',
        'deprecation',
        'etag',
        'idempotent-replayed',
        'link',
        'location',
        'ratelimit',
        'ratelimit-policy',
      ],
      ...['retry-after', 'sunset', 'www-authenticate'],
      ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'],
    ]);
  });

  test('adds no CORS header to same-origin requests', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    for (const key of [secret, 'bad']) {
      const { headers } = await service.request('/pets', { key });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});
