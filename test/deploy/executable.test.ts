import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExecutable } from '../../build/executable.ts';
import packageJson from '../../package.json';
import { bundleAssets } from '../../src/dashboard/pages/bundle.ts';
import type { IssuedKeyInfo, MessageInfo } from '../../src/dashboard/shared/api.ts';
import { MailServer, tokenFrom } from '../sign-in/mail-server.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { Collector } from '../support/collector.ts';
import { LOOK_EVERY, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { type CommandResult, ServiceProcess } from '../support/process.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';

const ROOT = join(import.meta.dir, '..', '..');

const home = temporaryFolder(tmpdir());
let executable = '';

beforeAll(async () => {
  executable = await buildExecutable(home.path);
});
afterAll(() => home[Symbol.dispose]());

/** A place with nothing in it but what the executable makes: no variable, no file, no module. */
class EmptyPlace implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #settings: readonly string[];

  constructor(settings: Readonly<Record<string, string>> = {}) {
    const all = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0', ...settings };
    this.#settings = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  }

  run(...args: string[]): Promise<CommandResult> {
    return this.#run([executable, ...args]);
  }

  /** What a person types into a shell here. */
  type(line: string): Promise<CommandResult> {
    return this.#run(['/bin/sh', '-c', line]);
  }

  async #run(command: readonly string[]): Promise<CommandResult> {
    const child = Bun.spawn(this.#bare(command), {
      cwd: this.#folder.path,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  }

  serve(): Promise<ServiceProcess> {
    return ServiceProcess.run(this.#bare([executable, 'serve']), { cwd: this.#folder.path });
  }

  /** A key made by command. */
  async key(): Promise<string> {
    return (await this.run('keys', 'create', 'ada@example.com')).stdout.trim();
  }

  get files(): string[] {
    return readdirSync(this.#folder.path);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }

  #bare(command: readonly string[]): string[] {
    return ['env', '-i', ...this.#settings, ...command];
  }
}

const siteOf = ({ port }: ServiceProcess) => ({ dashboardUrl: `http://localhost:${port}` });

function send(key: string, address: string, body: unknown): Promise<Response> {
  return fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('the build', () => {
  test('leaves one file, which may be run', () => {
    expect(readdirSync(home.path)).toEqual(['petstore']);
    expect(statSync(executable).mode & 0o111).toBe(0o111);
  });

  test('names no address on the machine that it was made on', () => {
    expect(readFileSync(executable).indexOf(ROOT)).toBe(-1);
  });
});

describe('the executable in an empty place', () => {
  test('prints its version without creating any files', async () => {
    using place = new EmptyPlace();
    expect(await place.run('--version')).toMatchObject({
      code: 0,
      stdout: `${packageJson.version}\n`,
    });
    expect(place.files).toEqual([]);
  });

  test('prints the OpenAPI document that is published', async () => {
    using place = new EmptyPlace({ PETSTORE_PORT: '3000' });
    const { stdout } = await place.run('openapi');
    expect(stdout).toBe(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
  });

  test('serves animals to a key made by command, and ends with 0 at SIGTERM', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    const key = await place.key();
    const created = await send(key, `${service.url()}/pets`, { name: 'Biscuit', categoryId: 7 });
    expect(created.status).toBe(201);
    const listed = await fetch(`${service.url()}/pets`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(await listed.json()).toEqual([await created.json()]);
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toMatch(/"signal":"SIGTERM","msg":"stopping".*\n.*"stopped"/);
    expect(place.files).toEqual(['data']);
  });

  test('says what to type next, which makes a key', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    await service.end('SIGTERM');
    const next = /"next":"(.*?)","msg"/.exec(await service.output())?.[1] ?? '';
    const typed = JSON.parse(`"${next}"`);
    expect(await place.type(typed)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^pst_live_\w{36}\n$/),
    });
  });

  test('takes the quickstart’s message, and delivers it', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    const visitor = await Visitor.signUp(siteOf(service));
    const { text } = await visitor.json<IssuedKeyInfo>('POST', '/api/keys', {
      name: 'first',
      environment: 'production',
    });
    const address = `http://localhost:${service.port}/quickstart/messages`;
    const reply = await send(text, address, { message: 'Hello, petstore!' });
    expect(reply.status).toBe(202);
    expect(await reply.json()).toMatchObject({ message: 'Hello, petstore!', status: 'queued' });
    const isDelivered = async () => {
      const inbox = await visitor.json<{ messages: MessageInfo[] }>('GET', '/api/messages');
      return inbox.messages[0]?.status === 'delivered';
    };
    await eventually(isDelivered, undefined, LOOK_EVERY);
  });

  test('serves the pages and all that they load, bundled when it was built', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    const origin = `http://localhost:${service.port}`;
    for (const [path, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/docs', 'text/html; charset=utf-8'],
      ['/docs/operations/createPet', 'text/html; charset=utf-8'],
      ['/docs/guides/errors.md', 'text/markdown; charset=utf-8'],
      ['/openapi.json', 'application/json'],
      ['/openapi.yaml', 'application/yaml'],
      ['/v1/openapi.json', 'application/json'],
      ['/llms.txt', 'text/plain; charset=utf-8'],
      ['/favicon.svg', 'image/svg+xml'],
    ] as const) {
      const reply = await fetch(origin + path);
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 200, type]);
    }
    const { files } = await bundleAssets();
    expect(files.length).toBeGreaterThan(10);
    for (const { name, type, bytes } of files) {
      const reply = await fetch(`${origin}/assets/${name}`);
      expect([name, reply.status]).toEqual([name, 200]);
      expect(reply.headers.get('content-type')).toBe(type);
      expect(Buffer.compare(await reply.bytes(), bytes)).toBe(0);
    }
  });

  test('serves the tools of agents, at /mcp and on stdin and stdout', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    const key = await place.key();
    const { dashboardUrl } = siteOf(service);
    await using remote = await ToolClient.overHttp(dashboardUrl, key, 'auto');
    const made = await remote.call('createPet', { name: 'Biscuit', categoryId: '7' });
    const settings = { PETSTORE_KEY: key, PETSTORE_PUBLIC_URL: dashboardUrl };
    await using local = await ToolClient.overStdio(settings, 'auto', [executable]);
    const listed = await local.call('listPets');
    expect(listed.content.result).toEqual([made.content.result]);
  });

  test('is healthy when it says so, and tells its release to Prometheus', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    using asking = new EmptyPlace({ PETSTORE_OPS_PORT: String(service.opsPort) });
    expect(await asking.run('health', '--ready')).toMatchObject({ code: 0, stdout: 'ready\n' });
    const metrics = await (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
    expect(metrics).toContain(
      `petstore_build_info{version="${packageJson.version}",bun="${Bun.version}"} 1`,
    );
  });

  test('sends mail', async () => {
    await using mail = await MailServer.start();
    using place = new EmptyPlace(mail.settings);
    await using service = await place.serve();
    const visitor = new Visitor(siteOf(service));
    const { email, password } = visitor;
    await visitor.json('POST', '/api/auth/sign-up/email', { email, password, name: '' });
    expect(tokenFrom(await mail.emailTo(email), 'verify-email')).not.toBe('');
  });

  test.skipIf(!hasRedis)('counts in Redis', async () => {
    await using redis = await RedisServer.start();
    using place = new EmptyPlace({ PETSTORE_REDIS_URL: redis.url });
    await using service = await place.serve();
    const key = await place.key();
    const reply = await fetch(`${service.url()}/pets`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('59');
    using client = redis.client();
    expect(await client.redis.dbsize()).toBeGreaterThan(0);
  });

  test('sends traces', async () => {
    using collector = new Collector();
    using place = new EmptyPlace(collector.settings);
    await using service = await place.serve();
    await fetch(`${service.url()}/pets`);
    await eventually(() => collector.find('GET /v1/pets') !== undefined);
  });

  test('backs up, restores and adds animals', async () => {
    using place = new EmptyPlace();
    expect(await place.run('seed', '--pets', '10')).toMatchObject({ code: 0 });
    expect(await place.run('backup', 'kept.tar')).toMatchObject({ code: 0 });
    expect(await place.run('restore', 'kept.tar', '--replace')).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!hasPostgres)('the executable on PostgreSQL', () => {
  test('keeps everything there, and nothing in a file', async () => {
    await using server = await PostgresServer.start();
    using place = new EmptyPlace({
      PETSTORE_DATABASE_URL: await server.createDatabase(),
      PETSTORE_SECRET: SECRET,
    });
    await using service = await place.serve();
    const key = await place.key();
    const created = await send(key, `${service.url()}/pets`, { name: 'Biscuit', categoryId: 7 });
    expect(created.status).toBe(201);
    await Visitor.signUp(siteOf(service));
    expect(await service.end('SIGTERM')).toBe(0);
    expect(place.files).toEqual([]);
  });
});

describeWithBrowser('the executable’s pages', (open) => {
  test('show the dashboard and the reference', async () => {
    using place = new EmptyPlace();
    await using service = await place.serve();
    const origin = `http://localhost:${service.port}`;
    await using visitor = await open({ service: origin });
    await visitor.page.goto(`${origin}/sign-up`);
    await visitor.page.getByRole('button', { name: 'Create account' }).waitFor();
    await visitor.page.goto(`${origin}/docs`);
    await visitor.page.getByText('List all animals').first().waitFor();
  });
});
