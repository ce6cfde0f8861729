import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Contract } from '../../../src/api/operations.ts';
import { samplesOf } from '../../../src/api/samples/samples.ts';
import { PARTS } from '../../../src/config/config.ts';
import { TestService } from '../../support/harness.ts';
import { ToolClient } from '../../support/mcp.ts';
import { WITH_SHELTERS } from './shelters.ts';

let service: TestService;
let key = '';

beforeAll(async () => {
  service = await TestService.start({ resources: WITH_SHELTERS, parts: PARTS });
  key = (await service.account()).secret;
});
afterAll(() => service[Symbol.asyncDispose]());

describe('a success with 204', () => {
  test('has no body and none of its headers, but the limits', async () => {
    const reply = await service.request('/shelters/7', { key, method: 'DELETE' });
    expect([reply.status, await reply.text()]).toEqual([204, '']);
    expect(reply.headers.has('Content-Type')).toBeFalse();
    expect(reply.headers.has('Content-Length')).toBeFalse();
    expect(reply.headers.has('X-RateLimit-Remaining')).toBeTrue();
  });

  test('has no content in the OpenAPI document', async () => {
    const document = await (await service.request('/openapi.json')).json();
    const { responses, parameters } = document.paths['/shelters/{shelterId}'].delete;
    expect(Object.keys(responses['204'])).toEqual(['description', 'headers']);
    expect(parameters.map(Object.keys)).toEqual([
      ['name', 'in', 'required', 'description', 'schema', 'example'],
      ['name', 'in', 'required', 'description', 'schema'],
    ]);
  });

  test('is shown in the reference and to agents', async () => {
    const textOf = async (path: string) => (await fetch(service.dashboardUrl + path)).text();
    expect(await textOf('/docs/operations/closeShelter')).toContain('Reply: 204');
    expect(await textOf('/docs/operations/closeShelter.md')).toContain('Success: 204, no body.');
    expect(await textOf('/reference.md')).toContain('Success: 204, no body.');
    expect(await textOf('/llms.txt')).toContain('Reply: 204, no body');
  });

  test('is a result without a body for a tool', async () => {
    await using tools = await ToolClient.overHttp(service.dashboardUrl, key);
    const { isError, content } = await tools.call('closeShelter', { shelterId: '7' });
    expect(isError).toBeFalse();
    expect(Object.keys(content)).toEqual(['rateLimit', 'requestId']);
    const listed = await tools.client.listTools();
    const tool = listed.tools.find(({ name }) => name === 'closeShelter');
    expect(Object.keys(tool?.outputSchema?.['properties'] ?? {})).not.toContain('result');
    expect(tool?.description).toContain('Without an `error` it succeeded: The shelter is closed.');
  });

  test('has samples that send its headers and read no body', async () => {
    const operation = new Contract(WITH_SHELTERS).operations.find(
      ({ id }) => id === 'closeShelter',
    );
    if (!operation) throw new Error('There is no operation.');
    const samples = samplesOf(operation, service.url()).map(
      ({ language, code }) => [language, code.replace('YOUR_API_KEY', key)] as const,
    );
    const { javascript = '', python = '', go = '' } = Object.fromEntries(samples);
    await Bun.write(`${service.folder.path}/sample.mjs`, javascript);
    const ran = Bun.spawn([process.execPath, `${service.folder.path}/sample.mjs`]);
    expect(await new Response(ran.stdout).text()).toBe('204 \n');
    for (const code of [javascript, python, go]) expect(code).toContain('Idempotency-Key');
    expect(python).toContain('print(response.status)');
    expect(go).not.toContain('encoding/json');
  });
});
