import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { NGINX_CONFIG } from '../../bench/nginx-config.ts';
import { PARTS } from '../../src/config/config.ts';
import { ROUTES } from '../../src/dashboard/api/api.ts';
import { eventually, TestService } from '../support/harness.ts';
import { hasNginx, type NginxProxy, startShippedNginx } from '../support/nginx.ts';
import { type RawReply, rawExchange } from '../support/raw.ts';

const CLOSE = 'Host: localhost\r\nConnection: close\r\n\r\n';
const config = readFileSync(NGINX_CONFIG, 'utf8');

let service: TestService;
let proxy: NginxProxy;

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
  if (hasNginx) proxy = await startShippedNginx([service.port]);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function send(request: string, port = proxy.port): Promise<RawReply> {
  const { replies } = await rawExchange(port, [request]);
  const [reply] = replies;
  if (!reply) throw new Error(`No reply to ${request.slice(0, 80)}`);
  return reply;
}

function ask(line: string, ...headers: string[]): Promise<RawReply> {
  return send(`${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}${CLOSE}`);
}

describe.skipIf(!hasNginx)('the proxy refuses methods that are not served', () => {
  test.each([
    ['FETCH', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/staging/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/v1/store/orders/1', 'GET, HEAD, PATCH, OPTIONS'],
    ['PATCH', '/staging/v1/openapi.json', 'GET, HEAD, OPTIONS'],
    ['TRACE', '/quickstart/messages', 'POST, OPTIONS'],
    ['CONNECT', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['FETCH', '/staging/sandbox/ban', 'PUT, DELETE, OPTIONS'],
    ['FETCH', '/staging/sandbox/simulation', 'PUT, DELETE, OPTIONS'],
    ['DELETE', '/mcp', 'POST'],
    ['PATCH', '/api/keys', 'GET, HEAD, POST, PUT, DELETE'],
    ['PUT', '/api/../v1/pets', 'GET, HEAD, POST, OPTIONS'],
  ])('with the 405 of the API: %s %s', async (method, path, allow) => {
    const reply = await ask(`${method} ${path} HTTP/1.1`, 'X-Request-Id: mine', 'Origin: http://a');
    const message = `This path does not serve ${method}. It serves ${allow}.`;
    expect(JSON.parse(reply.body)).toEqual({ code: 'method_not_allowed', message, status: 405 });
    expect(reply).toMatchObject({
      status: 405,
      headers: {
        allow,
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'mine',
        'access-control-allow-origin': '*',
      },
    });
  });

  test('and passes on those that the dashboard uses', () => {
    const [, methods = ''] = /"~\^\(\?:([A-Z|]+)\) \/api\/" ""/.exec(config) ?? [];
    const passedOn = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', ...methods.split('|')]);
    expect(ROUTES.map(({ method }) => method).filter((method) => !passedOn.has(method))).toEqual(
      [],
    );
  });

  test('and passes on requests with them', async () => {
    // Errors of the dashboard.
    for (const method of ['PUT', 'DELETE']) {
      const { status, headers } = await ask(`${method} /api/keys/x HTTP/1.1`);
      expect([status, headers['content-security-policy']]).toEqual([403, expect.any(String)]);
    }
  });

  test.each(['PST_live_0123456789', 'a0'.repeat(18)])(
    'never names a request by what may be an API key: %s',
    async (id) => {
      const { headers } = await ask('FETCH /v1/pets HTTP/1.1', `X-Request-Id: ${id}`);
      expect(headers['x-request-id']).toMatch(/^[\da-f]{32}$/);
    },
  );
});

describe.skipIf(!hasNginx)("the proxy's own errors are those of the API", () => {
  test.each([
    [400, 'bad_request', 'get /v1/pets HTTP/1.1', []],
    [400, 'bad_request', 'GET v1/pets HTTP/1.1', []],
    [400, 'bad_request', 'GET /v1/pets HTTP/1.1', ['X Y\x01: z']],
    [400, 'bad_request', 'GET /v1/pets HTTP/1.1', ['Host: other']],
    [413, 'body_too_large', 'POST /v1/pets HTTP/1.1', ['Content-Length: 99999999']],
    [414, 'target_too_long', `GET /${'a'.repeat(9_000)} HTTP/1.1`, []],
    [431, 'headers_too_large', 'GET /v1/pets HTTP/1.1', [`X: ${'a'.repeat(9_000)}`]],
    [
      431,
      'headers_too_large',
      'GET /v1/pets HTTP/1.1',
      ['A', 'B', 'C', 'D'].map((name) => `${name}: ${'a'.repeat(4_000)}`),
    ],
    [501, 'not_implemented', 'POST /v1/pets HTTP/1.1', ['Transfer-Encoding: gzip']],
    [505, 'version_not_supported', 'GET /v1/pets HTTP/2.0', []],
  ])('%d %s', async (status, code, line, headers) => {
    const reply = await ask(line, ...headers);
    expect(reply.status).toBe(status);
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\da-f]{32}$/),
    });
    expect(JSON.parse(reply.body)).toEqual({
      code,
      message: expect.stringMatching(/^[A-Z].*\.$/),
      status,
    });
  });

  test('404 for the path that nginx uses for them', async () => {
    const reply = await ask('GET /proxy-error HTTP/1.1');
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      404,
      { code: 'not_found', message: 'Nothing is served here.', status: 404 },
    ]);
  });

  test("but for the 431 of the service's parser, past 196 header lines", async () => {
    // `ask` adds Host and Connection, which nginx does not forward.
    const lines = Array.from({ length: 196 }, (_, index) => `X-${index}: x`);
    const at = await ask('GET /v1/openapi.json HTTP/1.1', ...lines.slice(1));
    const past = await ask('GET /v1/openapi.json HTTP/1.1', ...lines);
    expect([at.status, past.status, past.body]).toEqual([200, 431, '']);
  });

  test('400 where the Host is missing, also in HTTP/1.0', async () => {
    for (const version of ['1.0', '1.1']) {
      const reply = await send(`GET /v1/pets HTTP/${version}\r\nConnection: close\r\n\r\n`);
      expect([reply.status, JSON.parse(reply.body).code]).toEqual([400, 'bad_request']);
    }
  });

  test('has an entry for every error of nginx, among them those of TLS', () => {
    const listed = [...config.matchAll(/error_page ([\d ]+)/g)].flatMap(([, codes = '']) =>
      codes.trim().split(' '),
    );
    for (const code of [400, 405, 413, 414, 494, 495, 496, 497, 501, 502, 504, 505]) {
      expect(listed).toContain(String(code));
    }
  });
});

describe.skipIf(!hasNginx)('a process that closes connections without a reply', () => {
  test('is not taken out of service, nor are the others', async () => {
    using process = closingAt('X-Close: 1');
    await using before = await startShippedNginx([process.port]);
    // A POST is not sent to the next process.
    for (let sent = 0; sent < 9; sent += 1) {
      const { status } = await send(`POST / HTTP/1.1\r\nX-Close: 1\r\n${CLOSE}`, before.port);
      expect(status).toBe(502);
    }
    for (let sent = 0; sent < 9; sent += 1) {
      expect((await send(`GET / HTTP/1.1\r\n${CLOSE}`, before.port)).status).toBe(204);
    }
  });
});

describe.skipIf(!hasNginx)('an address with 100 requests in progress', () => {
  test('gets 429 for more, until one of them ends; others are served', async () => {
    const sockets = Array.from({ length: 100 }, () => connect(proxy.port, '127.0.0.1'));
    const half = 'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1';
    for (const socket of sockets) socket.on('error', () => {}).write(half);
    const list = `GET /v1/openapi.json HTTP/1.1\r\n${CLOSE}`;
    await eventually(async () => (await send(list)).status === 429);

    const refused = await send(list);
    expect(refused.headers).toMatchObject({ 'retry-after': '1' });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(await statusFrom('127.0.0.2', list)).toBe(200);

    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await send(list)).status === 200);
  });

  test('and clients that send slowly are disconnected after 10 s', () => {
    expect(config).toContain('client_header_timeout 10s;');
    expect(config).toContain('client_body_timeout 10s;');
  });
});

/** A process that closes the connection after a request with this line, and otherwise replies with 204. */
function closingAt(line: string) {
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        if (bytes.toString().includes(line)) socket.terminate();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      },
    },
  });
  return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
}

/** The status of the reply to a request from this address of the machine. */
async function statusFrom(localAddress: string, request: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket: Socket = connect({ port: proxy.port, host: '127.0.0.1', localAddress });
  socket.on('error', reject).on('data', (data) => resolve(data.toString('latin1')));
  socket.write(request);
  const reply = await promise;
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1]);
}
