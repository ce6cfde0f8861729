import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { TestService } from '../support/harness.ts';
import { headingsOf, ROOT, readPage } from './markdown-pages.ts';

/*
 * Addresses that people have by now: in the output of the service, in files that they have copied, and in what was
 * said of the first release.
 */

/** Files whose text people see or copy. */
const SOURCES = [
  'src/**/*.{ts,tsx,md}',
  '{client,testing}/{src/**/*.ts,README.md}',
  'deploy/**/*',
  'examples/**/*.{ts,mjs,py,go}',
  '{compose.yaml,Dockerfile,.env.example}',
  '{CHANGELOG,CONTRIBUTING,SECURITY}.md',
  'openapi*.json',
].flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })]);

/** Everything in these files that a pattern finds, once each. */
function named(files: readonly string[], pattern: RegExp): string[] {
  const found = files.flatMap((file) => [...readPage(file).matchAll(pattern)]);
  return [...new Set(found.map(([text]) => text))].sort();
}

describe('a file that is named by the service, the changelog or a configuration', () => {
  const files = named(SOURCES, /(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g);

  test('is found by the patterns of this test', () => {
    expect(files).toContain('docs/generators.md');
    expect(files).toContain('docs/guides/sandbox.md');
    expect(files).toContain('docs/operations.md');
    expect(files).toContain('docs/settings.md');
  });

  test.each(files)('exists: %s', (address) => {
    const [file = '', heading] = address.split('#');
    expect(existsSync(join(ROOT, file))).toBe(true);
    if (heading !== undefined) expect(headingsOf(file)).toContain(heading);
  });
});

describe('an address of a running service', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ parts: PARTS });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const changelog = readPage('CHANGELOG.md');
  const released = changelog.slice(changelog.indexOf('## 1.0.0'));
  const announced = [...new Set(released.match(/(?<=`)\/[a-z][\w./-]*(?=`)/g))].sort();

  test('that 1.0.0 announced is found by the pattern of this test', () => {
    expect(announced).toEqual(
      expect.arrayContaining(['/docs', '/llms.txt', '/mcp', '/readyz', '/reference.md']),
    );
  });

  test.each(announced)('that 1.0.0 announced resolves: %s', async (path) => {
    const base = /^\/(?:livez|readyz|metrics)$/.test(path)
      ? service.opsUrl
      : service.url('dashboard');
    const { status } = await fetch(base + path);
    // The tools ask for a key first.
    expect(status).toBe(path === '/mcp' ? 401 : 200);
  });

  const linked = named(
    SOURCES,
    /(?<=["'`(])\/docs\/(?:guides|operations)\/[\w-]+(?:\.md)?(?:#[\w-]+)?(?=["'`)])/g,
  );

  test.each(linked.filter((path) => !/NAME/.test(path)))(
    'that it names resolves: %s',
    async (path) => {
      const reply = await fetch(service.url('dashboard') + path);
      const [, heading] = path.split('#');
      const text = await reply.text();
      expect(reply.status).toBe(200);
      if (heading !== undefined) expect(text).toContain(`id="${heading}"`);
    },
  );

  test('explains each error code where errors are explained', async () => {
    const page = await (await fetch(`${service.url('dashboard')}/docs/guides/errors`)).text();
    for (const code of Object.keys(ERRORS)) expect(page).toContain(`id="${code}"`);
  });
});
