import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import MiniSearch from 'minisearch';
import { CONTRACT, OPERATION_IDS } from '../../src/api/all-operations.ts';
import { ERROR_CODES } from '../../src/api/error-catalogue.ts';
import { PARTS, readConfig } from '../../src/config/config.ts';
import { GUIDES } from '../../src/dashboard/reference/guides/guides.ts';
import { searchEntries } from '../../src/dashboard/search/entries.ts';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { INDEX_OPTIONS, queryWords } from '../../src/dashboard/shared/search.ts';
import { HEADERS } from '../../src/http/headers.ts';
import { customer, operator } from '../support/dashboard-scene.ts';
import { TestService } from '../support/harness.ts';

/** The limit for the index, compressed, in bytes. */
const INDEX_BUDGET = 40 * 1024;

const OPERATOR_PAGES = [...PAGE_TITLES].filter(([path]) => path.startsWith('/operator'));

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
});
afterAll(() => service[Symbol.asyncDispose]());

/** The paths of the results on the server's page, best first. @param cookie of the session of the reader, if any. */
async function search(query: string, cookie = ''): Promise<string[]> {
  const address = `${service.dashboardUrl}/docs/search?q=${encodeURIComponent(query)}`;
  const reply = await fetch(address, { headers: { cookie } });
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
    ['orders', '/orders'],
    ['cors', '/docs/guides/cors'],
    ['Access-Control-Allow-Origin', '/docs/guides/cors'],
    ['webhook', '/docs/guides/not-included'],
    ['webhooks', '/docs/guides/not-included'],
    ['OAuth', '/docs/guides/not-included'],
    ['GraphQL', '/docs/guides/not-included'],
    ['passkey', '/account'],
    ['01a203c8-f8e3-7799-8024-4e2be1166997', '/requests?id=01a203c8-f8e3-7799-8024-4e2be1166997'],
    ['x-request-id: "order-17",', '/requests?id=order-17'],
  ])('finds %s', async (query, path) => {
    expect((await search(query)).slice(0, 5)).toContain(path);
  });

  test.each([
    ['rotate a key', '/keys'],
    ['how do I rotate my API key?', '/keys'],
    ['revoke a key', '/keys'],
    ['banned', '/docs/operations/banKey'],
    ['pet not found', '/docs/guides/errors#pet_not_found'],
    ['rate limit', '/docs/guides/limits'],
    ['limit', '/docs/guides/limits'],
    ['change the password', '/account'],
    ['cors', '/docs/guides/cors'],
    ['webhook', '/docs/guides/not-included'],
    ['message', '/messages'],
  ])('shows for %j first %s', async (query, path) => {
    expect((await search(query))[0]).toBe(path);
  });

  test('shows pages and guides before error codes, unless the query names the code', async () => {
    const kinds = (path: string) => (path.includes('guides/errors#') ? 'code' : 'page');
    for (const query of ['key', 'limit', 'ban', 'message', 'header', 'animal']) {
      expect([query, kinds((await search(query))[0] ?? '')]).toEqual([query, 'page']);
    }
  });

  test('offers the pages for operators to operators alone', async () => {
    const boss = await operator(service);
    const person = await customer(service);
    for (const [path, query] of OPERATOR_PAGES) {
      expect([query, await search(query, boss.cookie)]).toEqual([
        query,
        expect.arrayContaining([path]),
      ]);
      for (const cookie of ['', 'petstore_session=forged', person.cookie]) {
        const found = await search(query, cookie);
        expect(found.filter((each) => each.startsWith('/operator'))).toEqual([]);
      }
    }
    const index = await (await fetch(`${service.dashboardUrl}/docs/search.json`)).text();
    expect(index).not.toContain('/operator');
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
      if (path === '/' || NARROW_PAGES.has(path) || path.startsWith('/operator')) continue;
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
    const addresses = addressesOf(service);
    const facts = { addresses, contract: CONTRACT, banPolicy, anonymousLimits };
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

describe('the work of a search is limited', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];

  test.each([
    ['a word that is repeated', Array(100).fill('a').join(' '), 1],
    ['a word in several spellings', 'ban Ban BAN bAN', 1],
    ['many letters', letters.join(' '), 6],
    ['many words', letters.map((letter) => `${letter}word`).join('-'), 6],
    ['separators', ' ,.;:!?'.repeat(25), 0],
  ])('%s', (_name, query, words) => {
    expect(queryWords(query)).toHaveLength(words);
  });

  test('a word is no longer than those of the index', () => {
    expect(queryWords('a'.repeat(200))).toEqual(['a'.repeat(40)]);
  });

  test('a single letter finds only itself', async () => {
    const { postings } = await countingSearch();
    for (const letter of letters) expect(postings(letter)).toBeLessThan(150);
  });

  test('no query looks at more than 1,500 postings', async () => {
    const { postings, terms } = await countingSearch();
    const prefixes = [2, 3, 4].flatMap((length) => terms.map((term) => term.slice(0, length)));
    const beginnings = new Set(prefixes.filter((prefix) => prefix.length > 1));
    const words = [...new Set([...letters, ...beginnings, ...terms])];
    const counted = words.map((word) => ({ word, count: postings(word) }));
    const worst = counted.toSorted((a, b) => b.count - a.count).map(({ word }) => word);
    expect(postings(worst[0] ?? '')).toBeGreaterThan(200);
    for (const query of [worst.slice(0, 100).join(' '), letters.join(' '), 'a '.repeat(100)]) {
      expect(postings(query)).toBeLessThan(1_500);
    }
  });

  test('the most common words are not looked for', async () => {
    expect(await search('the')).toEqual([]);
    expect(await search('the status and The limit')).toEqual(await search('status limit'));
  });

  test('a longer query finds what its first six words find', async () => {
    const words = queryWords('status limit after link next page');
    const found = await search(words.join(' '));
    expect([words.length, found.length > 0]).toEqual([6, true]);
    expect(await search(`${words.join(' ')} webhookery`)).toEqual(found);
  });
});

/** The search on the served index, with a count of the postings that it looks at. */
async function countingSearch() {
  const reply = await fetch(`${service.dashboardUrl}/docs/search.json`);
  let count = 0;
  const { boostDocument, ...searchOptions } = INDEX_OPTIONS.searchOptions;
  const served = await reply.text();
  const index = MiniSearch.loadJSON<{ id: string }>(served, {
    ...INDEX_OPTIONS,
    searchOptions: {
      ...searchOptions,
      // Called once for each posting.
      boostDocument: (...posting) => {
        count += 1;
        return boostDocument(...posting);
      },
    },
  });
  const { index: tree }: { index: readonly [string, unknown][] } = JSON.parse(served);
  return {
    terms: tree.map(([term]) => term),
    postings(query: string): number {
      count = 0;
      index.search(query);
      return count;
    },
  };
}

function addressesOf(of: TestService) {
  return {
    production: of.url('production'),
    staging: of.url('staging'),
    quickstart: of.url('quickstart'),
    sandbox: of.url('sandbox'),
    dashboard: of.dashboardUrl,
  };
}
