import { describe, expect, test } from 'bun:test';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';

/** A service with two requests of an account in the log; the later one failed. */
async function scene() {
  const folder = temporaryFolder();
  const service = await TestService.start({ folder: folder.path });
  const { account, key, secret } = await service.account();
  const send = (path: string) => service.request(path, { key: secret });
  await send('/pets?limit=3');
  await send('/pets/77');
  const { requestLog } = service.stores;
  await eventually(async () => (await requestLog.page(account.id, {}, 10)).length === 2);
  const settings = { PETSTORE_DATA_DIR: folder.path };
  return {
    ...{ account, key, send, settings },
    run: (...args: string[]) => runCommand(['requests', 'list', account.email, ...args], settings),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('petstore requests list', () => {
  test('shows the requests of an account beside the running service, newest first', async () => {
    await using it = await scene();
    const table = (await it.run()).stdout.trimEnd().split('\n');
    expect(table).toHaveLength(3);
    expect(table[1]).toMatch(/ 404 +pet_not_found +GET +\/v1\/pets\/77 /);
    const all = JSON.parse((await it.run('--json', '--since', '1h')).stdout);
    expect(all).toHaveLength(2);
    expect(all[0]).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      requestId: expect.any(String),
      environment: 'production',
      keyId: it.key.id,
      method: 'GET',
      path: '/v1/pets/77',
      status: 404,
      code: 'pet_not_found',
      message: 'No animal has the id 77. List animals to see their ids.',
      durationMs: expect.any(Number),
      replyBytes: expect.any(Number),
      address: expect.any(String),
      userAgent: expect.any(String),
      simulated: false,
      simulation: null,
      replayed: false,
      notRecorded: 0,
    });
    expect(all[1].path).toBe('/v1/pets?limit=3');
  });

  test('filters by environment, status and code', async () => {
    await using it = await scene();
    for (const [option, value, count] of [
      ['--environment', 'staging', 0],
      ['--status', '4xx', 1],
      ['--status', '200', 1],
      ['--code', 'pet_not_found', 1],
      ['--code', 'rate_limited', 0],
    ] as const) {
      const { stdout } = await it.run('--json', option, value);
      expect([option, value, JSON.parse(stdout).length]).toEqual([option, value, count]);
    }
    expect((await it.run('--code', 'rate_limited')).stdout).toBe('No requests that match.\n');
    for (const wrong of [
      ['--status', 'bad'],
      ['--since', 'ever'],
      ['--environment', 'moon'],
    ]) {
      expect((await it.run(...wrong)).code).toBe(2);
    }
    const unknown = ['requests', 'list', 'nobody@example.com'];
    expect(await runCommand(unknown, it.settings)).toMatchObject({ code: 1, stdout: '' });
  });

  test('--follow goes on with new requests, one object a line', async () => {
    await using it = await scene();
    const args = ['requests', 'list', it.account.email, '--follow', '--json', '--since', '1h'];
    const command = startCommand(args, it.settings);
    try {
      const lines = readLines(command.stdout);
      const next = async () => JSON.parse((await lines.next()).value ?? 'null');
      expect(await next()).toMatchObject({ path: '/v1/pets?limit=3' });
      expect(await next()).toMatchObject({ path: '/v1/pets/77' });
      await it.send('/pets/78');
      expect(await next()).toMatchObject({ path: '/v1/pets/78', status: 404 });
      await it.send('/pets/79');
      expect(await next()).toMatchObject({ path: '/v1/pets/79', status: 404 });
      const deletion = ['accounts', 'delete', it.account.email, '--yes'];
      expect((await runCommand(deletion, it.settings)).code).toBe(0);
      expect(await command.exited).toBe(1);
      expect(await new Response(command.stderr).text()).toContain('is deleted');
    } finally {
      command.kill();
      await command.exited;
    }
  });

  test('--follow ends when its reader has ended', async () => {
    await using it = await scene();
    const args = ['requests', 'list', it.account.email, '--follow', '--since', '1h'];
    const command = startCommand(args, it.settings);
    try {
      const reader = command.stdout.getReader();
      await reader.read();
      await reader.cancel();
      await it.send('/pets/78');
      expect(await command.exited).toBe(0);
    } finally {
      command.kill();
      await command.exited;
    }
  });
});

async function* readLines(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of output) {
    text += decoder.decode(part, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}
