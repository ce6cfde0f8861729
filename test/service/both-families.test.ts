import { describe, expect, test } from 'bun:test';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { isWildcard } from '../../src/lib/ip-address.ts';
import { canPreload } from '../storage/disk/faulty-disk.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';

const BOTH = { PETSTORE_HOST: '::', PETSTORE_OPS_HOST: '::' };
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

async function startOn(settings: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const data = { PETSTORE_DATA_DIR: folder.path, ...settings };
  const service = await ServiceProcess.start(data);
  await readyz(service);
  return {
    service,
    data,
    /** Requests left for the client at this address, and the path of the ops port as it answers there. */
    async reach(host: string, headers: Record<string, string> = {}) {
      const pets = await fetch(`http://${host}:${service.port}/v1/pets`, { headers });
      const ready = await fetch(`http://${host}:${service.opsPort}/readyz`);
      const left = pets.headers.get('X-RateLimit-Remaining');
      return [pets.status, Number(left), ready.status, await ready.text()];
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

describe('a service on ::', () => {
  test.skipIf(!hasIpv6)('serves clients of both families, each by its own address', async () => {
    await using it = await startOn({ ...BOTH, PETSTORE_ANONYMOUS_PER_MINUTE: '10' });
    expect(await it.reach('127.0.0.1')).toEqual([401, 9, 200, 'ready\n']);
    expect(await it.reach('127.0.0.1')).toEqual([401, 8, 200, 'ready\n']);
    expect(await it.reach('[::1]')).toEqual([401, 9, 200, 'ready\n']);
    const health = await runCommand(['health', '--ready', '--json'], {
      ...BOTH,
      PETSTORE_OPS_PORT: String(it.service.opsPort),
    });
    expect(health).toMatchObject({ code: 0, stderr: '' });
    expect(health.stdout).toContain('http://127.0.0.1:');
  });

  test.skipIf(!hasIpv6)(
    'treats IPv4-mapped addresses as IPv4: of clients and of proxies',
    async () => {
      const trusted = {
        PETSTORE_TRUSTED_PROXIES: '127.0.0.0/8',
        PETSTORE_ANONYMOUS_PER_MINUTE: '10',
      };
      await using it = await startOn({ ...BOTH, ...trusted });
      const from = async (client: string, host = '127.0.0.1') =>
        (await it.reach(host, { 'X-Forwarded-For': client }))[1];
      expect(await from('192.0.2.1')).toBe(9);
      expect(await from('::ffff:192.0.2.1')).toBe(8);
      expect(await from('::ffff:c000:201')).toBe(7);
      expect(await from('192.0.2.2')).toBe(9);
      // Not a trusted proxy: its own address counts.
      expect(await from('192.0.2.1', '[::1]')).toBe(9);
      expect(await from('192.0.2.3', '[::1]')).toBe(8);
    },
  );

  test.skipIf(!hasIpv6)(
    'records IPv4 clients in the request log with their IPv4 address',
    async () => {
      await using it = await startOn(BOTH);
      const created = await runCommand(['keys', 'create', 'ada@example.com'], it.data);
      const key = created.stdout.trim();
      const { status } = await fetch(`http://127.0.0.1:${it.service.port}/v1/pets`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      expect(status).toBe(200);
      await it.service.end('SIGTERM');
      const listed = await runCommand(['requests', 'list', 'ada@example.com', '--json'], it.data);
      expect(listed.stdout).toContain('"127.0.0.1"');
      expect(listed.stdout + (await it.service.output())).not.toContain('::ffff');
    },
  );

  test.skipIf(!canPreload)('serves IPv4 on a machine without IPv6', async () => {
    using files = temporaryFolder();
    const library = join(files.path, 'no-ipv6.so');
    const source = join(import.meta.dir, 'no-ipv6.c');
    const compiler = Bun.spawn([
      'cc',
      '-shared',
      '-fPIC',
      '-Wall',
      '-Werror',
      '-o',
      library,
      source,
    ]);
    expect(await compiler.exited).toBe(0);
    await using it = await startOn({ ...BOTH, LD_PRELOAD: library });
    expect((await it.reach('127.0.0.1')).slice(2)).toEqual([200, 'ready\n']);
    const settings = { ...BOTH, PETSTORE_OPS_PORT: String(it.service.opsPort) };
    expect(await runCommand(['health'], settings)).toMatchObject({ code: 0 });
    if (hasIpv6) await expect(it.reach('[::1]')).rejects.toThrow();
  });
});

test.each([
  ['::', true],
  ['0.0.0.0', true],
  ['0:0:0:0:0:0:0:0', true],
  ['::1', false],
  ['127.0.0.1', false],
  ['localhost', false],
])('%s stands for all addresses: %p', (host, expected) => {
  expect(isWildcard(host)).toBe(expected);
});
