import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ERROR_CODES } from '../../src/api/error-catalogue.ts';
import { OPERATION_IDS } from '../../src/api/operations.ts';
import { PARTS, readConfig } from '../../src/config/config.ts';
import { GUIDES } from '../../src/dashboard/reference/guides/guides.ts';
import { searchEntries } from '../../src/dashboard/search/entries.ts';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { HEADERS } from '../../src/http/headers.ts';
import { TestService } from '../support/harness.ts';

/** The limit for the index, compressed, in bytes. */
const INDEX_BUDGET = 40 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
});
afterAll(() => service[Symbol.asyncDispose]());

/** The paths of the results on the server's page, best first. */
async function search(query: string): Promise<string[]> {
  const reply = await fetch(`${service.dashboardUrl}/docs/search?q=${encodeURIComponent(query)}`);
  expect(reply.status).toBe(200);
  const paths: string[] = [];
  const rewriter = new HTMLRewriter().on('.search-results a', {
    element: (found) => void paths.push(found.getAttribute('href') ?? ''),
  });
  await rewriter.transform(reply).text();
  return paths;
}

describe('the search', () => {
  test.each([
    ['pet_not_found', '/docs/guides/errors#pet_not_found'],
    ['Retry-After', '/docs/guides/headers#retry-after'],
    ['retry after', '/docs/guides/headers#retry-after'],
    ['ban', '/docs/guides/bans'],
    ['paging', '/docs/guides/paging'],
    ['pagign', '/docs/guides/paging'],
    ['createPet', '/docs/operations/createPet'],
    ['list all animals', '/docs/operations/listPets'],
    ['X-RateLimit-Remaining', '/docs/guides/headers#x-ratelimit-remaining'],
    ['Sunset', '/docs/guides/headers#sunset'],
    ['idempot', '/docs/guides/idempotency'],
    ['MCP', '/docs/guides/agents'],
    ['keys', '/keys'],
    ['audit', '/operator/audit'],
    ['passkey', '/account'],
    ['01a203c8-f8e3-7799-8024-4e2be1166997', '/requests?id=01a203c8-f8e3-7799-8024-4e2be1166997'],
    ['x-request-id: "order-17",', '/requests?id=order-17'],
  ])('finds %s', async (query, path) => {
    expect((await search(query)).slice(0, 5)).toContain(path);
  });

  test('finds both errors of a status', async () => {
    const found = await search('429');
    expect(found.slice(0, 2).toSorted()).toEqual([
      '/docs/guides/errors#api_key_banned',
      '/docs/guides/errors#rate_limited',
    ]);
  });

  test('finds every error code, header, operation and guide by its name', async () => {
    for (const code of ERROR_CODES) {
      expect([code, (await search(code))[0]]).toEqual([code, `/docs/guides/errors#${code}`]);
    }
    for (const name of Object.keys(HEADERS)) {
      expect(await search(name)).toContain(`/docs/guides/headers#${name.toLowerCase()}`);
    }
    for (const id of OPERATION_IDS) {
      expect([id, (await search(id))[0]]).toEqual([id, `/docs/operations/${id}`]);
    }
    for (const { name, title } of GUIDES) {
      expect(await search(title)).toContain(`/docs/guides/${name}`);
    }
  });

  test('finds every page of the navigation by its title', async () => {
    for (const [path, title] of PAGE_TITLES) {
      if (path === '/' || NARROW_PAGES.has(path)) continue;
      expect([title, ...(await search(title))]).toContain(path);
    }
  });

  test('says that it found nothing, and shows a query as text', async () => {
    expect(await search('webhookery')).toEqual([]);
    const query = '<script>alert(1)</script>"';
    const reply = await fetch(`${service.dashboardUrl}/docs/search?q=${encodeURIComponent(query)}`);
    const text = await reply.text();
    expect(text).toContain('Nothing was found for “&lt;script&gt;');
    expect(text).not.toContain('<script>alert');
    expect(reply.headers.get('content-security-policy')).toContain("form-action 'self'");
  });

  test('answers whatever port the Host header names', async () => {
    const headers = { Host: 'x:99999' };
    const reply = await fetch(`${service.dashboardUrl}/docs/search?q=ban`, { headers });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('value="ban"');
  });

  test('leads to places that exist', async () => {
    const { banPolicy, anonymousLimits } = readConfig({});
    const facts = { addresses: addressesOf(service), banPolicy, anonymousLimits };
    const entries = searchEntries(facts);
    const byPage = Map.groupBy(entries, ({ path }) => path.split('#')[0] ?? '');
    for (const [page, found] of byPage) {
      const reply = await fetch(service.dashboardUrl + page);
      expect([page, reply.status]).toEqual([page, 200]);
      const html = await reply.text();
      for (const { path } of found) {
        const [, anchor] = path.split('#');
        if (anchor !== undefined)
          expect([path, html.includes(`id="${anchor}"`)]).toEqual([path, true]);
      }
    }
  });

  test(`has an index of at most ${INDEX_BUDGET / 1024} KiB, compressed, which browsers keep`, async () => {
    const address = `${service.dashboardUrl}/docs/search.json`;
    const headers = { 'Accept-Encoding': 'gzip' };
    const reply = await fetch(address, { headers, decompress: false });
    expect(reply.headers.get('content-encoding')).toBe('gzip');
    expect((await reply.arrayBuffer()).byteLength).toBeLessThan(INDEX_BUDGET);
    const known = { ...headers, 'If-None-Match': reply.headers.get('ETag') ?? '' };
    expect((await fetch(address, { headers: known })).status).toBe(304);
  });
});

function addressesOf(of: TestService) {
  return {
    production: of.url('production'),
    staging: of.url('staging'),
    quickstart: of.url('quickstart'),
    sandbox: of.url('sandbox'),
    dashboard: of.dashboardUrl,
  };
}
