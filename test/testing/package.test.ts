import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';
import packageJson from '../../package.json';
import { Visitor } from '../support/dashboard-visitor.ts';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, ServiceProcess } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** Runs a command to its end. @returns its output on stdout. */
async function run(
  command: readonly string[],
  cwd: string,
  env = cleanEnvironment({}),
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return stdout;
}

/** Installs the package of `npm pack` in a project, with nothing of this checkout but the runtime. */
async function install(project: string): Promise<string> {
  await run(['npm', 'pack', '--silent', '--pack-destination', project], ROOT);
  const [tarball] = readdirSync(project);
  const installed = join(project, 'node_modules', 'petstore');
  mkdirSync(installed, { recursive: true });
  await extract({ file: join(project, tarball ?? ''), cwd: installed, strip: 1 });
  mkdirSync(join(project, 'node_modules', '.bin'));
  symlinkSync('../petstore/bin/petstore.js', join(project, 'node_modules', '.bin', 'petstore'));
  for (const name of ['bun', '@oven']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  return installed;
}

let project: ReturnType<typeof temporaryFolder>;
let installed: string;
const bin = () => join(installed, 'bin', 'petstore.js');

beforeAll(async () => {
  // The in-memory folder of other tests does not allow the execution of programs.
  project = temporaryFolder(tmpdir());
  installed = await install(project.path);
});
afterAll(() => project[Symbol.dispose]());

test('the packed project runs by its bin, with Node.js, around a command', async () => {
  const program = `
    const { PETSTORE_URL, PETSTORE_KEY } = process.env;
    const headers = { Authorization: 'Bearer ' + PETSTORE_KEY };
    fetch(PETSTORE_URL + '/pets', { headers }).then(({ status }) => console.log(status));
  `;
  expect(await run([bin(), 'run', '--', 'node', '-e', program], project.path)).toBe('200\n');
  expect(await run([bin(), '--help'], project.path)).toContain('npx petstore serve');
});

test('the packed project serves the API and the dashboard, with their threads', async () => {
  const data = join(project.path, 'data');
  const settings = { PETSTORE_DATA_DIR: data, PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
  const env = cleanEnvironment(settings);
  const key = (await run([bin(), 'keys', 'create', 'a@example.com'], project.path, env)).trim();
  const service = await ServiceProcess.run([bin(), 'serve'], { cwd: project.path, env });
  try {
    const dashboardUrl = `http://localhost:${service.port}`;
    const created = await fetch(`${service.url()}/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{"name": "Biscuit", "categoryId": 7}',
    });
    expect(created.status).toBe(201);
    for (const path of ['/', '/docs', '/docs/guides/errors', '/docs/operations/createPet']) {
      const page = await fetch(dashboardUrl + path);
      const text = await page.text();
      expect([path, page.status]).toEqual([path, 200]);
      const assets = [...text.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)];
      expect(assets.length).toBeGreaterThan(1);
      for (const [, asset = ''] of assets) {
        expect([asset, (await fetch(new URL(asset, dashboardUrl))).status]).toEqual([asset, 200]);
      }
    }
    // The password is rated in a thread, and the account is saved in another one.
    const visitor = await Visitor.signUp({ dashboardUrl });
    expect(visitor.accountId).not.toBe('');
    const checked = JSON.parse(await run([bin(), 'store', 'check', '--json'], project.path, env));
    expect(checked).toContainEqual({ file: join(data, 'production.db'), damage: null });
  } finally {
    // The program passes it on to the runtime.
    await service.end('SIGTERM');
  }
  // What the pages were bundled from is not there, so nothing was made or kept.
  expect(existsSync(join(data, 'pages.bundle'))).toBe(false);
  expect(readdirSync(join(project.path, 'node_modules')).sort()).toEqual([
    '.bin',
    '@oven',
    'bun',
    'petstore',
  ]);
}, 120_000);

test('a service of npx stops with it, and one that a script put into the background goes on', async () => {
  const settings = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
  const inFolder = (name: string) => ({
    cwd: project.path,
    env: cleanEnvironment({ ...settings, PETSTORE_DATA_DIR: join(project.path, name) }),
  });
  const scripts = { background: 'petstore serve & wait' };
  await Bun.write(join(project.path, 'package.json'), JSON.stringify({ scripts }));
  const serve = ['npx', 'petstore', 'serve'];
  await using ofNpx = await ServiceProcess.run(serve, inFolder('of-npx'));
  const background = ['npm', 'run', 'background'];
  await using ofScript = await ServiceProcess.run(background, inFolder('of-script'));
  // npm signals its shell alone.
  await Promise.all([ofNpx.end('SIGTERM'), ofScript.end('SIGTERM')]);
  expect(await ofNpx.output()).toContain('"msg":"stopped"');
  expect((await fetch(`${ofScript.url()}/openapi.json`)).status).toBe(200);
  process.kill(ofScript.servicePid, 'SIGTERM');
  expect(await ofScript.output()).toContain('"msg":"stopped"');
}, 120_000);

test('the checkout that was packed runs its source', async () => {
  expect(existsSync(join(ROOT, 'lib', 'main.js'))).toBe(true);
  expect(await run([join(ROOT, 'bin', 'petstore.js'), '--help'], ROOT)).toContain('npm start');
});

test('the packed project holds what runs, the pages about it, and nothing else', () => {
  const paths = [...new Bun.Glob('**/*').scanSync(installed)];
  expect(paths).toContain('lib/main.js');
  expect(paths).toContain('lib/pages/pages.bundle');
  expect(paths).toContain('lib/petstore.cdx.json');
  expect(paths).toContain('docs/operations.md');
  const folders = new Set(
    paths.filter((path) => path.includes('/')).map((path) => path.split('/')[0]),
  );
  expect([...folders].sort()).toEqual(['bin', 'docs', 'lib']);
  const naming = paths.filter((path) => readFileSync(join(installed, path)).includes(ROOT));
  expect(naming).toEqual([]);
});

test('the packed project needs no overrides, which do not apply where it is installed', () => {
  const { overrides, dependencies } = packageJson;
  const overridden = Object.entries(overrides).flatMap(([name, pinned]) => [
    name,
    ...Object.keys(pinned),
  ]);
  expect(overridden.filter((name) => name in dependencies)).toEqual([]);
});
