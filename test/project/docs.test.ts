import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPERATION_IDS } from '../../src/api/operations.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { PLANS } from '../../src/core/limits/plans.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const pages = ['*.md', 'docs/**/*.md', 'client/*.md'].flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync(ROOT),
]);
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');

describe('the README', () => {
  test('lists every setting with its default and meaning', () => {
    for (const [name, { default: value, purpose }] of Object.entries(SETTINGS)) {
      expect(readme).toContain(`| \`${name}\` | ${value} | ${purpose} |`);
    }
    const listed = [...readme.matchAll(/^\| `(PETSTORE_\w+)`/gm)].map((match) => match[1]);
    expect(listed).toEqual(Object.keys(SETTINGS));
  });

  test('lists the operations and the plans', () => {
    for (const id of OPERATION_IDS) expect(readme).toContain(`| \`${id}\``);
    for (const { title, limits } of Object.values(PLANS)) {
      const numbers =
        limits && [limits.perMinute, limits.perDay].map((n) => n.toLocaleString('en'));
      const [minute, day] = numbers ?? ['Custom', 'Custom'];
      expect(readme).toContain(`| ${title} | ${minute} | ${day} |`);
    }
  });

  test('lists commands that exist, and all of them', async () => {
    const rows = [...readme.matchAll(/^\| `([a-z -]+?)(?: [[A-Z-].*)?` \|/gm)];
    const commands = rows.map((match) => match[1] ?? '').filter((name) => name !== '');
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) {
      const { code, stdout } = await runCommand([...command.split(' '), '--help'], {});
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).toContain(`Usage: petstore ${command}`);
    }
  }, 180_000);

  test('leads a stranger from an empty folder to a 200 by its own shell blocks', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await using service = await ServiceProcess.start(settings);
    const quickstart = readme.slice(
      readme.indexOf('## Quickstart'),
      readme.indexOf('## First calls'),
    );
    const calls = readme.slice(readme.indexOf('## First calls'), readme.indexOf('## The API'));
    // Readers of the quickstart get their key in the dashboard; here it comes from the next section.
    const script = [...`${calls}${quickstart}`.matchAll(/```sh\n([\s\S]*?)```/g)]
      .map((match) => match[1])
      .join('\n')
      .replaceAll('http://localhost:3000', `http://localhost:${service.port}`);
    const shell = Bun.spawn(['bash', '-euc', script], {
      cwd: ROOT,
      env: { ...process.env, ...settings },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const output = await new Response(shell.stdout).text();
    expect(await shell.exited).toBe(0);
    expect([...output.matchAll(/HTTP\/1\.1 (\d+)/gm)].map((match) => match[1])).toEqual([
      '201',
      '200',
      '200',
      '202',
    ]);
    expect(output).toMatch(
      /\{"id":"msg_[0-9a-f]{32}","message":"Hello, petstore!","status":"queued","createdAt":"[\dT:.-]+Z"\}/,
    );
    expect(output).toContain('{"id":1,"name":"Biscuit","categoryId":7,"status":"available"}');
    expect(output).toContain('Added 1000 animals to production.');
  }, 180_000);
});

describe('the documentation', () => {
  test('links only to files that exist', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
        .map((match) => join(dirname(page), match[1] ?? ''))
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${page}: ${target}`),
    );
    expect(pages.length).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  test('says of every dependency what it is for', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map((m) => m[1]);
    expect(listed).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
  });

  test('explains every error code in the OpenAPI document', () => {
    const document = read('openapi.json');
    for (const code of Object.keys(ERRORS)) expect(document).toContain(`\`${code}\``);
  });
});
