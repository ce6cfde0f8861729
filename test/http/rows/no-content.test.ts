import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Contract } from '../../../src/api/operations.ts';
import { samplesOf } from '../../../src/api/samples/samples.ts';
import { PARTS } from '../../../src/config/config.ts';
import { hourOf } from '../../../src/core/requests/usage.ts';
import { TestService } from '../../support/harness.ts';
import { ToolClient } from '../../support/mcp.ts';
import { rawExchange } from '../../support/raw.ts';
import { requestLogScene, savedRequests } from '../../support/request-log-scene.ts';
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

  test.each([
    ['broken JSON', 'Content-Length: 4', ['{{{{']],
    ['1 MB', 'Content-Length: 1000000', ['x'.repeat(1_000_000)]],
    ['a late body', 'Content-Length: 100000', [100, 'x'.repeat(50_000), 100, 'x'.repeat(50_000)]],
    ['a chunked body', 'Transfer-Encoding: chunked', [100, '5\r\nabcde\r\n', 100, '0\r\n\r\n']],
  ])('ignores a body, and the connection goes on: %s', async (_, framing, body) => {
    const head = (start: string, header: string) =>
      `${start} HTTP/1.1\r\nHost: localhost:${service.port}\r\nAuthorization: Bearer ${key}\r\n${header}\r\n\r\n`;
    const { replies } = await rawExchange(service.port, [
      ...[head('DELETE /v1/shelters/7', framing), ...body],
      head('GET /v1/pets', 'Connection: close'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([204, 200]);
  });

  test('is logged without bytes, and counted as a success', async () => {
    await using it = await requestLogScene({ resources: WITH_SHELTERS });
    const { account, secret } = await it.service.account();
    await it.service.request('/shelters/7', { key: secret, method: 'DELETE' });
    const [logged] = await savedRequests(it, account.id);
    expect(logged).toMatchObject({
      ...{ method: 'DELETE', path: '/v1/shelters/7', status: 204, replyBytes: 0 },
      ...{ code: undefined, message: undefined },
    });
    await it.service.runJobs();
    const first = hourOf(it.clock.now().wall);
    const usage = await it.service.stores.usage.byPeriod({ accountId: account.id, first });
    expect(usage).toMatchObject([{ succeeded: 1 }]);
    const metrics = await (await fetch(`${it.service.opsUrl}/metrics`)).text();
    expect(metrics).toContain(
      'petstore_request_duration_seconds_count{operation="closeShelter",status="204"} 1',
    );
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
