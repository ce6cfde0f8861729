import { describe, expect, test } from 'bun:test';
import { YAML } from 'bun';
import { API_PARTS, ENVIRONMENTS, type Environment } from '../../src/core/environments.ts';
import { TestService } from '../support/harness.ts';
import { committed, type OpenapiDocument, operationOf } from './openapi-document.ts';

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
      const simulates = name === 'staging';
      const document = simulates ? withoutSimulations(served) : served;
      expect(atDefaultAddress(document, service, name)).toEqual(committed);
    },
  );

  test.each(API_PARTS)('is served as YAML, too: %s', async (part) => {
    await using service = await TestService.start({ parts: API_PARTS });

    const json = await fetch(`${service.url(part)}/openapi.json`);
    const yaml = await fetch(`${service.url(part)}/openapi.yaml`);
    const next = await fetch(`${service.url(part)}/openapi.json`);

    expect(yaml.headers.get('Content-Type')).toBe('application/yaml');
    const text = await yaml.text();
    expect(YAML.parse(text)).toEqual(await json.json());
    // YAML 1.1 parses such values as dates.
    expect(text).not.toMatch(/: \d{4}-\d\d-\d\d/);
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

/** The document without the header of simulations, which every operation of staging has. */
function withoutSimulations(document: OpenapiDocument): OpenapiDocument {
  const paths = structuredClone(document.paths);
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const others = operation.parameters?.filter(({ name }) => name !== 'Petstore-Simulate') ?? [];
    expect(others).toHaveLength((operation.parameters?.length ?? 0) - 1);
    Object.assign(operation, { parameters: others.length > 0 ? others : undefined });
    // Where only this header can be a bad parameter, production documents no reply about one.
    const { 400: badRequest } = operationOf(operation.operationId).responses;
    const examples = badRequest?.content?.['application/json']?.examples ?? {};
    if (!('invalid_parameter' in examples)) Object.assign(operation.responses, { 400: badRequest });
  }
  return { ...document, paths };
}

function atDefaultAddress(
  document: OpenapiDocument,
  service: TestService,
  environment: Environment,
): unknown {
  const text = JSON.stringify({ ...document, servers: committed.servers });
  return JSON.parse(
    text
      .replaceAll(service.url(environment), 'http://localhost:3000/v1')
      .replaceAll(service.dashboardUrl, 'http://localhost:3000'),
  );
}
