import { expect, test } from 'bun:test';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/harness.ts';
import { ERAS, sendMessage, ToolClient, toolCall } from '../support/mcp.ts';
import { refusalOf } from '../support/problem.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const INITIAL = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** One process serves the API, and two others the dashboard. */
async function startParts() {
  await using starting = new AsyncDisposableStack();
  const folder = starting.use(temporaryFolder());
  const port = await freePort();
  const settings = {
    PETSTORE_DATA_DIR: folder.path,
    PETSTORE_PUBLIC_URL: `http://localhost:${port}`,
  };
  const made = await runCommand(['keys', 'create', 'a@example.com'], settings);
  const start = async (parts: string, more: Readonly<Record<string, string>> = {}) =>
    starting.use(await ServiceProcess.start({ ...settings, ...more }, ['--only', parts]));
  const api = await start('production,staging,quickstart', { PETSTORE_PORT: String(port) });
  const dashboards = [await start('dashboard'), await start('dashboard')].map((each) => ({
    dashboardUrl: `http://localhost:${each.port}`,
  }));
  const resources = starting.move();
  return {
    ...{ key: made.stdout.trim(), api, dashboards },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test.each(ERAS)('a session goes on in any process, beside the API or not: %s', async (era) => {
  await using parts = await startParts();
  let sent = 0;
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    requestInit: { headers: { Authorization: `Bearer ${parts.key}` } },
    fetch: (_url, init) => {
      sent += 1;
      const { dashboardUrl = '' } = parts.dashboards[sent % parts.dashboards.length] ?? {};
      return fetch(`${dashboardUrl}/mcp`, init);
    },
  });
  await using tools = await ToolClient.connect(transport, era);
  await tools.client.listTools();
  const made: string[] = [];
  for (const name of ['Biscuit', 'Pebble', 'Mopsa', 'Tangle']) {
    const { content } = await tools.call('createPet', { name, categoryId: '7' });
    made.push(content.result.name);
  }
  const { content } = await tools.call('listPets');
  expect(content.result.map(({ name }: { name: string }) => name)).toEqual(made);
  expect(content.rateLimit).toMatchObject({ limit: 60, remaining: 55 });
  expect(sent).toBeGreaterThan(5);
});

test('where another process serves the API, its refusals and its absence are reported', async () => {
  await using parts = await startParts();
  const [dashboard] = parts.dashboards;
  if (!dashboard) throw new Error('There is no dashboard.');
  const refused = await sendMessage(dashboard, 'guess', INITIAL);
  expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  expect(await refusalOf(refused)).toMatchObject({ code: 'invalid_api_key', status: 401 });

  await parts.api.end('SIGTERM');
  const called = await sendMessage(dashboard, parts.key, toolCall('listPets'));
  expect(await called.json()).toMatchObject({
    result: { isError: true, structuredContent: { error: { code: 'unavailable', status: 503 } } },
  });
  const unknown = await sendMessage(dashboard, 'guess', INITIAL);
  expect(unknown.headers.get('retry-after')).toBe('1');
  expect(await unknown.json()).toMatchObject({ code: 'unavailable', status: 503 });
});
