import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
});
afterAll(() => service[Symbol.asyncDispose]());

const API_DOCUMENTS = ['/openapi.json', '/openapi.yaml'];
const PAGES_DOCUMENTS = [
  ...['/arazzo.json', '/llms.txt', '/reference.md', '/robots.txt', '/favicon.svg'],
  ...['/docs/operations/createPet', '/docs/guides/errors.md', '/.well-known/api-catalog'],
];

function addressOf(path: string): string {
  return (API_DOCUMENTS.includes(path) ? service.url() : service.dashboardUrl) + path;
}

function get(address: string, known?: string, method = 'GET'): Promise<Response> {
  const headers: HeadersInit = { 'Accept-Encoding': 'identity' };
  if (known !== undefined) headers['If-None-Match'] = known;
  return fetch(address, { method, headers });
}

async function tagOf(address: string): Promise<string> {
  return (await get(address)).headers.get('ETag') ?? '';
}

describe.each([...API_DOCUMENTS, ...PAGES_DOCUMENTS])('the document %s', (path) => {
  test('may be stored, and has a strong tag that stays the same', async () => {
    const first = await get(addressOf(path));
    expect(first.headers.get('Cache-Control')).toBe('no-cache');
    expect(first.headers.get('ETag')).toMatch(/^"[\w-]{22}"$/);
    expect(await tagOf(addressOf(path))).toBe(first.headers.get('ETag') ?? '');
  });

  test('is not sent again to who has it', async () => {
    const tag = await tagOf(addressOf(path));
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const reply = await get(addressOf(path), known);
      expect([reply.status, await reply.text()]).toEqual([304, '']);
      expect(reply.headers.get('ETag')).toBe(tag);
      expect(reply.headers.get('Cache-Control')).toBe('no-cache');
      expect(reply.headers.get('Content-Type')).toBeNull();
    }
    expect((await get(addressOf(path), tag, 'HEAD')).status).toBe(304);
  });

  test('is sent to who has another one', async () => {
    const tag = await tagOf(addressOf(path));
    for (const known of ['"other"', tag.slice(1, -1), '', '"', `x${tag.slice(1)}`]) {
      expect((await get(addressOf(path), known)).status).toBe(200);
    }
  });
});

test('documents of different base addresses have different tags', async () => {
  const documents = [service.url(), service.url('staging'), service.url('quickstart')];
  const tags = await Promise.all(documents.map((base) => tagOf(`${base}/openapi.json`)));
  expect(new Set(tags).size).toBe(3);
});

test('pages of any origin may revalidate a document of the API, and read its tag', async () => {
  const headers = { Origin: 'https://shop.example' };
  const reply = await fetch(`${service.url()}/openapi.json`, { headers });
  expect(reply.headers.get('Access-Control-Expose-Headers')).toContain('ETag');
});

test('an asset is not sent again to who has it in the same encoding', async () => {
  const page = await (await fetch(service.dashboardUrl)).text();
  const [path = ''] = /\/assets\/[\w-]+\.js/.exec(page) ?? [];
  const asset = (encoding: string, known = '""') =>
    fetch(service.dashboardUrl + path, {
      headers: { 'Accept-Encoding': encoding, 'If-None-Match': known },
    });
  const zipped = await asset('gzip');
  const tag = zipped.headers.get('ETag') ?? '';
  expect([zipped.status, tag]).toEqual([200, expect.stringMatching(/^"[^"]+-gzip"$/)]);
  expect((await asset('gzip', tag)).status).toBe(304);
  expect((await asset('br', tag)).status).toBe(200);
  expect((await asset('identity', tag)).status).toBe(200);
});
