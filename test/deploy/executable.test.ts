import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildExecutable } from '../../build/executable.ts';
import packageJson from '../../package.json';
import { bundleAssets } from '../../src/dashboard/pages/bundle.ts';
import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import type { IssuedKeyInfo, MessageInfo } from '../../src/dashboard/shared/api.ts';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { MailServer, tokenFrom } from '../sign-in/mail-server.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { Collector } from '../support/collector.ts';
import { LOOK_EVERY, PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { ToolClient } from '../support/mcp.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { EXECUTABLE, type ServiceProcess } from '../support/process.ts';
import { hasRedis, RedisServer } from '../support/redis-server.ts';
import { goTo } from '../web/web-sign-in-scene.ts';
import { EmptyPlace } from './empty-place.ts';

const ROOT = join(import.meta.dir, '..', '..');

const home = temporaryFolder(tmpdir());
let executable = EXECUTABLE ?? '';

beforeAll(async () => {
  if (EXECUTABLE === undefined) executable = await buildExecutable(home.path);
});
afterAll(() => home[Symbol.dispose]());

function emptyPlace(settings: Readonly<Record<string, string>> = {}): EmptyPlace {
  return new EmptyPlace(executable, settings);
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
    expect(readdirSync(dirname(executable))).toEqual(['petstore']);
    expect(statSync(executable).mode & 0o111).toBe(0o111);
  });

  test('names no address on the machine that it was made on', () => {
    expect(readFileSync(executable).indexOf(ROOT)).toBe(-1);
  });
});

describe('the executable in an empty place', () => {
  test('prints its version without creating any files', async () => {
    using place = emptyPlace();
    expect(await place.run('--version')).toMatchObject({
      code: 0,
      stdout: `${packageJson.version}\n`,
    });
    expect(place.files).toEqual([]);
  });

  test('prints the OpenAPI document that is published', async () => {
    using place = emptyPlace({ PETSTORE_PORT: '3000' });
    const { stdout } = await place.run('openapi');
    expect(stdout).toBe(readFileSync(join(ROOT, 'openapi.json'), 'utf8'));
  });

  test('serves animals to a key made by command, and ends with 0 at SIGTERM', async () => {
    using place = emptyPlace();
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
    using place = emptyPlace();
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
    using place = emptyPlace();
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
    using place = emptyPlace();
    await using service = await place.serve();
    const origin = `http://localhost:${service.port}`;
    const pages = ['/', ...REFERENCE_PATHS, '/docs/search?q=ban'];
    for (const [path, type] of [
      ...pages.map((path) => [path, 'text/html; charset=utf-8'] as const),
      ['/docs/guides/errors.md', 'text/markdown; charset=utf-8'],
      ...['/openapi.json', '/v1/openapi.json', '/docs/search.json'].map(
        (path) => [path, 'application/json'] as const,
      ),
      ['/openapi.yaml', 'application/yaml'],
      ['/llms.txt', 'text/plain; charset=utf-8'],
      ['/favicon.svg', 'image/svg+xml'],
      ['/favicon.ico', 'image/x-icon'],
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
    using place = emptyPlace();
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
    using place = emptyPlace();
    await using service = await place.serve();
    using asking = emptyPlace({ PETSTORE_OPS_PORT: String(service.opsPort) });
    expect(await asking.run('health', '--wait', '60s')).toMatchObject({
      code: 0,
      stdout: 'ready\n',
    });
    const metrics = await (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
    expect(metrics).toContain(
      `petstore_build_info{version="${packageJson.version}",bun="${Bun.version}"} 1`,
    );
  });

  test('sends mail', async () => {
    await using mail = await MailServer.start();
    using place = emptyPlace(mail.settings);
    await using service = await place.serve();
    const visitor = new Visitor(siteOf(service));
    const { email, password } = visitor;
    await visitor.json('POST', '/api/auth/sign-up/email', { email, password, name: '' });
    expect(tokenFrom(await mail.emailTo(email), 'verify-email')).not.toBe('');
  });

  test.skipIf(!hasRedis)('counts in Redis', async () => {
    await using redis = await RedisServer.start();
    using place = emptyPlace(redis.settings);
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
    using place = emptyPlace(collector.settings);
    await using service = await place.serve();
    await fetch(`${service.url()}/pets`);
    await eventually(() => collector.find('GET /v1/pets') !== undefined);
  });

  test('backs up, restores and adds animals', async () => {
    using place = emptyPlace();
    expect(await place.run('seed', '--pets', '10')).toMatchObject({ code: 0 });
    expect(await place.run('backup', 'kept.tar')).toMatchObject({ code: 0 });
    expect(await place.run('restore', 'kept.tar', '--replace')).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!hasPostgres)('the executable on PostgreSQL', () => {
  test('keeps everything there, and nothing in a file', async () => {
    await using server = await PostgresServer.start();
    using place = emptyPlace({
      PETSTORE_DATABASE_URL: await server.createDatabase(),
      PETSTORE_SECRET: SECRET,
    });
    await using service = await place.serve();
    const key = await place.key();
    const pet = { name: 'Biscuit', categoryId: 7 };
    // On a busy machine the first statements may take longer than a request waits.
    await eventually(
      async () => (await send(key, `${service.url()}/pets`, pet)).status === 201,
      undefined,
      LOOK_EVERY,
    );
    await Visitor.signUp(siteOf(service));
    expect(await service.end('SIGTERM')).toBe(0);
    expect(place.files).toEqual([]);
  });
});

describeWithBrowser('the executable’s pages', (open) => {
  test('are whole: each page of the dashboard, the reference and its search', async () => {
    using place = emptyPlace();
    await using service = await place.serve();
    const origin = `http://localhost:${service.port}`;
    await using visitor = await open({ service: origin });
    const { page } = visitor;
    await page.goto(`${origin}/sign-up`);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
    // The new role ends the session, in which an open page would go on asking.
    await page.goto('about:blank');
    expect((await place.run('accounts', 'set-operator', 'ada@example.com')).code).toBe(0);
    await page.goto(`${origin}/sign-in`);
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).waitFor();
    for (const [path, name] of PAGE_TITLES) {
      if (NARROW_PAGES.has(path)) continue;
      await goTo(page, name);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    }
    await page.goto(`${origin}/docs`);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('pet_not_found');
    await page.getByRole('dialog').getByRole('option').first().click();
    await page.waitForURL(/\/docs\/guides\/errors#pet_not_found$/);
    expect(visitor.problems).toEqual([]);
  });
});
