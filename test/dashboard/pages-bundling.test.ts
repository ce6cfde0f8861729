import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servedAssets } from '../../src/dashboard/pages/asset-files.ts';
import { bundleAssets } from '../../src/dashboard/pages/bundle.ts';
import { createPages } from '../../src/dashboard/pages/pages.ts';
import { LazyParts } from '../../src/lib/lazy.ts';
import { temporaryFolder } from '../support/harness.ts';
import { PAGE_FACTS } from '../support/page-facts.ts';

const UNUSED = 'http://localhost:1';

const FACTS = {
  ...PAGE_FACTS,
  addresses: {
    production: UNUSED,
    staging: UNUSED,
    quickstart: UNUSED,
    sandbox: UNUSED,
    dashboard: UNUSED,
  },
};

/** Frames without any content. */
const RENDERED = `
  export const frames = { visitor: {}, member: {}, anybody: '', firstView: '' };
  export const themeStyles = '';
`;

describe('source that cannot be bundled', () => {
  test("is an error with the bundler's message, and is bundled again for the next page", async () => {
    using folder = temporaryFolder();
    const write = (script: string) => {
      writeFileSync(join(folder.path, 'main.tsx'), script);
      mkdirSync(join(folder.path, 'reference'), { recursive: true });
      writeFileSync(join(folder.path, 'reference/reference.ts'), 'document.title = "reference";');
      writeFileSync(join(folder.path, 'theme-first.ts'), 'document.title = "theme";');
      mkdirSync(join(folder.path, 'rendered'), { recursive: true });
      writeFileSync(join(folder.path, 'rendered/rendered.tsx'), RENDERED);
    };
    const load = async () => servedAssets(await bundleAssets(folder.path));
    const pages = createPages(FACTS, new LazyParts(), { find: load, load });
    const page = () => pages.handle(new Request(UNUSED), '/');
    write('import "./missing.ts";');
    await expect(page()).rejects.toThrow(/main\.tsx[\s\S]*missing\.ts/);
    write('document.title = "main";');
    expect((await page()).status).toBe(200);
  });
});

test('the first page comes, however long it is prepared', async () => {
  const idle = Promise.withResolvers<Response>();
  const prepared = Promise.withResolvers<void>();
  const connections = {
    closeAfter: (request: Request, seconds: number) => server.timeout(request, seconds),
  };
  const load = async () => {
    await prepared.promise;
    return servedAssets(await bundleAssets());
  };
  const pages = createPages({ ...FACTS, connections }, new LazyParts(), { find: load, load });
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 1,
    fetch: (request) =>
      new URL(request.url).pathname === '/idle' ? idle.promise : pages.handle(request, '/'),
  });
  const page = fetch(server.url);
  // The server closes the connection of the idle request; the request for the page is as old.
  await fetch(new URL('/idle', server.url)).catch(() => {});
  prepared.resolve();
  expect((await page).status).toBe(200);
  idle.resolve(new Response());
});
