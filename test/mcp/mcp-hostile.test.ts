import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { TestService } from '../support/harness.ts';
import { INITIALIZE, sendMessage, toolCall } from '../support/mcp.ts';

const lines: string[] = [];
let service: TestService;
let key: string;

beforeAll(async () => {
  const log = createLog('warn', { write: (line) => lines.push(line) });
  service = await TestService.start({ parts: PARTS, log });
  key = (await service.account()).secret;
});
afterAll(() => service[Symbol.asyncDispose]());

type Row = readonly [
  name: string,
  status: number,
  message: Parameters<typeof sendMessage>[2],
  headers?: Readonly<Record<string, string>>,
];

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const MODERN = '2026-07-28';

/** The metadata that a request of the 2026 revision contains. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function modern(method: string, params: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } };
}

function modernHeaders(method: string) {
  return { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method };
}

const UNREADABLE: readonly Row[] = [
  ['nothing', 400, ''],
  ['no JSON', 400, '{'],
  ['text', 400, 'hello'],
  ['invalid UTF-8', 400, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['a member given twice', 400, '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'],
  ['JSON nested 20,000 deep', 400, '['.repeat(20_000)],
  ['a body above the limit', 413, `{"pad":"${'x'.repeat(81 * 1_024)}"}`],
  ['a body of 8 MB', 413, 'x'.repeat(8_000_000)],
  ['text/plain', 400, LIST, { 'Content-Type': 'text/plain' }],
  ['a form', 400, 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['UTF-16', 400, Buffer.from(JSON.stringify(LIST), 'utf16le')],
  ['compressed JSON', 400, LIST, { 'Content-Encoding': 'gzip' }],
  ['a batch of two', 400, JSON.stringify([LIST, LIST])],
  ['a batch of a thousand', 400, JSON.stringify(Array.from({ length: 1_000 }, () => LIST))],
  ['an empty batch', 400, '[]'],
];

const MALFORMED: readonly Row[] = [
  ['null', 400, 'null'],
  ['a number', 400, '1'],
  ['an empty object', 400, '{}'],
  ['another version of JSON-RPC', 400, JSON.stringify({ ...LIST, jsonrpc: '1.0' })],
  ['no method', 400, '{"jsonrpc":"2.0","id":1}'],
  ['a method that is a number', 400, '{"jsonrpc":"2.0","id":1,"method":1}'],
  ['an id that is an object', 400, '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  ['params that are an array', 400, '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'],
  ['__proto__', 400, '{"__proto__":{"jsonrpc":"2.0"},"id":1}'],
  ['an unknown version', 400, LIST, { 'MCP-Protocol-Version': '1999-01-01' }],
  ['two versions', 400, LIST, { 'MCP-Protocol-Version': '2025-06-18, 2025-06-18' }],
  ['a new version without an envelope', 400, LIST, { 'MCP-Protocol-Version': MODERN }],
  ['an envelope without headers', 400, modern('tools/list')],
  ['headers that contradict', 400, modern('tools/list'), modernHeaders('tools/call')],
  ['no Accept that is served', 406, LIST, { Accept: 'text/html' }],
];

const REFUSED: readonly Row[] = [
  ['an unknown method', 200, { ...LIST, method: 'tools/delete' }],
  ['resources, which are not served', 200, { ...LIST, method: 'resources/list' }],
  ['an unknown tool', 200, toolCall('dropTables')],
  ['a tool by an inherited name', 200, toolCall('__proto__')],
  ['no name of a tool', 200, { ...LIST, method: 'tools/call', params: {} }],
  [
    'arguments that are an array',
    200,
    { ...LIST, method: 'tools/call', params: { name: 'listPets', arguments: [] } },
  ],
  ['initialize without params', 200, { ...INITIALIZE, params: {} }],
  ['an unknown method of 2026', 404, modern('nope'), modernHeaders('nope')],
];

const ACCEPTED: readonly Row[] = [
  ['a notification', 202, { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ['an unknown notification', 202, { jsonrpc: '2.0', method: 'notifications/nope' }],
  [
    'a cancellation',
    202,
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  ],
  ['a response to nothing', 202, { jsonrpc: '2.0', id: 7, result: {} }],
  ['an error to nothing', 202, { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'x' } }],
  ['the greatest id', 200, '{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}'],
  [
    'an id of 19 digits as text',
    200,
    '{"jsonrpc":"2.0","id":"9223372036854775807","method":"ping"}',
  ],
  ['any charset', 200, LIST, { 'Content-Type': 'application/json; charset=utf-16' }],
  ['a session id', 200, LIST, { 'Mcp-Session-Id': 'stolen' }],
  [
    'a subscription, which ends at once',
    200,
    modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    modernHeaders('subscriptions/listen'),
  ],
];

/** Arguments to which the API replies with an Error body. */
const ARGUMENTS: ReadonlyArray<readonly [name: string, status: number, message: string | object]> =
  [
    ['a path', 404, toolCall('getPet', { petId: '../../staging/v1/pets' })],
    ['two dots', 404, toolCall('getPet', { petId: '..' })],
    ['nothing', 404, toolCall('getPet', { petId: '' })],
    ['a replacement pattern', 404, toolCall('getPet', { petId: '$&$`' })],
    ['a question mark', 404, toolCall('getPet', { petId: '1?limit=1' })],
    ['an object', 404, toolCall('getPet', { petId: { toString: 1 } })],
    [
      'a lone surrogate',
      404,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"getPet","arguments":{"petId":"\\ud800"}}}',
    ],
    ['a limit in words', 400, toolCall('listPets', { limit: 'all' })],
    ['a limit that is an array', 400, toolCall('listPets', { limit: [1, 2] })],
    ['a status that smuggles a parameter', 400, toolCall('listPets', { status: 'sold&limit=1' })],
    [
      'a header with a line break',
      400,
      toolCall('createPet', { name: 'a', categoryId: '1', idempotencyKey: 'a\r\nX-Evil: 1' }),
    ],
    [
      'a header beyond ASCII',
      400,
      toolCall('createPet', { name: 'a', categoryId: '1', idempotencyKey: '🐕' }),
    ],
    ['no fields', 400, toolCall('createPet')],
    [
      'a category out of range',
      400,
      toolCall('createPet', { name: 'a', categoryId: '9223372036854775808' }),
    ],
    ['a category that is code', 400, toolCall('createPet', { name: 'a', categoryId: '1}' })],
    [
      'a name that is too long',
      400,
      toolCall('createPet', { name: 'a'.repeat(256), categoryId: '1' }),
    ],
    ['a message above 64 KiB', 413, toolCall('sendMessage', { message: 'x'.repeat(66 * 1_024) })],
  ];

for (const [kind, rows] of Object.entries({ UNREADABLE, MALFORMED, REFUSED })) {
  describe(`${kind.toLowerCase()} messages get an error of JSON-RPC:`, () => {
    for (const [name, status, message, headers] of rows) {
      test(`${name} (${status})`, async () => {
        const reply = await sendMessage(service, key, message, headers);
        expect(reply.status).toBe(status);
        expect(await reply.json()).toMatchObject({
          jsonrpc: '2.0',
          error: { code: expect.any(Number), message: expect.any(String) },
        });
      });
    }
  });
}

describe('harmless messages are accepted:', () => {
  for (const [name, status, message, headers] of ACCEPTED) {
    test(`${name} (${status})`, async () => {
      const reply = await sendMessage(service, key, message, headers);
      expect([reply.status, /"error":\{"code":-/.test(await reply.text())]).toEqual([
        status,
        false,
      ]);
    });
  }
});

test.each([...ARGUMENTS])(
  'the API refuses arguments with %s (%i)',
  async (_name, status, message) => {
    const body = typeof message === 'string' ? message : JSON.stringify(message);
    const reply = await sendMessage(service, key, body);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({
      result: {
        isError: true,
        structuredContent: {
          error: { code: expect.any(String), message: expect.any(String), status },
          rateLimit: { remaining: expect.any(Number) },
        },
      },
    });
  },
);

test.each([
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993.0',
  '99999999999999999999',
  '1e400',
  '1.5',
])('an id that programs may round is refused in words: %s', async (id) => {
  const reply = await sendMessage(service, key, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    id: null,
    error: {
      code: -32600,
      message: expect.stringContaining('within 2^53 - 1, or text'),
      data: { code: 'invalid_body', status: 400 },
    },
  });
});

describe.each([
  [
    'the revisions before 2026',
    (params: object) => ({ ...LIST, method: 'tools/call', params }),
    {},
  ],
  [
    'the revision of 2026',
    (params: object) => modern('tools/call', { ...params }),
    { ...modernHeaders('tools/call'), 'Mcp-Name': 'listPets' },
  ],
] as const)('a call of a wrong shape is refused in words, in %s:', (_name, message, headers) => {
  test.each([
    ['arguments that are null', { name: 'listPets', arguments: null }, '"arguments" as an object'],
    ['an array of arguments', { name: 'listPets', arguments: [1] }, '"arguments" as an object'],
    ['arguments as text', { name: 'listPets', arguments: '{}' }, '"arguments" as an object'],
    ['an argument alone', { name: 'listPets', arguments: 7 }, '"arguments" as an object'],
  ])('%s', async (_row, params, words) => {
    const reply = await sendMessage(service, key, message(params), headers);
    const { id, error } = await reply.json();
    expect([id, error.code, error.message]).toEqual([1, -32602, expect.stringContaining(words)]);
    expect(error.message).not.toContain('\n');
  });
});

test.each([{}, { name: 7 }])(
  'a call without the name of a tool is refused in words: %j',
  async (params) => {
    const reply = await sendMessage(service, key, { ...LIST, method: 'tools/call', params });
    const message = 'Send the name of a tool as text in "name". tools/list has the names.';
    expect(await reply.json()).toMatchObject({ id: 1, error: { code: -32602, message } });
  },
);

test('an unreadable message gets the Error body of the API as well', async () => {
  const reply = await sendMessage(service, key, '{');
  const message = 'The body is not valid JSON: it breaks off at line 1, column 2. Send all of it.';
  expect(await reply.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32700, message, data: { code: 'invalid_json', message, status: 400 } },
  });
});

test('all of it at once leaves the service as it was, with nothing in its log', async () => {
  const rows = [...UNREADABLE, ...MALFORMED, ...REFUSED, ...ACCEPTED];
  const replies = await Promise.all(
    [...rows, ...rows].map(([, , message, headers]) => sendMessage(service, key, message, headers)),
  );
  expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
  await Promise.all(replies.map((reply) => reply.bytes()));
  expect((await sendMessage(service, key, INITIALIZE)).status).toBe(200);
  expect(await (await service.request('/pets', { key })).json()).toEqual([]);
  expect(lines).toEqual([]);
});
