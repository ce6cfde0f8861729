import { describe, expect, test } from 'bun:test';
import {
  COMMITTED,
  type OpenapiDocument,
  objections,
  operationOf,
} from '../../http/openapi-document.ts';
import type { TestService } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { ask, send, startQuickstart } from '../../support/quickstart-scene.ts';

const committed = COMMITTED.quickstart.document;

const ORIGIN = 'https://app.example';
const PATHS = [
  ['/messages', 'POST, OPTIONS'],
  ['/openapi.json', 'GET, HEAD, OPTIONS'],
  ['/openapi.yaml', 'GET, HEAD, OPTIONS'],
] as const;

function remaining(reply: Response): number {
  return Number(reply.headers.get('X-RateLimit-Remaining'));
}

/** A service with a valid key. */
async function start(): Promise<{ service: TestService; key: string } & AsyncDisposable> {
  const service = await startQuickstart();
  const { secret: key } = await service.account();
  return { service, key, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

describe('below the address of the quickstart', () => {
  test.each(['', '/', '/messages/', '/messages/msg_1', '/pets', '/pets/1', '/v1/messages'])(
    '"%s" is nothing that is served: 404, and counts',
    async (path) => {
      await using it = await start();
      const before = await send(it.service, it.key);

      const reply = await ask(it.service, path, { key: it.key });

      expect(remaining(reply)).toBe(remaining(before) - 1);
      expect(await refusalOf(reply)).toStrictEqual({
        status: 404,
        code: 'not_found',
        message: `Nothing is served at this path. The API is described at ${it.service.url('quickstart')}/openapi.json.`,
      });
    },
  );

  test.each(['production', 'staging'] as const)('messages are not sent to %s', async (name) => {
    await using it = await start();
    const { secret } = await it.service.account(undefined, name);
    const request = { key: secret, environment: name, method: 'POST', body: '{}' };

    expect((await it.service.request('/messages', request)).status).toBe(404);
  });

  test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])(
    '/messages does not serve %s: 405 with Allow',
    async (method) => {
      await using it = await start();

      const reply = await ask(it.service, '/messages', { key: it.key, method });

      expect(reply.status).toBe(405);
      expect(reply.headers.get('Allow')).toBe('POST, OPTIONS');
      if (method === 'HEAD') expect(await reply.text()).toBe('');
      else expect(await refusalOf(reply)).toMatchObject({ code: 'method_not_allowed' });
    },
  );

  test.each(PATHS)('OPTIONS of %s tells what it serves: %s', async (path, allow) => {
    await using it = await start();

    const reply = await ask(it.service, path, { key: it.key, method: 'OPTIONS' });

    expect(reply.status).toBe(204);
    expect(reply.headers.get('Allow')).toBe(allow);
  });

  test.each(PATHS)(
    'a CORS preflight of %s needs no key, does not count, allows %s',
    async (path, methods) => {
      await using it = await start();
      const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' };
      const preflight = () => ask(it.service, path, { method: 'OPTIONS', headers });

      const first = await preflight();
      const second = await preflight();

      expect(first.status).toBe(204);
      expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(first.headers.get('Access-Control-Allow-Methods')).toBe(methods);
      expect(first.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
      expect(remaining(second)).toBe(remaining(first));
    },
  );

  test.each([
    ['accepted', { message: 'Hello!' }, 202],
    ['refused', {}, 400],
  ])('a page of any origin may read what is %s, and the limits', async (_, body, status) => {
    await using it = await start();

    const reply = await send(it.service, it.key, body, { Origin: ORIGIN });

    expect(reply.status).toBe(status);
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(reply.headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining');
  });
});

describe('the document', () => {
  test('has the fields of the quickstart, neither more nor fewer', () => {
    const message = { type: 'string', minLength: 1, maxLength: 10_000 };
    const { MessageInput, Message } = committed.components.schemas;
    const fields = (schema: object | undefined) => Object.keys(Object(schema).properties);

    expect(fields(MessageInput)).toEqual(['message']);
    expect(MessageInput).toMatchObject({ required: ['message'], properties: { message } });
    expect(fields(Message)).toEqual(['id', 'message', 'status', 'createdAt']);
    expect(Message).toMatchObject({
      required: ['id', 'message', 'status', 'createdAt'],
      properties: { id: { type: 'string' }, message, createdAt: { format: 'date-time' } },
    });
  });

  test('is served below the quickstart without a key, uncounted, with real addresses', async () => {
    await using service = await startQuickstart();

    const reply = await ask(service, '/openapi.json');
    const again = await ask(service, '/openapi.json');
    const served: OpenapiDocument = await reply.json();

    expect([reply.status, remaining(again)]).toEqual([200, remaining(reply)]);
    expect(served.servers.map(({ url }) => url)).toEqual([service.url('quickstart')]);
    expect(served.components).toEqual(committed.components);
    expect(served.paths).toEqual(committed.paths);
  });

  test('answers HEAD as it does GET', async () => {
    await using service = await startQuickstart();
    const reply = await ask(service, '/openapi.json', { method: 'HEAD' });

    expect([reply.status, await reply.text()]).toEqual([200, '']);
  });

  test('says what every kind of reply looks like', async () => {
    await using it = await start();
    const { service, key } = it;
    const text = { 'Content-Type': 'text/plain' };
    const replies = [
      await send(service, key, { message: 'Hello!' }),
      await send(service, undefined),
      await send(service, 'bad'),
      await send(service, key, '{'),
      await send(service, key, {}),
      await send(service, key, { message: 'Hello!' }, text),
      await send(service, key, 'x'.repeat(65_537)),
    ];
    const { responses } = operationOf('sendMessage');
    expect(replies.map(({ status }) => status)).toEqual([202, 401, 401, 400, 400, 400, 413]);
    for (const reply of replies) {
      const documented = responses[reply.status];
      const { schema = { not: {} }, examples = {} } =
        documented?.content?.['application/json'] ?? {};
      const body: unknown = await reply.json();
      expect(objections(schema, body)).toEqual([]);
      if (reply.status >= 400) expect(Object.keys(examples)).toContain(Object(body).code);
      for (const name of reply.headers.keys()) {
        if (!/ratelimit|^www-/.test(name)) continue;
        const names = Object.keys(documented?.headers ?? {}).map((each) => each.toLowerCase());
        expect(names).toContain(name);
      }
    }
  });
});
