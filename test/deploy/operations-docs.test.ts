import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../../src/config/settings.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { hasNginx } from '../support/nginx.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';
import { readyz } from '../support/readyz.ts';
import { clientOf, makeKey, onFolder } from '../support/storage.ts';
import { blocks, startNginx } from './documented-nginx.ts';

const ROOT = join(import.meta.dir, '..', '..');
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');

describe('docs/operations.md', () => {
  test('names only settings that exist', () => {
    const named = [...page.matchAll(/PETSTORE_[A-Z_]+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
  });

  test('names only commands that exist', async () => {
    const commands = new Set(
      [
        ...page.matchAll(
          /`((?:accounts|keys|bans|backup|restore|serve|store|migrate-store|health)(?: [a-z][a-z-]+)*)/g,
        ),
      ].map(([, name = '']) => name),
    );
    expect(commands.size).toBeGreaterThan(6);
    for (const command of commands) {
      const { code, stdout } = await runCommand([...command.split(' '), '--help'], {});
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).toContain(`Usage: petstore ${command}`);
    }
  });

  test('explains every metric that there is, and no other', async () => {
    await using service = await TestService.start();
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const metrics = [...text.matchAll(/^# HELP (\S+)/gm)].map((match) => match[1] ?? '');
    const explained = [...page.matchAll(/^\| `((?:petstore|process)_\w+)`/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(explained.sort()).toEqual(metrics.sort());
  });

  test('has settings that a service starts with', async () => {
    using folder = temporaryFolder();
    const lines = (blocks(page, 'sh')[0] ?? '').trim().split('\n');
    const settings = Object.fromEntries(lines.map((line) => line.split('=', 2)));
    expect(settings.PETSTORE_BASE_URL).toStartWith('https://');
    await using service = await ServiceProcess.startWithPages({
      ...settings,
      ...onFolder(folder.path),
    });
    expect((await readyz(service)).status).toBe(200);
    const headers = { Host: 'petstore.example.com' };
    const llms = await fetch(new URL('/llms.txt', service.url()), { headers });
    const published = await llms.text();
    expect(published).toContain('https://staging.example.com/sandbox');
    expect(published).not.toContain('localhost');
  });

  test('leads through a backup, its check, and a restore by its own lines', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const key = await makeKey(data);
    const script = blocks(page, 'sh')
      .slice(1)
      .join('')
      .replaceAll('before.backup', `${folder.path}/before.backup`);
    const shell = Bun.spawn(['bash', '-euc', script], {
      cwd: ROOT,
      env: { ...process.env, ...onFolder(data) },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const output = await new Response(shell.stdout).text();
    expect([await shell.exited, await new Response(shell.stderr).text()]).toEqual([0, '']);
    expect(output).toMatch(/Wrote [\s\S]*is sound\.[\s\S]*Restored the backup/);
    await using service = await ServiceProcess.start(onFolder(data));
    expect((await clientOf(service, key).listPets()).pets).toEqual([]);
  });

  test.if(hasNginx)('has an nginx through which clients keep their own limits', async () => {
    await using service = await TestService.start({
      settings: { PETSTORE_TRUSTED_PROXIES: '127.0.0.1', PETSTORE_ANONYMOUS_PER_MINUTE: '3' },
    });
    await using nginx = await startNginx([service.port]);
    const { secret } = await service.account();
    const headers = { Authorization: `Bearer ${secret}`, 'X-Forwarded-For': '203.0.113.9' };
    const reply = await fetch(`${nginx.url}/v1/pets`, { headers });
    expect([reply.status, await reply.json()]).toEqual([200, []]);
    const staging = await service.account(undefined, 'staging');
    const moved = await fetch(`${nginx.url}/staging/sandbox/clock`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${staging.secret}`, 'Content-Type': 'application/json' },
      body: '{"advanceSeconds":60}',
    });
    expect(moved.status).toBe(200);
    // The reply of nginx: the service would close the connection after an unknown method.
    const unknown = 'FETCH /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const { replies } = await rawExchange(Number(new URL(nginx.url).port), [unknown]);
    expect(replies.map(({ status }) => status)).toEqual([405]);
    // The address that a client claims is not forwarded: all of these come from one address.
    const stranger = (address: string) =>
      fetch(`${nginx.url}/v1/pets`, { headers: { 'X-Forwarded-For': address } });
    const statuses: number[] = [];
    for (const last of [1, 2, 3, 4]) statuses.push((await stranger(`203.0.113.${last}`)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });
});

test('proxies pass the Host header on with its port, as public addresses with a port need it', () => {
  for (const file of ['docs/operations.md', 'deploy/nginx/nginx.conf']) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const hosts = Array.from(
      text.matchAll(/proxy_set_header\s+Host\s+(\S+);/g),
      ([, host]) => host,
    );
    expect(hosts.length).toBeGreaterThan(0);
    expect(new Set(hosts)).toEqual(new Set(['$http_host']));
  }
});
