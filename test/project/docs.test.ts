import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importedPackages } from '../../build/bundled-packages.ts';
import { generatedPages } from '../../build/docs.ts';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { PLANS } from '../../src/core/limits/plans.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { headingsOf, linksOf, pages, ROOT, readPage } from './markdown-pages.ts';

const readme = readPage('README.md');
const generated = [...(await generatedPages())];

describe('the README', () => {
  test('is short, and lists the plans', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(131);
    for (const { title, limits } of Object.values(PLANS)) {
      const numbers =
        limits && [limits.perMinute, limits.perDay].map((n) => n.toLocaleString('en'));
      const [minute, day] = numbers ?? ['Custom', 'Custom'];
      expect(readme).toContain(`| ${title} | ${minute} | ${day} |`);
    }
  });

  test('leads a stranger from an empty folder to a 201 and a 429 by its own shell blocks', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    await using service = await ServiceProcess.start(settings);
    const calls = readme.slice(readme.indexOf('## The first 201'), readme.indexOf('## In CI'));
    const script = [...calls.matchAll(/```sh\n([\s\S]*?)```/g)]
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
      '200',
      '429',
    ]);
    expect(output).toMatch(
      /\{"id":"msg_[0-9a-f]{32}","message":"Hello, petstore!","status":"queued","createdAt":"[\dT:.-]+Z"\}/,
    );
    expect(output).toContain('{"id":1,"name":"Biscuit","categoryId":7,"status":"available"}');
    expect(output).toContain('Added 1000 animals to production.');
    expect(output).toMatch(/^Retry-After: [1-9]\d*\r$/m);
  }, 180_000);
});

describe('the pages of docs/', () => {
  test.each(generated)('%s is as `npm run docs` writes it', (name, text) => {
    expect(readPage(`docs/${name}`)).toBe(text);
  });

  test('list every setting with its default and meaning', () => {
    const page = readPage('docs/settings.md');
    for (const [name, { default: value, purpose }] of Object.entries(SETTINGS)) {
      expect(page).toContain(`| \`${name}\` | ${value} | ${purpose} |`);
    }
    const listed = [...page.matchAll(/^\| `(PETSTORE_\w+)`/gm)].map((match) => match[1]);
    expect(listed).toEqual(Object.keys(SETTINGS));
  });

  test('list commands that exist, and all of them', async () => {
    const page = readPage('docs/commands.md');
    const commands = [...page.matchAll(/^\| \[`([a-z -]+)`\]/gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(30);
    for (const command of commands) {
      const { code, stdout } = await runCommand([...command.split(' '), '--help'], {});
      expect([command, code]).toEqual([command, 0]);
      expect(stdout).toContain(`Usage: petstore ${command}`);
      expect(page).toContain(`\n## ${command}\n`);
    }
    const { stdout } = await runCommand(['--help'], {});
    const shown = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('First steps:'));
    const groups = [...shown.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map(([, name]) => name);
    const listed = new Set(commands.map((command) => command.split(' ')[0]));
    expect(groups.length).toBeGreaterThan(15);
    expect(groups.filter((name) => name !== 'help' && !listed.has(name ?? ''))).toEqual([]);
  }, 180_000);

  test('list the operations', () => {
    for (const id of OPERATION_IDS) expect(readPage('docs/api.md')).toContain(`| \`${id}\``);
  });

  test('are all in the index', () => {
    const index = readPage('docs/README.md');
    const linked = [...index.matchAll(/\]\(([^)#]+)/g)].map((match) => match[1] ?? '');
    const files = [...new Bun.Glob('{*,guides/*}.md').scanSync(join(ROOT, 'docs'))];
    expect(files.filter((file) => file !== 'README.md' && !linked.includes(file))).toEqual([]);
  });
});

describe('the documentation', () => {
  test('links only to files and headings that exist', () => {
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, ...link })));
    const broken = links.filter(
      ({ file, heading }) =>
        !existsSync(join(ROOT, file)) || (heading && !headingsOf(file).includes(heading)),
    );
    expect(links.length).toBeGreaterThan(100);
    expect(broken).toEqual([]);
  });

  test('says of every dependency what it is for, and where it is needed', async () => {
    const { dependencies, devDependencies } = JSON.parse(readPage('package.json'));
    const [installed, bundled, others] = readPage('docs/dependencies.md')
      .split('| Package | Why |')
      .slice(1)
      .map((table) => [...table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)]);
    const names = (rows: RegExpExecArray[] = []) => rows.map(([, name = '']) => name);
    expect(names(installed)).toEqual(Object.keys(dependencies));
    expect(names(bundled).concat(names(others)).sort()).toEqual(Object.keys(devDependencies));
    const peers = bundled?.filter(([, , why]) => why?.startsWith('Peer dependency'));
    expect(names(bundled)).toEqual(
      [...(await importedPackages()), ...names(peers)].filter((name) => name !== 'bun').sort(),
    );
    expect(names(others)).toEqual(names(others).toSorted());
  });

  test('knows no package that an installation needs but the runtime', () => {
    expect(Object.keys(JSON.parse(readPage('package.json')).dependencies)).toEqual(['bun']);
  });

  test('explains every error code in the OpenAPI document', () => {
    const document = readPage('openapi.json');
    for (const code of Object.keys(ERRORS)) expect(document).toContain(`\`${code}\``);
  });
});
