import { describe, expect, test } from 'bun:test';
import { OPERATIONS } from '../../src/api/all-operations.ts';
import { PARTS } from '../../src/config/config.ts';
import { unescaped } from '../../src/dashboard/shared/unescape.ts';
import {
  type OpenapiDocument,
  type OperationObject,
  objections,
} from '../http/openapi-document.ts';
import { TestService } from '../support/harness.ts';
import { elements } from '../support/html.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService(() => TestService.start({ parts: PARTS }));

describe('the page of an operation', () => {
  test.each(Object.entries(OPERATIONS))(
    '%s shows an example of every reply of its documents, which the schema of the reply allows',
    async (id, { errors }) => {
      const shown = await examplesOf(id);
      const documented = await documentedReplies(id);
      expect(shown.map(({ status }) => status).toSorted()).toEqual(
        Object.keys(documented).map(Number),
      );
      for (const { status, bodies } of shown) {
        const schema = documented[status]?.content?.['application/json']?.schema;
        expect([status, bodies.length > 0]).toEqual([status, schema !== undefined]);
        for (const body of bodies) expect(objections(schema ?? {}, body)).toEqual([]);
      }
      const failed = shown.filter(({ status }) => status >= 400);
      for (const { status, bodies } of failed) {
        for (const body of bodies) expect(body).toMatchObject({ status });
      }
      const codes = failed.flatMap(({ bodies }) => bodies.map((body) => Object(body).code));
      expect(codes).toEqual(expect.arrayContaining([...errors]));
    },
  );

  test.each([
    ['createPet', '/pets/1'],
    ['createOrder', '/store/orders/1'],
  ] as const)('%s shows the headers of its replies, with %s as Location', async (id, path) => {
    const lines = await elements(await pageOf(id), '.reply-lines li');
    const texts = lines.map(({ text }) => text);
    expect(texts).toContain(`Location: ${service().url()}${path}`);
    expect(texts).toContain('Retry-After: 42');
  });

  test('shows the headers of a deprecated operation as its replies have them', async () => {
    const { secret } = await service().account();
    const { headers } = await service().request('/pets/1', { key: secret });
    const page = await pageOf('getPet');
    for (const name of ['Deprecation', 'Sunset', 'Link']) {
      const [value] = await elements(page, `#header-${name.toLowerCase()} .field .monospace`);
      expect(unescaped(value?.text ?? '')).toBe(String(headers.get(name)));
    }
  });

  test('describes the header for the key, and the one for simulations with a link to all of them', async () => {
    const ofPets = await pageOf('listPets');
    expect(await elements(ofPets, '#parameter-Authorization')).toHaveLength(1);
    const [simulate] = await elements(ofPets, '#parameter-Petstore-Simulate');
    expect(simulate?.text.length).toBeLessThan(250);
    const links = await elements(ofPets, '#parameter-Petstore-Simulate p a');
    const targets = links.map(({ attributes }) => attributes.get('href'));
    expect(targets).toContain('/docs/guides/sandbox#simulations');
    const ofSandbox = await pageOf('getSandbox');
    expect(await elements(ofSandbox, '#parameter-Authorization')).toHaveLength(1);
    expect(await elements(ofSandbox, '#parameter-Petstore-Simulate')).toEqual([]);
  });
});

async function pageOf(id: string): Promise<string> {
  return (await fetch(`${service().dashboardUrl}/docs/operations/${id}`)).text();
}

/** The bodies that the page of an operation shows, by the status of their reply. */
async function examplesOf(id: string) {
  const page = await pageOf(id);
  const panels = await elements(page, '.reply-examples');
  const statuses = panels.map(({ attributes }) => Number(attributes.get('data-status')));
  return Promise.all(
    statuses.map(async (status) => {
      const bodies = await elements(page, `.reply-examples[data-status="${status}"] pre`);
      return { status, bodies: bodies.map(({ text }): unknown => JSON.parse(unescaped(text))) };
    }),
  );
}

/** The replies of an operation by status, in the document that has the most of them. */
async function documentedReplies(id: string): Promise<OperationObject['responses']> {
  for (const part of ['staging', 'quickstart', 'sandbox'] as const) {
    const reply = await fetch(`${service().url(part)}/openapi.json`);
    const document: OpenapiDocument = await reply.json();
    const found = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === id);
    if (found) return found.responses;
  }
  throw new Error(`No document has ${id}.`);
}
