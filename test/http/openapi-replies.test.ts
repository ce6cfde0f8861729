import { describe, expect, test } from 'bun:test';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { ERROR_CODES } from '../../src/api/error-catalogue.ts';
import type { OperationId } from '../../src/api/operations.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { orderScene } from '../api/orders/order-scene.ts';
import { TestService } from '../support/harness.ts';
import { PROVOCATIONS, provoke } from './error-scenes.ts';
import {
  committed,
  DOCUMENTS,
  headersOf,
  objections,
  operationOf,
  type WithSchema,
} from './openapi-document.ts';

/** General headers of HTTP, which the OpenAPI documents do not describe. */
const OF_HTTP = ['content-encoding', 'content-length', 'content-type', 'date'];

/** The parts of a real reply of an operation that the document does not describe. */
async function undocumented(id: OperationId, reply: Response): Promise<string[]> {
  const documented = operationOf(id).responses[reply.status];
  if (!documented) return [`status ${reply.status}`];
  const headers = headersOf(documented);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const unsaid = [...reply.headers.keys()].filter(
    (name) => !names.includes(name) && !OF_HTTP.includes(name) && !isSaidOfAll(name),
  );
  const { schema } = documented.content?.['application/json'] ?? {};
  const values = Object.entries(headers).flatMap(([name, header]) =>
    headerObjections(header, reply.headers.get(name)),
  );
  const text = await reply.text();
  if (!schema) return [...unsaid, ...values, ...(text === '' ? [] : [`a body: ${text}`])];
  return [...unsaid, ...values, ...objections(schema, JSON.parse(text))];
}

/** Whether the document's introduction describes the header, for every reply. */
function isSaidOfAll(name: string): boolean {
  return committed.info.description.toLowerCase().includes(`\`${name}: `);
}

function headerObjections({ schema, required }: WithSchema, value: string | null): string[] {
  if (value === null) return required ? ['a required header is missing'] : [];
  const isInteger = 'type' in schema && schema.type === 'integer';
  return objections(schema, isInteger ? Number(value) : value);
}

const ORDERS: readonly string[] = ['listOrders', 'createOrder', 'getOrder', 'updateOrder'];
const WITH_ENTITY_TAG: readonly string[] = [
  ...['listPets', 'createPet', 'getPet', 'updatePet'],
  ...ORDERS,
];
const UNSTABLE: readonly string[] = ['updatePet', 'deletePet', ...ORDERS];

/** The headers that every reply of an operation with this status has. */
function lastingHeaders(id: OperationId, status: string): string[] {
  const hasEntityTag = WITH_ENTITY_TAG.includes(id) && ['200', '201', '304'].includes(status);
  // Of the conflicts, only one in flight is over after a wait.
  const waits = id === 'createPet' ? ['409', '429', '503'] : ['429', '503'];
  return [
    ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
    ...['RateLimit-Policy', 'RateLimit', 'X-Request-Id'],
    ...(status === '401' ? ['WWW-Authenticate'] : []),
    ...(waits.includes(status) ? ['Retry-After'] : []),
    ...(status === '201' ? ['Location'] : []),
    ...(hasEntityTag ? ['ETag'] : []),
    ...(UNSTABLE.includes(id) ? ['Petstore-Stability'] : []),
    ...(id === 'getPet' ? ['Deprecation', 'Sunset', 'Link'] : []),
  ];
}

describe('what is documented is what happens', () => {
  test.each(ERROR_CODES)('%s, when it is provoked', async (code) => {
    const { operation } = PROVOCATIONS[code];
    if (!operation) {
      expect(committed.info.description).toContain(`${ERRORS[code].status} \`${code}\``);
      return;
    }
    const reply = await provoke(code);
    const documented =
      operationOf(operation).responses[reply.status]?.content?.['application/json'];

    const body: unknown = await reply.clone().json();
    // The only difference between a service and the committed document is the address.
    const text = JSON.stringify(body).replaceAll(
      /http:\/\/localhost:\d+/g,
      'http://localhost:3000',
    );
    expect(JSON.parse(text)).toEqual(documented?.examples?.[code]?.value);
    expect(await undocumented(operation, reply)).toEqual([]);
  });

  test.each(OPERATION_IDS)('%s documents what any operation may answer with', (id) => {
    const { responses } = operationOf(id);
    const codes = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    );

    expect(codes).toEqual(
      expect.arrayContaining([
        ...['missing_api_key', 'invalid_api_key', 'rate_limited', 'api_key_banned'],
        ...['internal_error', 'unavailable'],
      ]),
    );
  });

  test('a bad Idempotency-Key', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const reply = await service.post(secret, {}, { 'Idempotency-Key': 'two words' });

    expect(reply.status).toBe(400);
    expect(await undocumented('createPet', reply)).toEqual([]);
  });

  test('every success, its headers and its body', async () => {
    await using service = await TestService.start();
    const { secret: key } = await service.account();
    const create = () =>
      service.post(key, { name: 'Rex', categoryId: 7 }, { 'Idempotency-Key': 'once' });

    expect(await undocumented('createPet', await create())).toEqual([]);
    const replayed = await create();
    expect(replayed.headers.has('Idempotent-Replayed')).toBeTrue();
    expect(await undocumented('createPet', replayed)).toEqual([]);
    await service.post(key, { name: 'Tom', categoryId: -1, status: 'sold' });

    const page = await service.request('/pets?limit=1', { key });
    expect(page.headers.has('Link')).toBeTrue();
    expect(await undocumented('listPets', page)).toEqual([]);
    expect(await undocumented('getPet', await service.request('/pets/1', { key }))).toEqual([]);

    const known = { key, headers: { 'If-None-Match': '*' } };
    const unchanged = await service.request('/pets?limit=1', known);
    expect(unchanged.status).toBe(304);
    expect(await undocumented('listPets', unchanged)).toEqual([]);
    expect(await undocumented('getPet', await service.request('/pets/1', known))).toEqual([]);

    const changed = await service.change(key, 'PATCH', '/pets/1', { status: 'sold' });
    expect(await undocumented('updatePet', changed)).toEqual([]);
    const unread = await service.change(key, 'PATCH', '/pets/1', 'x', { 'Content-Type': 'x/y' });
    expect(unread.headers.has('Accept-Patch')).toBeTrue();
    expect(await undocumented('updatePet', unread)).toEqual([]);
    const deleted = await service.change(key, 'DELETE', '/pets/1');
    expect(await undocumented('deletePet', deleted)).toEqual([]);
  });

  test('every success of orders', async () => {
    await using service = await TestService.start();
    const it = await orderScene(service);
    const petId = await it.addPet();
    const headers = { 'Idempotency-Key': 'once' };
    expect(await undocumented('createOrder', await it.create(petId, headers))).toEqual([]);
    const replayed = await it.create(petId, headers);
    expect(replayed.headers.has('Idempotent-Replayed')).toBeTrue();
    expect(await undocumented('createOrder', replayed)).toEqual([]);
    await it.order();
    const page = await it.list('?limit=1');
    expect(page.headers.has('Link')).toBeTrue();
    expect(await undocumented('listOrders', page)).toEqual([]);
    expect(await undocumented('getOrder', await it.get(1))).toEqual([]);
    expect(await undocumented('updateOrder', await it.update(1, 'approved'))).toEqual([]);
  });

  test.each(OPERATION_IDS)('every reply of %s documents the headers that it always has', (id) => {
    for (const [status, response] of Object.entries(operationOf(id).responses)) {
      const required = Object.entries(headersOf(response)).filter(([, header]) => header.required);
      expect(required.map(([name]) => name)).toEqual(lastingHeaders(id, status));
    }
  });

  test('a deprecated operation says so on every reply, also before it is reached', async () => {
    await using service = await TestService.start({ settings: { PETSTORE_BAN_AFTER: '1' } });
    const { secret } = await service.account(subscribe('enterprise', { perMinute: 1, perDay: 9 }));
    const headers = headersOf(
      operationOf('getPet').responses['200'] ?? { headers: {}, content: {} },
    );
    for (const [key, status] of [
      ['', 401],
      [secret, 404],
      [secret, 429],
    ] as const) {
      const reply = await service.request('/pets/42', { key });
      expect(reply.status).toBe(status);
      for (const name of ['Deprecation', 'Sunset', 'Link']) {
        const example = String(headers[name]?.example);
        expect(reply.headers.get(name)).toBe(
          example.replaceAll('http://localhost:3000', service.dashboardUrl),
        );
      }
      expect(await undocumented('getPet', reply)).toEqual([]);
    }
  });

  test.each([
    ['listPets', true],
    ['createPet', true],
    ['getPet', false],
    ['updatePet', true],
    ['deletePet', true],
    ['listOrders', true],
    ['createOrder', true],
    ['getOrder', false],
    ['updateOrder', true],
    ['sendMessage', true],
  ] as const)('%s documents 400 only where it can happen', (id, isPossible) => {
    expect(Object.hasOwn(operationOf(id).responses, '400')).toBe(isPossible);
  });

  test('replies may gain fields and codes', () => {
    const operations = OPERATION_IDS.map(operationOf);
    const bodies = JSON.stringify(operations.map(({ requestBody }) => requestBody));
    const replies = JSON.stringify(operations.map(({ responses }) => responses));
    for (const { components } of DOCUMENTS) {
      for (const [name, schema] of Object.entries(components.schemas)) {
        // Some bodies of requests may not have any other field.
        const isBody = bodies.includes(`schemas/${name}"`) && !replies.includes(`schemas/${name}"`);
        const isOpen = !JSON.stringify(schema).includes('additionalProperties');
        expect([name, isOpen || isBody]).toEqual([name, true]);
      }
    }
    const later = { code: 'made_in_1_1', message: 'New.', status: 400, details: [] };
    expect(objections({ $ref: '#/components/schemas/Error' }, later)).toEqual([]);
  });
});
