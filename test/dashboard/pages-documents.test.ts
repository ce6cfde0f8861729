import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { PARTS } from '../../src/config/config.ts';
import { APIS } from '../../src/core/environments.ts';
import type { OpenapiDocument } from '../http/openapi-document.ts';
import { TestService } from '../support/harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A reply of the dashboard; redirects are not followed. */
function get(path: string, method = 'GET'): Promise<Response> {
  return fetch(service.dashboardUrl + path, { method, redirect: 'manual' });
}

describe("the OpenAPI document at the dashboard's address", () => {
  test.each(['/openapi.json', '/openapi.yaml'])("leads to production's: %s", async (path) => {
    const reply = await get(path);
    expect([reply.status, reply.headers.get('location')]).toEqual([307, service.url() + path]);
    expect((await fetch(service.dashboardUrl + path)).url).toBe(service.url() + path);
  });
});

test.each(['guides', 'guides/', 'operations', 'operations/'])(
  'the folder of pages /docs/%s leads to the overview, which lists them',
  async (folder) => {
    const reply = await get(`/docs/${folder}`);
    const overview = `${service.dashboardUrl}/docs`;
    expect([reply.status, reply.headers.get('location')]).toEqual([307, overview]);
    expect((await get(`/docs/${folder}`, 'DELETE')).status).toBe(405);
  },
);

describe('the Arazzo document', () => {
  interface Arazzo {
    readonly arazzo: string;
    readonly sourceDescriptions: ReadonlyArray<{ readonly url: string }>;
    readonly workflows: ReadonlyArray<{
      readonly workflowId: string;
      readonly steps: ReadonlyArray<{
        readonly operationId?: string;
        readonly workflowId?: string;
      }>;
    }>;
  }

  test('is valid Arazzo 1.0', async () => {
    const source = await (await get('/arazzo.json')).text();
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: 'arazzo.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test("leads to production's document, and uses operations and workflows that exist", async () => {
    const document: Arazzo = await (await get('/arazzo.json')).json();
    const { sourceDescriptions, workflows } = document;
    expect(document.arazzo).toStartWith('1.0.');
    expect(sourceDescriptions.map(({ url }) => url)).toEqual([`${service.url()}/openapi.json`]);
    const steps = workflows.flatMap((workflow) => workflow.steps);
    expect(steps.map(({ operationId, workflowId }) => operationId ?? workflowId)).toEqual([
      ...['createPet', 'pageThrough'],
      ...['listPets', 'pageThrough'],
    ]);
    const served: OpenapiDocument = await (await fetch(`${service.url()}/openapi.json`)).json();
    for (const id of ['createPet', 'listPets']) {
      expect(JSON.stringify(served.paths)).toContain(`"operationId":"${id}"`);
    }
  });
});

describe('the API catalog', () => {
  interface Link {
    readonly href: string;
    readonly type: string;
  }
  interface Linkset {
    readonly linkset: ReadonlyArray<{
      readonly 'service-desc'?: Link[];
      readonly 'service-doc': Link[];
    }>;
  }

  test('lists every base address with its descriptions for programs and for people', async () => {
    const reply = await get('/.well-known/api-catalog');
    expect(reply.headers.get('content-type')).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    const docs = `${service.dashboardUrl}/docs`;
    expect(await reply.json()).toEqual({
      linkset: [
        ...APIS.map((part) => ({
          anchor: service.url(part),
          'service-desc': [
            { href: `${service.url(part)}/openapi.json`, type: 'application/json' },
            { href: `${service.url(part)}/openapi.yaml`, type: 'application/yaml' },
          ],
          ...(part === 'production' && {
            'service-meta': [
              { href: `${service.dashboardUrl}/arazzo.json`, type: 'application/json' },
            ],
          }),
          'service-doc': [
            { href: docs, type: 'text/html' },
            { href: `${service.dashboardUrl}/reference.md`, type: 'text/markdown' },
          ],
        })),
        {
          anchor: `${service.dashboardUrl}/mcp`,
          'service-doc': [{ href: `${service.dashboardUrl}/llms.txt`, type: 'text/plain' }],
        },
      ],
    });
  });

  test('leads to documents of the types that it tells', async () => {
    const { linkset }: Linkset = await (await get('/.well-known/api-catalog')).json();
    const links = linkset.flatMap((entry) => [
      ...(entry['service-desc'] ?? []),
      ...entry['service-doc'],
    ]);
    expect(links.length).toBe(17);
    for (const { href, type } of links) {
      const reply = await fetch(href);
      expect([reply.status, reply.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
    }
  });

  test('names itself, and answers HEAD', async () => {
    const reply = await get('/.well-known/api-catalog', 'HEAD');
    expect([reply.status, await reply.text()]).toEqual([200, '']);
    expect(reply.headers.get('link')).toBe(
      `<${service.dashboardUrl}/.well-known/api-catalog>; rel="api-catalog"`,
    );
  });
});
