import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { INITIALIZE, ToolClient, toolCall } from '../support/mcp.ts';
import { cleanEnvironment, PROGRAM, runCommand } from '../support/process.ts';

const KEY = generateApiKey('production');
const GUIDE = readFileSync(
  join(import.meta.dir, '..', '..', 'docs', 'guides', 'agents.md'),
  'utf8',
);

/** Starts `petstore mcp` in an empty folder. */
function start(settings: Readonly<Record<string, string>>, cwd: string) {
  return Bun.spawn([...PROGRAM, 'mcp'], {
    env: cleanEnvironment(settings),
    cwd,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

describe('petstore mcp', () => {
  test.each([
    ['without a key', {}, 'Set PETSTORE_KEY to an API key.'],
    ['with a typing mistake', { PETSTORE_KEY: `${KEY}x` }, 'PETSTORE_KEY is not an API key'],
    [
      'with a wrong address',
      { PETSTORE_KEY: KEY, PETSTORE_PUBLIC_URL: 'x' },
      'PETSTORE_PUBLIC_URL',
    ],
    ['with a bad address', { PETSTORE_KEY: KEY, PETSTORE_URL: 'x' }, 'PETSTORE_URL must be'],
  ])('refuses to start %s', async (_name, settings, message) => {
    const { code, stdout, stderr } = await runCommand(['mcp'], settings);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(KEY);
  });

  test('writes the protocol alone to stdout, and ends when stdin does', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    using folder = temporaryFolder();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    const child = start(settings, folder.path);
    const lines = linesOf(child.stdout);
    const ask = async (message: object) => {
      child.stdin.write(`${JSON.stringify(message)}\n`);
      await child.stdin.flush();
      return JSON.parse((await lines.next()).value ?? '');
    };
    const opened = await ask(INITIALIZE);
    expect(opened).toMatchObject({ id: 1, result: { serverInfo: { name: 'petstore' } } });
    child.stdin.write('this is no JSON\n');
    const called = await ask({
      ...toolCall('createPet', { name: 'Biscuit', categoryId: '7' }),
      id: 2,
    });
    expect(called).toMatchObject({ id: 2, result: { structuredContent: { result: { id: '1' } } } });
    await child.stdin.end();
    expect((await lines.next()).done).toBe(true);
    expect(await child.exited).toBe(0);
    // The command needs no data folder, and creates none.
    expect([...new Bun.Glob('**').scanSync({ cwd: folder.path, onlyFiles: false })]).toEqual([]);
    expect(await new Response(child.stderr).text()).not.toContain(secret);
  });

  test('answers all that it has read before it ends', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    using folder = temporaryFolder();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    const child = start(settings, folder.path);
    const call = { ...toolCall('createPet', { name: 'Biscuit', categoryId: '7' }), id: 2 };
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const messages = [INITIALIZE, initialized, call, { ...call, id: 3 }];
    child.stdin.write(messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await child.stdin.end();
    const replies = (await new Response(child.stdout).text()).trim().split('\n');
    expect(replies.map((line) => JSON.parse(line).id).sort()).toEqual([1, 2, 3]);
    expect(await child.exited).toBe(0);
  });

  test('refuses ids beyond 2^53 in words, and goes on', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    using folder = temporaryFolder();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    const child = start(settings, folder.path);
    const lines = linesOf(child.stdout);
    const send = async (line: string) => {
      // The line is sent in two pieces, like through a pipe.
      child.stdin.write(line.slice(0, 20));
      await child.stdin.flush();
      child.stdin.write(`${line.slice(20)}\n`);
      await child.stdin.flush();
      return JSON.parse((await lines.next()).value ?? '');
    };
    await send(JSON.stringify(INITIALIZE));
    for (const id of ['9007199254740993', '-9007199254740993', '1.5']) {
      const refused = await send(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`);
      expect([id, refused]).toEqual([
        id,
        {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32600, message: expect.stringContaining('within 2^53 - 1, or text') },
        },
      ]);
    }
    const called = await send(
      `{"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call","params":{"name":"createPet","arguments":{"name":"a\u2028b","categoryId":"7"}}}`,
    );
    expect(called).toMatchObject({
      id: 9_007_199_254_740_991,
      result: { structuredContent: { result: { name: 'a\u2028b' } } },
    });
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe('');
  });

  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
  ])('offers a revision only whole, and refuses batches: %s', async (asked, offered) => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    using folder = temporaryFolder();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    const child = start(settings, folder.path);
    const params = { ...INITIALIZE.params, protocolVersion: asked };
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    const messages = [
      { ...INITIALIZE, params },
      [ping, { ...ping, id: 3 }],
      [],
      { ...ping, id: 4 },
    ];
    child.stdin.write(messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await child.stdin.end();
    const lines = (await new Response(child.stdout).text()).trim().split('\n');
    const replies = lines.map((line) => JSON.parse(line));
    const refused = {
      id: null,
      error: { code: -32600, message: expect.stringContaining('batches') },
    };
    expect(replies).toHaveLength(4);
    expect(replies.filter(({ id }) => id === null)).toMatchObject([refused, refused]);
    expect(replies.find(({ id }) => id === 1).result.protocolVersion).toBe(offered);
    expect(replies.find(({ id }) => id === 4).result).toEqual({});
    expect(await child.exited).toBe(0);
  });

  test('says that the service does not answer, and works once it does', async () => {
    const first = await TestService.start({ parts: PARTS });
    const { secret } = await first.account();
    const settings = { PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: first.dashboardUrl };
    await using tools = await ToolClient.overStdio(settings);
    expect((await tools.call('listPets')).isError).toBe(false);
    const { port } = first;
    await first.stop();
    const { isError, content } = await tools.call('createPet', {
      name: 'Biscuit',
      categoryId: '7',
    });
    expect([isError, content.error?.code, content.error?.status]).toEqual([
      true,
      'unavailable',
      503,
    ]);
    expect(content.error?.message).toContain('carried out before you repeat it');
    await using again = await TestService.start({
      parts: PARTS,
      folder: first.folder.path,
      settings: { PETSTORE_PORT: String(port) },
    });
    expect((await tools.call('listPets')).content.result).toEqual([]);
    await again.stop();
    first.folder[Symbol.dispose]();
  });

  test('uses the addresses that `run` sets for its command', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const variables = { PETSTORE_KEY: secret, PETSTORE_URL: `${service.url()}/` };
    await using tools = await ToolClient.overStdio(variables);
    expect((await tools.call('listPets')).content.result).toEqual([]);
  });

  test('says so when something else answers at the address', async () => {
    using other = Bun.serve({ port: 0, fetch: () => new Response('<h1>Hello</h1>') });
    const settings = { PETSTORE_KEY: KEY, PETSTORE_PUBLIC_URL: `http://localhost:${other.port}` };
    await using tools = await ToolClient.overStdio(settings);
    const { isError, content } = await tools.call('listPets');
    expect([isError, content.error?.code]).toEqual([true, 'unavailable']);
    expect(content.error?.message).toContain('not one of the API (status 200)');
  });
});

describe('the configurations of the guide', () => {
  const blocks = [...GUIDE.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text);

  test('are JSON, and name the address of the tools or the command', () => {
    expect(blocks.length).toBeGreaterThan(2);
    for (const text of blocks) {
      expect(() => JSON.parse(text)).not.toThrow();
      expect(text).toMatch(/"http:\/\/localhost:3000\/mcp"|"mcp"/);
    }
  });

  test('start a process that works', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    const text = blocks.find((block) => block.includes('"command"')) ?? '{}';
    const { args, env } = JSON.parse(text).mcpServers.petstore;
    expect(args).toEqual(['mcp']);
    const filled = { ...env, PETSTORE_KEY: secret, PETSTORE_PUBLIC_URL: service.dashboardUrl };
    expect(Object.keys(filled)).toEqual(Object.keys(env));
    await using tools = await ToolClient.overStdio(filled);
    expect((await tools.call('listPets')).content.result).toEqual([]);
  });
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
  if (text !== '') yield text;
}
