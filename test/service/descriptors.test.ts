import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { descriptorLimit } from '../../src/lib/descriptors.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const hasProc = existsSync('/proc/self/limits');

function withLimit(limit: string): string[] {
  return ['bash', '-c', `ulimit ${limit}; exec "$@"`, 'bash'];
}

function limitsOf(pid: number): number[] {
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  const [, soft, hard] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(limits) ?? [];
  return [Number(soft), Number(hard)];
}

describe.skipIf(!hasProc)('the limit of file descriptors', () => {
  test('is raised to the hard one at the start', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const limited = withLimit('-Sn 256');
    await using service = await ServiceProcess.startWithPages(settings, [], limited);
    const [soft, hard] = limitsOf(service.pid);
    expect(soft).toBe(hard ?? 0);
    expect(soft).toBe(descriptorLimit() ?? 0);
  });
});

const WATCH = join(import.meta.dir, '..', '..', 'src', 'storage', 'folder', 'folder-watch.ts');

test.skipIf(!hasProc)(
  'file descriptors that are used up are no problem of the data folder',
  async () => {
    using folder = temporaryFolder();
    const log = join(folder.path, 'log');
    await Bun.write(log, 'log');
    const program = `
    const { FolderWatch } = await import(${JSON.stringify(WATCH)});
    const { openSync } = await import('node:fs');
    const watch = new FolderWatch(${JSON.stringify(folder.path)}, ${JSON.stringify(log)});
    watch.addFile(${JSON.stringify(log)}, { leastLength: () => 1 });
    const before = await watch.problems();
    let refusal;
    while (!refusal) try { openSync('/dev/null'); } catch (error) { refusal = error.code; }
    console.log(JSON.stringify([before, refusal, await watch.problems()]));
  `;
    const command = [...withLimit('-n 256'), process.execPath, '-e', program];
    const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
    const found: unknown = JSON.parse(await new Response(child.stdout).text());
    await child.exited;
    expect(found).toEqual([{}, 'EMFILE', {}]);
  },
);

describe.skipIf(!hasProc)('500 half-sent requests to a service with 256 file descriptors', () => {
  const folder = temporaryFolder();
  const settings = { PETSTORE_DATA_DIR: folder.path };
  let service: ServiceProcess;
  let sockets: Socket[] = [];
  let authorization: string;

  const ops = (path: string) => fetch(`http://127.0.0.1:${service.opsPort}${path}`);
  const create = () =>
    fetch(`http://127.0.0.1:${service.port}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
      body: '{"name":"Biscuit","categoryId":7}',
    });

  /** Opens the connections, unless some are still open. */
  const attack = () => {
    if (sockets.some(({ destroyed }) => !destroyed)) return;
    sockets = Array.from({ length: 500 }, () => connect(service.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHo');
  };

  beforeAll(async () => {
    const { stdout } = await runCommand(['keys', 'create', 'a@example.com'], settings);
    authorization = `Bearer ${stdout.trim()}`;
    service = await ServiceProcess.startWithPages(settings, [], withLimit('-n 256'));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('leave the port of operators working, which says what is wrong', async () => {
    await eventually(async () => {
      attack();
      return (await (await ops('/readyz')).text()).includes('descriptors');
    });
    expect((await ops('/livez')).status).toBe(200);
  });

  test('are dropped, and then new connections are accepted again', async () => {
    await eventually(async () => (await ops('/readyz')).status === 200);
    await eventually(() => sockets.every(({ destroyed }) => destroyed));
    expect((await create()).status).toBe(201);
    const metrics = await (await ops('/metrics')).text();
    expect(metrics).toMatch(/^process_max_fds 256$/m);
    expect(Number(/^process_open_fds (\d+)$/m.exec(metrics)?.[1])).toBeWithin(10, 128);
  });

  test('do no lasting damage, and are in the log', async () => {
    for (let count = 0; count < 20; count += 1) expect((await create()).status).toBe(201);
    expect(await service.end('SIGTERM')).toBe(0);
    const output = await service.output();
    expect(output).toMatch(/"level":40.*"limit":256.*fewer than 4096 file descriptors/);
    expect(output).toMatch(/"level":40.*file descriptors are used up/);
    expect(output).toContain('new connections are accepted again');
    expect(output).not.toMatch(/"level":(?:50|60)/);
  });
});
