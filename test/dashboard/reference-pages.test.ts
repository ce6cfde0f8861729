import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { OPERATIONS } from '../../src/api/all-operations.ts';
import { SCHEMAS, schemaName } from '../../src/api/openapi/schemas.ts';
import { PARTS } from '../../src/config/config.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { GUIDES } from '../../src/dashboard/reference/guides/guides.ts';
import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import { TestService } from '../support/harness.ts';
import { elements } from '../support/html.ts';

/** The limit for everything that a page of the reference loads, compressed, in bytes. */
const PAGE_BUDGET = 200 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('the page of an operation', () => {
  test.each(Object.entries(OPERATIONS))(
    '%s shows its request, parameters, fields and errors without a script',
    async (id, operation) => {
      const page = await read(`/docs/operations/${id}`);
      expect(page.text).toContain(operation.summary);
      expect(page.text).toContain(operation.path);
      for (const { name } of operation.parameters) {
        expect(page.ids).toContain(`parameter-${name}`);
      }
      for (const name of fieldsOf(operation.body)) expect(page.ids).toContain(`body-${name}`);
      for (const code of operation.errors) {
        expect(page.ids).toContain(`error-${code}`);
        expect(page.links).toContain(`/docs/guides/errors#${code}`);
      }
    },
  );

  test.each(Object.entries(OPERATIONS))(
    '%s says of each error why it comes and what to do, shows it, and links to its parts',
    async (id, operation) => {
      const { html } = await read(`/docs/operations/${id}`);
      const [errors = ''] = /<section id="errors">[\s\S]*?<\/section>/.exec(html) ?? [];
      const text = plainText(errors);
      for (const code of operation.errors) {
        const { cause, cure, status } = ERRORS[code];
        for (const words of [cause, cure]) expect(text).toContain(words.replaceAll('`', ''));
        expect(text).toMatch(
          new RegExp(`"code": "${code}",\\s+"message": ".+",\\s+"status": ${status}`),
        );
      }
      const [nav = ''] = /<nav class="on-this-page"[\s\S]*?<\/nav>/.exec(html) ?? [];
      const linked = Array.from(nav.matchAll(/href="#([^"]+)"/g), ([, target = '']) => target);
      const sections = Array.from(html.matchAll(/<section id="([^"]+)"><h2>/g), ([, name]) => name);
      expect(linked.filter((name) => name !== 'headers')).toEqual(sections.map(String));
    },
  );

  test('shows the request that its form sends first, so that nothing moves when its script is there', async () => {
    const { html } = await read('/docs/operations/getPet');
    const [, line = ''] = /<output class="try-request[^>]*>([^<]*)</.exec(html) ?? [];
    expect(line).toMatch(/^GET http:\/\/.+\/pets\/[0-9]+$/);
  });

  test('has code in colors by class, with its text unchanged', async () => {
    const { html } = await read('/docs/operations/createPet');
    const curl = /aria-label="The request in curl"><code>([\s\S]*?)<\/code>/.exec(html)?.[1] ?? '';
    expect(curl).toContain('<span class="hljs-string">');
    expect(plainText(curl)).toContain(`-H "Authorization: Bearer YOUR_API_KEY"`);
    const guide = await read('/docs/guides/errors');
    expect(guide.html).toContain('<span class="hljs-keyword">const</span>');
  });

  test.each([
    ['listPets', ['stable']],
    ['getPet', ['stable', 'deprecated']],
    ['updatePet', ['beta']],
    ['createOrder', ['experimental']],
  ])('%s is marked as %j', async (id, marks) => {
    const { html } = await read(`/docs/operations/${id}`);
    const [heading = ''] = /<h1>[\s\S]*?<\/h1>/.exec(html) ?? [];
    const found = heading.matchAll(/<span class="mark mark-(\w+)">\1<\/span>/g);
    expect(Array.from(found, ([, mark]) => String(mark))).toEqual(marks);
  });

  test('shows the constraints of its fields and parameters', async () => {
    const facts = async (id: string, anchor: string) => {
      const { html } = await read(`/docs/operations/${id}`);
      const [item = ''] = new RegExp(`<li id="${anchor}">[\\s\\S]*?</p>`).exec(html) ?? [];
      const found = item.matchAll(/<span class="fact">([\s\S]*?)<\/span>/g);
      return Array.from(found, ([, fact = '']) => plainText(fact).replaceAll(/\s+/g, ' '));
    };
    expect(await facts('listPets', 'parameter-limit')).toEqual([
      ...['query', 'integer', '1 to 100', 'default 20'],
    ]);
    expect(await facts('listPets', 'parameter-status')).toContain('one of available pending sold');
    expect(await facts('createPet', 'body-name')).toEqual(['string', '1 to 255 characters']);
    expect(await facts('createPet', 'body-categoryId')).toContain('integer int64');
    expect(await facts('createPet', 'parameter-Idempotency-Key')).toEqual([
      ...['header', 'string', '1 to 255 characters', 'matches ^[!-~]+$'],
    ]);
  });

  test('says that it is deprecated, where its replies lead', async () => {
    const { secret } = await service.account();
    const { headers } = await service.request('/pets/1', { key: secret });
    const [, link = ''] = /<([^>]+)>; rel="deprecation"/.exec(headers.get('Link') ?? '') ?? [];
    const { pathname, hash } = new URL(link);
    const page = await read(pathname);
    expect(page.ids).toContain(hash.slice(1));
    expect(page.text).toContain('removed on 5 December 2030');
  });

  test('shows text of the contract as text', async () => {
    const page = await read('/docs/operations/listPets');
    expect(page.html).not.toContain('<API_KEY>');
    expect(page.text).toContain('rel="next"');
  });
});

describe('the overview', () => {
  test('lists every operation and guide, also where links to the former page lead', async () => {
    const page = await read('/docs');
    for (const [id, { tag, method, path }] of Object.entries(OPERATIONS)) {
      expect(page.links).toContain(`/docs/operations/${id}`);
      const name = tag.toLowerCase();
      expect(page.ids).toContain(`${name}/tag/${name}/${method}${path}`);
    }
    for (const { name } of GUIDES) expect(page.links).toContain(`/docs/guides/${name}`);
    for (const part of ['production', 'staging', 'quickstart', 'sandbox'] as const) {
      expect(page.text).toContain(service.url(part));
    }
  });
});

describe('the overview', () => {
  test('shows a first call with its reply, and the limits of each plan', async () => {
    const { html, text } = await read('/docs');
    const [sample] = await elements(html, '[aria-label="The request in curl"]');
    expect(sample?.text).toContain(`${service.url('staging')}/pets`);
    const [reply] = await elements(html, '[aria-label="Body of the reply"]');
    expect(JSON.parse(plainText(reply?.text ?? ''))).toEqual(OPERATIONS.listPets.success.example);
    expect(text).toContain('Business1,000100,000');
  });
});

describe('the guides', () => {
  test('explain every error code at an anchor of its own', async () => {
    const { ids } = await read('/docs/guides/errors');
    expect(Object.keys(ERRORS).filter((code) => !ids.includes(code))).toEqual([]);
  });

  test.each(GUIDES.map(({ name }) => name))('%s is there as Markdown, too', async (name) => {
    const reply = await fetch(`${service.dashboardUrl}/docs/guides/${name}.md`);
    expect(reply.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = await reply.text();
    expect(text).toStartWith('# ');
    expect(text).not.toContain('](/');
  });
});

describe('every page of the reference', () => {
  test('has the operations in the menu before the guides, and its own group open', async () => {
    const operations = ['Pets', 'Orders', 'Quickstart', 'Sandbox'];
    for (const [path, open] of [
      ['/docs', [...operations, 'Guides']],
      ['/docs/operations/resetSandbox', operations],
      ['/docs/guides/errors', ['Guides']],
    ] as const) {
      const { html } = await read(path);
      const groups = await elements(html, '.menu-part');
      const titles = await elements(html, '.menu-part > summary');
      expect(titles.map(({ text }) => text)).toEqual([...operations, 'Guides']);
      const opened = titles.filter((_, index) => groups[index]?.attributes.has('open'));
      expect(opened.map(({ text }) => text)).toEqual([...open]);
      expect(await elements(html, '.menu [aria-current="page"]')).toHaveLength(1);
    }
  });

  test.each([...REFERENCE_PATHS])(
    '%s has one heading, a canonical address and one main part',
    async (path) => {
      const page = await read(path);
      expect(page.html.match(/<h1/g)?.length).toBe(1);
      expect(page.html.match(/<main/g)?.length).toBe(1);
      expect(page.html).toContain(`<link rel="canonical" href="${service.dashboardUrl}${path}">`);
      expect(page.html).toMatch(/<meta name="description" content="[^"]{20,}">/);
      expect(new Set(page.ids).size).toBe(page.ids.length);
    },
  );

  test('leads to the next page and to its text, in the order of the menu', async () => {
    const inMenu = await elements((await read('/docs')).html, '.menu [href^="/docs"]');
    const paths = inMenu.map(({ attributes }) => attributes.get('href') ?? '');
    const visited: string[] = [];
    let path: string | undefined = '/docs';
    while (path !== undefined) {
      visited.push(path);
      const { html, links } = await read(path);
      expect(links).toContain(path === '/docs' ? '/reference.md' : `${path}.md`);
      const [next] = await elements(html, '.page-end [rel="next"]');
      path = next?.attributes.get('href');
    }
    expect(visited).toEqual(paths);
  });

  test('has no link that leads nowhere', async () => {
    const paths = [...REFERENCE_PATHS];
    const pages = await Promise.all(paths.map(async (path) => [path, await read(path)] as const));
    const idsOf = new Map(pages.map(([path, { ids }]) => [path, ids]));
    const links = pages.flatMap(([path, page]) =>
      page.links.map((link) => new URL(link, service.dashboardUrl + path)),
    );
    const broken = links.filter(
      ({ pathname, hash }) =>
        idsOf.has(pathname) &&
        hash !== '' &&
        !idsOf.get(pathname)?.includes(decodeURIComponent(hash.slice(1))),
    );
    expect(broken.map(String)).toEqual([]);
    const own = links.filter(({ origin }) => origin === service.dashboardUrl);
    for (const path of new Set(own.map(({ origin, pathname }) => origin + pathname))) {
      expect([path, (await fetch(path)).status]).toEqual([path, 200]);
    }
  });

  test(`loads at most ${PAGE_BUDGET / 1024} KiB, compressed`, async () => {
    const path = '/docs/operations/listPets';
    const { loaded } = await read(path);
    const sizes = await Promise.all([path, ...loaded].map(sentBytes));
    expect(loaded.some((address) => address.endsWith('.css'))).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(PAGE_BUDGET);
  });

  test('is sent compressed, and not again to who has it', async () => {
    const address = `${service.dashboardUrl}/docs`;
    const headers = { 'Accept-Encoding': 'gzip' };
    const reply = await fetch(address, { headers, decompress: false });
    expect(gunzipSync(await reply.bytes()).toString()).toContain('<h1>API reference</h1>');
    const known = { ...headers, 'If-None-Match': reply.headers.get('ETag') ?? '' };
    expect((await fetch(address, { headers: known })).status).toBe(304);
  });

  test('leads nowhere from an unknown operation or guide', async () => {
    for (const path of ['/docs/operations/dropPet', '/docs/guides/nothing', '/docs/x.md']) {
      expect((await fetch(service.dashboardUrl + path)).status).toBe(404);
    }
  });
});

interface Page {
  readonly html: string;
  /** The text without tags and scripts. */
  readonly text: string;
  readonly ids: readonly string[];
  readonly links: readonly string[];
  /** The addresses of scripts and styles below the dashboard's address. */
  readonly loaded: readonly string[];
}

async function read(path: string): Promise<Page> {
  const reply = await fetch(service.dashboardUrl + path);
  expect(reply.status).toBe(200);
  const html = await reply.text();
  const ids: string[] = [];
  const links: string[] = [];
  const loaded: string[] = [];
  const rewriter = new HTMLRewriter()
    .on('[id]', { element: (found) => void ids.push(found.getAttribute('id') ?? '') })
    .on('a', { element: (found) => void links.push(found.getAttribute('href') ?? '') })
    .on('script[src]', { element: (found) => void loaded.push(found.getAttribute('src') ?? '') })
    .on('link[rel=stylesheet]', {
      element: (found) => void loaded.push(found.getAttribute('href') ?? ''),
    });
  await rewriter.transform(new Response(html)).text();
  return { html, text: plainText(html), ids, links, loaded };
}

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function fieldsOf(body: Parameters<typeof schemaName>[0] | undefined): string[] {
  const schema = body === undefined ? undefined : SCHEMAS[schemaName(body)];
  return Object.keys(schema?.properties ?? {});
}

/** The size of the transfer to a browser that accepts gzip. */
async function sentBytes(path: string): Promise<number> {
  const headers = { 'Accept-Encoding': 'gzip' };
  const reply = await fetch(service.dashboardUrl + path, { headers, decompress: false });
  return (await reply.arrayBuffer()).byteLength;
}
