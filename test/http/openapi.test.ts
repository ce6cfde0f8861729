import { describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { runCommand } from '../support/process.ts';
import {
  ambiguousNames,
  COMMITTED,
  committed,
  DOCUMENTS,
  operationOf,
} from './openapi-document.ts';

/** The message of a failure where the test has a list of all operations, paths or parameters. */
const COMPLETE = 'Add the new operation to the list in this test.';

describe('each committed document', () => {
  test('is what the openapi command prints', async () => {
    expect(await runCommand(['openapi'], {})).toMatchObject({
      code: 0,
      stdout: COMMITTED.production.text,
    });
    expect(await runCommand(['openapi', '--part', 'quickstart'], {})).toMatchObject({
      code: 0,
      stdout: COMMITTED.quickstart.text,
    });
    expect(await runCommand(['openapi', '--part', 'sandbox'], {})).toMatchObject({
      code: 0,
      stdout: COMMITTED.sandbox.text,
    });
  });

  test('passes the recommended rules of Redocly at a public address', async () => {
    const config = await createConfig({ extends: ['recommended'] });

    for (const { text } of Object.values(COMMITTED)) {
      // One rule forbids localhost, but a served document has the address of its service.
      const source = text.replaceAll('http://localhost:3000', 'https://petstore.test');
      const problems = await lintFromString({ source, config });

      expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    }
  });

  test('is OpenAPI 3.1 of interface version 1.0.0, and has one server with a literal address', () => {
    for (const { openapi, info, servers } of DOCUMENTS) {
      expect([openapi, info.version, servers.length]).toEqual(['3.1.0', '1.0.0', 1]);
      for (const server of servers) expect(server).not.toHaveProperty('variables');
    }
    expect(COMMITTED.production.document.servers[0]?.url).toBe('http://localhost:3000/v1');
    expect(COMMITTED.quickstart.document.servers[0]?.url).toBe('http://localhost:3000/quickstart');
    expect(COMMITTED.sandbox.document.servers[0]?.url).toBe(
      'http://localhost:3000/staging/sandbox',
    );
  });

  test('has the paths of its base address alone, and servers on none of them', () => {
    const pathsOf = (part: keyof typeof COMMITTED) => Object.keys(COMMITTED[part].document.paths);
    expect(pathsOf('production'), COMPLETE).toEqual([
      ...['/pets', '/pets/{petId}', '/store/orders', '/store/orders/{orderId}'],
    ]);
    expect(pathsOf('quickstart'), COMPLETE).toEqual(['/messages']);
    expect(pathsOf('sandbox'), COMPLETE).toEqual([
      '/',
      '/clock',
      '/usage',
      '/ban',
      '/simulation',
      '/reset',
    ]);
    for (const id of OPERATION_IDS) expect(operationOf(id)).not.toHaveProperty('servers');
  });

  test('has no name that a generator gives to an inline schema or a constructor', () => {
    for (const { components } of DOCUMENTS) {
      expect(ambiguousNames(components.schemas)).toEqual([]);
    }
  });

  test('has plain strings where a later version may add values, and the known ones beside them', () => {
    const openFields = [
      ['production', 'Error', 'code', 'KnownErrorCode'],
      ['quickstart', 'Message', 'status', 'KnownMessageStatus'],
    ] as const;
    for (const [part, schema, field, known] of openFields) {
      const { schemas } = COMMITTED[part].document.components;
      expect(schemas[schema]).toMatchObject({
        properties: {
          [field]: { type: 'string', $defs: { known: { $ref: `#/components/schemas/${known}` } } },
        },
      });
      expect(schemas[known]).toMatchObject({ type: 'string', enum: expect.any(Array) });
    }
    // Generators for Rust and TypeScript make an empty type for a union of an enum and any string.
    for (const { text } of Object.values(COMMITTED)) expect(text).not.toContain('"anyOf"');
  });

  test('tells whom to ask, as the operator set it, and where to read more', async () => {
    for (const [PETSTORE_CONTACT, contact] of [
      ['ops@petstore.test', { email: 'ops@petstore.test' }],
      ['https://petstore.test/help', { url: 'https://petstore.test/help' }],
    ] as const) {
      const { stdout } = await runCommand(['openapi'], { PETSTORE_CONTACT });
      expect(JSON.parse(stdout)).toMatchObject({ info: { contact } });
    }
    for (const document of DOCUMENTS) {
      expect(document.info).not.toHaveProperty('contact');
      expect(document).toMatchObject({ externalDocs: { url: 'http://localhost:3000/docs' } });
    }
  });

  test('links a created animal and a page to what follows, and describes paging', () => {
    const { responses } = operationOf('createPet');
    expect(responses['201']).toMatchObject({
      links: { createdPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' } } },
    });
    const list = operationOf('listPets');
    expect(list.responses['200']).toMatchObject({
      links: {
        firstPet: { operationId: 'getPet' },
        nextPage: { operationId: 'listPets', parameters: { after: '$response.body#/19/id' } },
      },
    });
    expect(list).toMatchObject({
      'x-pagination': {
        limitParameter: 'limit',
        cursorParameter: 'after',
        cursorField: 'id',
        nextLink: { header: 'Link', rel: 'next' },
      },
    });
  });

  test('requires a bearer token everywhere', () => {
    for (const { security, components } of DOCUMENTS) {
      expect(security).toEqual([{ apiKey: [] }]);
      expect(components.securitySchemes).toMatchObject({
        apiKey: { type: 'http', scheme: 'bearer' },
      });
    }
    for (const id of OPERATION_IDS) expect(operationOf(id)).not.toHaveProperty('security');
  });

  test('names the operations, and the one that goes with its date', () => {
    const found = OPERATION_IDS.map((id) => {
      const { method, path, deprecated } = operationOf(id);
      return [id, method, path, deprecated ?? false];
    });
    expect(found, COMPLETE).toEqual([
      ['listPets', 'get', '/pets', false],
      ['createPet', 'post', '/pets', false],
      ['getPet', 'get', '/pets/{petId}', true],
      ['updatePet', 'patch', '/pets/{petId}', false],
      ['deletePet', 'delete', '/pets/{petId}', false],
      ['listOrders', 'get', '/store/orders', false],
      ['createOrder', 'post', '/store/orders', false],
      ['getOrder', 'get', '/store/orders/{orderId}', false],
      ['updateOrder', 'patch', '/store/orders/{orderId}', false],
      ['sendMessage', 'post', '/messages', false],
      ['getSandbox', 'get', '/', false],
      ['advanceClock', 'patch', '/clock', false],
      ['setUsage', 'put', '/usage', false],
      ['banKey', 'put', '/ban', false],
      ['liftBan', 'delete', '/ban', false],
      ['setSimulation', 'put', '/simulation', false],
      ['endSimulation', 'delete', '/simulation', false],
      ['resetSandbox', 'post', '/reset', false],
    ]);
    expect(operationOf('getPet')).toMatchObject({
      'x-sunset': '2030-12-05',
      description: expect.stringContaining('removed on 5 December 2030'),
    });
  });

  test('tells the limits and defaults of every parameter', () => {
    const parameters = OPERATION_IDS.flatMap((id) => operationOf(id).parameters ?? []);

    expect(parameters, COMPLETE).toMatchObject([
      { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'status', schema: { $ref: '#/components/schemas/PetStatus' } },
      { name: 'after', schema: { type: 'integer', format: 'int64' } },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'Idempotency-Key', required: false, schema: { minLength: 1, maxLength: 255 } },
      { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      ...Array.from({ length: 2 }, () => [
        { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } },
        { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
        { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      ]).flat(),
      { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'status', schema: { $ref: '#/components/schemas/OrderStatus' } },
      { name: 'after', schema: { type: 'integer', format: 'int64' } },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'Idempotency-Key', required: false, schema: { minLength: 1, maxLength: 255 } },
      { name: 'orderId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'If-None-Match', in: 'header', required: false, schema: { type: 'string' } },
      { name: 'orderId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      { name: 'Idempotency-Key', required: false, schema: { minLength: 1, maxLength: 255 } },
    ]);
  });

  test('has the fields of the contract, neither more nor fewer', () => {
    const int64 = { type: 'integer', format: 'int64' };
    const name = { type: 'string', minLength: 1, maxLength: 255 };
    const status = { $ref: '#/components/schemas/PetStatus' };
    const {
      NewPet,
      Pet,
      Pets,
      PetStatus,
      Error: problem,
      KnownErrorCode,
    } = committed.components.schemas;

    expect(NewPet).toMatchObject({ required: ['name', 'categoryId'] });
    expect(NewPet).toHaveProperty('properties', expect.objectContaining({ status }));
    expect(NewPet).toMatchObject({ properties: { name, categoryId: int64 } });
    expect(Pet).toMatchObject({ required: ['id', 'name', 'categoryId', 'status'] });
    expect(Pet).toMatchObject({ properties: { id: int64, name, categoryId: int64, status } });
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(problem).toMatchObject({
      required: ['code', 'message', 'status'],
      properties: {
        code: { type: 'string' },
      },
    });
    expect(KnownErrorCode).toMatchObject({ type: 'string', enum: Object.keys(ERRORS) });
  });
});
