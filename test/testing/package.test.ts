import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar';
import packageJson from '../../package.json';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** Runs a command to its end. @returns its output on stdout. */
async function run(command: readonly string[], cwd: string): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env: cleanEnvironment({}),
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

/** Installs the package of `npm pack` in a project, with the dependencies of this checkout. */
async function install(project: string): Promise<string> {
  await run(['npm', 'pack', '--silent', '--pack-destination', project], ROOT);
  const [tarball] = readdirSync(project);
  const installed = join(project, 'node_modules', 'petstore');
  mkdirSync(installed, { recursive: true });
  await extract({ file: join(project, tarball ?? ''), cwd: installed, strip: 1 });
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  return installed;
}

test('the packed project runs by its bin, with Node.js, around a command', async () => {
  // The in-memory folder of other tests does not allow the execution of programs.
  using project = temporaryFolder(tmpdir());
  const installed = await install(project.path);
  const program = `
    const { PETSTORE_URL, PETSTORE_KEY } = process.env;
    const headers = { Authorization: 'Bearer ' + PETSTORE_KEY };
    fetch(PETSTORE_URL + '/pets', { headers }).then(({ status }) => console.log(status));
  `;
  const bin = join(installed, 'bin', 'petstore.js');
  expect(await run([bin, 'run', '--', 'node', '-e', program], project.path)).toBe('200\n');
  expect(await run([bin, '--help'], project.path)).toContain('npx petstore serve');
});

test('the packed project holds no tests and no benchmarks', async () => {
  const listed = JSON.parse(await run(['npm', 'pack', '--dry-run', '--json'], ROOT));
  const paths: string[] = listed[0].files.map(({ path }: { path: string }) => path);
  expect(paths).toContain('src/main.ts');
  expect(paths.filter((path) => /^(?:test|bench|build|client|deploy)\//.test(path))).toEqual([]);
});

test('the packed project needs no overrides, which do not apply where it is installed', () => {
  const { overrides, dependencies } = packageJson;
  for (const pinned of Object.values(overrides)) expect(dependencies).toMatchObject(pinned);
});
