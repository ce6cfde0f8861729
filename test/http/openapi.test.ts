import { describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { YAML } from 'bun';
import { OPERATION_IDS, type OperationId } from '../../src/api/operations.ts';
import { API_PARTS, ENVIRONMENTS } from '../../src/core/environments.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { TestService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { ERROR_CODES, PROVOCATIONS, provoke } from './error-scenes.ts';
import {
  COMMITTED,
  committed,
  DOCUMENTS,
  type OpenapiDocument,
  objections,
  operationOf,
  type WithSchema,
} from './openapi-document.ts';

/** Headers of HTTP itself, which OpenAPI does not describe. */
const OF_HTTP = ['content-length', 'content-type', 'date'];

/** What the document leaves unsaid about a real reply of an operation. */
async function undocumented(id: OperationId, reply: Response): Promise<string[]> {
  const documented = operationOf(id).responses[reply.status];
  if (!documented) return [`status ${reply.status}`];
  const names = Object.keys(documented.headers).map((name) => name.toLowerCase());
  const unsaid = [...reply.headers.keys()].filter(
    (name) => !names.includes(name) && !OF_HTTP.includes(name) && !isSaidOfAll(name),
  );
  const schema = documented.content['application/json']?.schema ?? { not: {} };
  const values = Object.entries(documented.headers).flatMap(([name]) =>
    headerObjections(name, reply.headers.get(name)),
  );
  return [...unsaid, ...values, ...objections(schema, await reply.json())];
}

/** Whether the document's introduction speaks of the header, for every reply. */
function isSaidOfAll(name: string): boolean {
  return committed.info.description.toLowerCase().includes(`\`${name}: `);
}

function headerObjections(name: string, value: string | null): string[] {
  if (value === null) return [];
  const schema = committed.components.headers[name]?.schema ?? { not: {} };
  const isInteger = 'type' in schema && schema.type === 'integer';
  return objections(schema, isInteger ? Number(value) : value);
}

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
  });

  test('passes the recommended rules of Redocly at a public address', async () => {
    const config = await createConfig({ extends: ['recommended'] });

    for (const { text } of Object.values(COMMITTED)) {
      // The only rule that it would break: a served document has the address of its service.
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
  });

  test('has the paths of its base address alone, and servers on none of them', () => {
    expect(Object.keys(COMMITTED.production.document.paths)).toEqual(['/pets', '/pets/{petId}']);
    expect(Object.keys(COMMITTED.quickstart.document.paths)).toEqual(['/messages']);
    for (const id of OPERATION_IDS) expect(operationOf(id)).not.toHaveProperty('servers');
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
    expect(found).toEqual([
      ['listPets', 'get', '/pets', false],
      ['createPet', 'post', '/pets', false],
      ['getPet', 'get', '/pets/{petId}', true],
      ['sendMessage', 'post', '/messages', false],
    ]);
    expect(operationOf('getPet')).toMatchObject({
      'x-sunset': '2030-12-05',
      description: expect.stringContaining('removed on 5 December 2030'),
    });
  });

  test('tells the limits and defaults of every parameter', () => {
    const parameters = OPERATION_IDS.flatMap((id) => operationOf(id).parameters ?? []);

    expect(parameters).toMatchObject([
      { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'status', schema: { $ref: '#/components/schemas/PetStatus' } },
      { name: 'after', schema: { type: 'integer', format: 'int64' } },
      { name: 'Idempotency-Key', required: false, schema: { minLength: 1, maxLength: 255 } },
      { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
      { name: 'Idempotency-Key', required: false, schema: { minLength: 1, maxLength: 255 } },
    ]);
  });

  test('has the fields of the contract, neither more nor fewer', () => {
    const int64 = { type: 'integer', format: 'int64' };
    const name = { type: 'string', minLength: 1, maxLength: 255 };
    const status = { $ref: '#/components/schemas/PetStatus' };
    const { NewPet, Pet, Pets, PetStatus, Error: problem } = committed.components.schemas;

    expect(NewPet).toMatchObject({ required: ['name', 'categoryId'] });
    expect(NewPet).toHaveProperty('properties', expect.objectContaining({ status }));
    expect(NewPet).toMatchObject({ properties: { name, categoryId: int64 } });
    expect(Pet).toMatchObject({ required: ['id', 'name', 'categoryId', 'status'] });
    expect(Pet).toMatchObject({ properties: { id: int64, name, categoryId: int64, status } });
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(PetStatus).toMatchObject({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(problem).toMatchObject({
      required: ['code', 'message', 'status'],
      additionalProperties: false,
      properties: { code: { type: 'string', 'x-extensible-enum': Object.keys(ERRORS) } },
    });
  });
});

describe('the served document', () => {
  test.each(ENVIRONMENTS)(
    'needs no key, does not count, and tells its address: %s',
    async (name) => {
      await using service = await TestService.start();

      const first = await service.request('/openapi.json', { environment: name });
      const second = await service.request('/openapi.json', { environment: name, key: 'bad' });
      const served: OpenapiDocument = await first.json();

      expect([first.status, second.status]).toEqual([200, 200]);
      expect(first.headers.get('Content-Type')).toBe('application/json');
      expect(first.headers.get('X-RateLimit-Remaining')).toBe('1000000');
      expect(second.headers.get('X-RateLimit-Remaining')).toBe('1000000');
      expect(served.servers.map(({ url }) => url)).toEqual([service.url(name)]);
      expect(withoutServers(served)).toEqual(withoutServers(committed));
    },
  );

  test.each(API_PARTS)('is served as YAML, too: %s', async (part) => {
    await using service = await TestService.start({ parts: API_PARTS });

    const json = await fetch(`${service.url(part)}/openapi.json`);
    const yaml = await fetch(`${service.url(part)}/openapi.yaml`);
    const next = await fetch(`${service.url(part)}/openapi.json`);

    expect(yaml.headers.get('Content-Type')).toBe('application/yaml');
    expect(YAML.parse(await yaml.text())).toEqual(await json.json());
    expect(next.headers.get('Content-Type')).toBe('application/json');
  });

  test('is still served past the limit', async () => {
    await using service = await TestService.start({
      settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '1' },
    });
    await service.request('/pets');

    expect((await service.request('/pets')).status).toBe(429);
    expect((await service.request('/openapi.json')).status).toBe(200);
  });
});

describe('what is documented is what happens', () => {
  test.each(ERROR_CODES)('%s, when it is provoked', async (code) => {
    const { operation } = PROVOCATIONS[code];
    if (!operation) {
      expect(committed.info.description).toContain(`${ERRORS[code].status} \`${code}\``);
      return;
    }
    const reply = await provoke(code);
    const documented = operationOf(operation).responses[reply.status]?.content['application/json'];

    expect(documented?.examples).toHaveProperty(code);
    expect(await undocumented(operation, reply)).toEqual([]);
  });

  test.each(OPERATION_IDS)('%s documents what any operation may answer with', (id) => {
    const { responses } = operationOf(id);
    const codes = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content['application/json']?.examples ?? {}),
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
  });

  test.each(OPERATION_IDS)('every reply of %s documents the limits', (id) => {
    for (const { headers } of Object.values(operationOf(id).responses)) {
      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        expect(headers).toHaveProperty(name);
      }
    }
  });
});

describe('every example', () => {
  const replies = OPERATION_IDS.flatMap((id) =>
    Object.entries(operationOf(id).responses).flatMap(([status, { content }]) => {
      const { schema = { not: {} }, examples = {} } = content['application/json'] ?? {};
      return Object.entries(examples).map(
        ([name, { value }]) => [`${id} ${status} ${name}`, schema, value] as const,
      );
    }),
  );

  test.each(replies)('of a reply is what its schema says: %s', (_, schema, value) => {
    expect(objections(schema, value)).toEqual([]);
  });

  test('of a schema, a parameter or a header is what its schema says', () => {
    const schemas = DOCUMENTS.flatMap(({ components }) => Object.values(components.schemas)).map(
      (schema) => ({ schema, example: schema.example }),
    );
    const parameters = OPERATION_IDS.flatMap((id) => operationOf(id).parameters ?? []);
    const headers = Object.values(committed.components.headers);
    const all: WithSchema[] = [...schemas, ...parameters, ...headers];

    const withExample = all.filter(({ example }) => example !== undefined);

    expect(withExample.length).toBeGreaterThan(15);
    for (const { schema, example } of withExample) expect(objections(schema, example)).toEqual([]);
  });

  test('is distinguished from an incompatible one', () => {
    const pet = { $ref: '#/components/schemas/Pet' };

    expect(objections(pet, { id: 1, name: 'Rex', categoryId: 7 })).not.toEqual([]);
    expect(objections(pet, { id: 1, name: '', categoryId: 7, status: 'sold' })).not.toEqual([]);
    expect(objections({ type: 'array', items: pet }, [{ id: 0 }])).not.toEqual([]);
  });
});

/** The document apart from where it is served. */
function withoutServers(document: OpenapiDocument): unknown {
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (name === 'servers' ? [] : value)),
  );
}
