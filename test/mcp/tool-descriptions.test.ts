import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Tool } from '@modelcontextprotocol/client';
import { OPERATIONS, operationsOf } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { ENVIRONMENTS, type Environment } from '../../src/core/environments.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { STABILITY_NOTES } from '../../src/core/stability.ts';
import { TestService } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';

let service: TestService;
const tools = new Map<Environment, ReadonlyMap<string, Tool>>();

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
  for (const environment of ENVIRONMENTS) {
    const { secret } = await service.account(undefined, environment);
    await using connected = await ToolClient.overHttp(service.dashboardUrl, secret);
    const listed = await connected.client.listTools();
    tools.set(environment, new Map(listed.tools.map((tool) => [tool.name, tool])));
  }
});
afterAll(() => service[Symbol.asyncDispose]());

function toolOf(name: string, environment: Environment = 'production'): Tool {
  const tool = tools.get(environment)?.get(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** The names of headers as arguments. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'Idempotency-Key': 'idempotencyKey',
  'If-Match': 'ifMatch',
  'If-None-Match': 'ifNoneMatch',
};

describe('the instructions', () => {
  test('of a staging key tell of the sandbox and its limit, those of production do not', async () => {
    const instructionsOf = async (environment: Environment) => {
      const { secret } = await service.account(undefined, environment);
      await using connected = await ToolClient.overHttp(service.dashboardUrl, secret);
      return connected.client.getInstructions() ?? '';
    };
    const ofStaging = await instructionsOf('staging');
    for (const { id } of operationsOf('sandbox')) expect(ofStaging).toContain(id);
    expect(ofStaging).toContain('600 calls a minute');
    expect(await instructionsOf('production')).not.toContain('sandbox');
  });
});

describe.each(Object.entries(OPERATIONS))('the tool %s', (id, operation) => {
  const tool = () => toolOf(id, operation.tag === 'Sandbox' ? 'staging' : 'production');

  test('tells limits, errors and deprecation', () => {
    const { description = '' } = tool();
    expect(description).toContain(operation.description);
    expect(description).toContain('counts as one request towards the limits');
    for (const code of operation.errors) {
      expect(description).toContain(
        `- \`${code}\` (${ERRORS[code].status}): ${ERRORS[code].meaning}`,
      );
    }
    expect(description).toContain(operation.deprecation?.note ?? '');
    expect(tool().title).toBe(operation.summary);
  });

  test('takes every parameter and every field of the body', () => {
    const { properties = {}, required } = tool().inputSchema;
    const body = Object(operation.body ?? {});
    const names = operation.parameters.map(({ name }) => name);
    const parameters = names
      // A tool that reads always returns the body.
      .filter((name) => name !== 'If-None-Match' || operation.method !== 'GET')
      .map((name) => ARGUMENTS[name] ?? name);
    const fields = Object.keys(body.properties ?? {});
    expect(Object.keys(properties).sort()).toEqual([...fields, ...parameters].sort());
    expect(new Set([...fields, ...parameters]).size).toBe(fields.length + parameters.length);
    const requiredParameters = operation.parameters.filter((parameter) => parameter.required);
    expect(required).toEqual([
      ...(operation.isBodyOptional ? [] : (body.required ?? [])),
      ...requiredParameters.map(({ name }) => name),
    ]);
  });

  test('tells whether it changes something', () => {
    const { method } = operation;
    expect(tool().annotations).toMatchObject({
      readOnlyHint: method === 'GET',
      // A merge patch sets values; the other PATCH moves a clock by seconds.
      idempotentHint: method !== 'POST' && operation.id !== 'advanceClock',
      // Of what only adds, a reset is the exception.
      destructiveHint: (method !== 'GET' && method !== 'POST') || operation.id === 'resetSandbox',
      openWorldHint: false,
    });
  });

  test('has schemas of plain JSON Schema, in which no int64 is a number', () => {
    const { inputSchema, outputSchema } = tool();
    const text = JSON.stringify([inputSchema, outputSchema]);
    expect(text).not.toContain('int64"');
    expect(text).not.toContain('bigint');
    expect(text).not.toContain('$ref');
    expect(text).not.toContain('"x-');
  });
});

test.each([
  // Reads nothing but the store, adds without an effect on what is there, or overwrites and deletes.
  ['getPet', { readOnlyHint: true, destructiveHint: false, idempotentHint: true }],
  ['createPet', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
  ['updatePet', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ['deletePet', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ['createOrder', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }],
  ['updateOrder', { readOnlyHint: false, destructiveHint: true, idempotentHint: true }],
  ['advanceClock', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
  ['resetSandbox', { readOnlyHint: false, destructiveHint: true, idempotentHint: false }],
])('the hints of %s are those of the protocol', (name, hints) => {
  expect(toolOf(name, 'staging').annotations).toMatchObject(hints);
});

test('a tool of an operation that is not stable says so', () => {
  expect(toolOf('updatePet').description).toContain(STABILITY_NOTES.beta);
  expect(toolOf('deletePet').description).toContain(STABILITY_NOTES.beta);
  for (const { id } of operationsOf('production').filter(({ tag }) => tag === 'Orders')) {
    expect(toolOf(id).description).toContain(STABILITY_NOTES.experimental);
  }
  expect(toolOf('listPets').description).not.toContain('Beta:');
});

test('int64 is a decimal string in arguments and results', () => {
  const decimal = { type: 'string', pattern: '^-?(0|[1-9][0-9]{0,18})$' };
  expect(toolOf('createPet').inputSchema.properties).toMatchObject({ categoryId: decimal });
  expect(toolOf('getPet').inputSchema.properties).toMatchObject({ petId: decimal });
  expect(toolOf('listPets').inputSchema.properties).toMatchObject({
    after: decimal,
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  });
  expect(toolOf('createPet').outputSchema).toMatchObject({
    properties: { result: { properties: { id: decimal, categoryId: decimal } } },
  });
});

test('the key decides with which environment the tools work', () => {
  for (const environment of ENVIRONMENTS) {
    const { description } = toolOf('createPet', environment);
    expect(description).toContain(`\`POST ${service.url(environment)}/pets\``);
    const message = toolOf('sendMessage', environment).description;
    expect(message).toContain(`\`POST ${service.url('quickstart')}/messages\``);
  }
});

test('a staging key has the tools of its sandbox as well, and a production key has not', () => {
  const namesOf = (environment: Environment) => [...(tools.get(environment)?.keys() ?? [])];
  const sandbox = operationsOf('sandbox').map(({ id }) => id);
  expect(sandbox.length).toBeGreaterThan(0);
  expect(namesOf('staging')).toEqual([...namesOf('production'), ...sandbox]);
});
