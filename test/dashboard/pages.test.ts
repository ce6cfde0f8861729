import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { bundleAssets } from '../../src/dashboard/pages/bundle.ts';
import { createPages } from '../../src/dashboard/pages/pages.ts';
import { LazyParts } from '../../src/lib/lazy.ts';
import { TestService } from '../support/harness.ts';
import { elements } from '../support/html.ts';
import { PAGE_FACTS } from '../support/page-facts.ts';

const APPLICATION_PATHS = [
  ...['/', '/sign-in', '/sign-up', '/forgot-password', '/reset-password', '/verify-email'],
  ...['/animals', '/orders', '/keys', '/usage', '/messages', '/sandbox', '/plan', '/account'],
  ...[
    '/operator',
    '/operator/accounts/acct_1',
    '/operator/overview',
    '/operator/bans',
    '/operator/orders',
    '/operator/audit',
  ],
];
const REFERENCE_PATHS = ['/docs', '/docs/operations/createPet', '/docs/guides/errors'];
const PAGES = [...APPLICATION_PATHS, ...REFERENCE_PATHS, '/nowhere'];

describe('the pages', () => {
  test.each(APPLICATION_PATHS)(
    '%s answers with the application, never from a cache',
    async (path) => {
      await using service = await TestService.start({ parts: PARTS });
      const reply = await fetch(service.dashboardUrl + path);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(await reply.text()).toContain('<div id="root"><a class="skip-link"');
    },
  );

  test('show the frame and the heading before any script has run', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const headings = async (path: string, cookie = '') => {
      const reply = await fetch(service.dashboardUrl + path, { headers: { cookie } });
      const text = await reply.text();
      const links = (await elements(text, 'nav a')).map(({ attributes }) => attributes.get('href'));
      return { headings: (await elements(text, 'h1')).map((each) => each.text), links };
    };
    const home = await headings('/');
    expect(home).toEqual({
      headings: ['A petstore that really behaves'],
      links: ['/', '/sign-in', '/sign-up', '/docs'],
    });
    expect((await headings('/keys')).headings).toEqual(['Sign in']);
    expect((await headings('/sign-up')).headings).toEqual(['Create account']);
    const keys = await headings('/keys', 'petstore_session=any');
    expect(keys.headings).toEqual(['Keys']);
    expect(keys.links).toContain('/usage');
    expect(keys.links).not.toContain('/operator');
  });

  test('have previews of links to them, from this origin', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/', '/docs/guides/errors']) {
      const text = await (await fetch(service.dashboardUrl + path)).text();
      const meta = new Map(
        (await elements(text, 'meta')).map(({ attributes }) => [
          attributes.get('property'),
          attributes.get('content'),
        ]),
      );
      expect(meta.get('og:url')).toBe(service.dashboardUrl + path);
      expect(meta.get('og:title')).toEndWith('Petstore');
      const image = meta.get('og:image') ?? '';
      expect(image).toStartWith(`${service.dashboardUrl}/assets/preview-`);
      expect((await fetch(image)).headers.get('content-type')).toBe('image/png');
    }
  });

  test('have an icon for browsers that ask for favicon.ico', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const reply = await fetch(`${service.dashboardUrl}/favicon.ico`);
    expect(reply.headers.get('content-type')).toBe('image/x-icon');
    expect(reply.headers.get('cache-control')).not.toContain('immutable');
    // The signature of an icon, then the number of its pictures.
    expect([...(await reply.bytes()).subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
  });

  test('hold no inline script, no inline style and no handler', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of PAGES) {
      const text = await (await fetch(service.dashboardUrl + path)).text();
      const scripts = await elements(text, 'script');
      expect(scripts.length, path).toBeGreaterThan(0);
      for (const script of scripts) {
        expect(script.attributes.get('src'), path).toStartWith('/assets/');
        expect(script.text, path).toBe('');
      }
      expect(await elements(text, 'style'), path).toEqual([]);
      const all = await elements(text, '*');
      const names = all.flatMap(({ attributes }) => [...attributes.keys()]);
      expect(names.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
    }
  });

  test('load nothing that is not served', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of PAGES) {
      const text = await (await fetch(service.dashboardUrl + path)).text();
      const loaded = await loadedBy(text);
      expect(loaded.length, path).toBeGreaterThan(2);
      for (const address of loaded) {
        const reply = await fetch(service.dashboardUrl + address);
        expect([address, reply.status]).toEqual([address, 200]);
      }
    }
  });

  test('without scripts the start page shows the alternatives', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const text = await (await fetch(service.dashboardUrl)).text();
    const [, withoutScripts = ''] = /<noscript>([\s\S]*)<\/noscript>/.exec(text) ?? [];
    expect(withoutScripts).toContain(`${service.dashboardUrl}/reference.md`);
    expect(withoutScripts).toContain('petstore -- keys create');
  });

  test('HEAD returns the headers of GET without a body', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/docs', '/favicon.svg', '/llms.txt', '/nowhere']) {
      const get = await fetch(service.dashboardUrl + path);
      const head = await fetch(service.dashboardUrl + path, { method: 'HEAD' });
      expect(head.status, path).toBe(get.status);
      expect(head.headers.get('content-type'), path).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-length'), path).toBe(get.headers.get('content-length'));
      expect(await head.text(), path).toBe('');
    }
  });

  test.each(['/', '/docs', '/docs/guides/errors.md', '/openapi.json', '/robots.txt'])(
    '%s serves no other method, and says so',
    async (path) => {
      await using service = await TestService.start({ parts: PARTS });
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const reply = await fetch(service.dashboardUrl + path, { method });
        expect(reply.status).toBe(405);
        expect(reply.headers.get('allow')).toBe('GET, HEAD');
      }
    },
  );
});

describe('an unknown address', () => {
  test('shows a person a page with links', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const path of ['/nowhere', '/assets/main.js', '/assets/', '/..%2fpackage.json']) {
      const reply = await fetch(service.dashboardUrl + path, { headers: { Accept: 'text/html' } });
      expect(reply.status, path).toBe(404);
      const text = await reply.text();
      for (const link of ['href="/"', 'href="/docs"', service.url()]) expect(text).toContain(link);
      // The page has the same frame as the other pages.
      expect(text).toContain('class="top-bar"');
    }
  });

  test('replies to a program with an error in the format of the API', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const method of ['GET', 'POST']) {
      const headers = { Accept: 'application/json' };
      const reply = await fetch(`${service.dashboardUrl}/pets`, { method, headers });
      expect(reply.status).toBe(404);
      expect(reply.headers.get('content-type')).toStartWith('application/json');
      const message = `Nothing is served at /pets. See ${service.dashboardUrl}/docs. The API is at ${service.url()}.`;
      expect(await reply.json()).toEqual({ code: 'not_found', message, status: 404 });
    }
  });

  test('is shown as escaped text', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const pages = createPages({ ...PAGE_FACTS, addresses: addressesOf(service) }, new LazyParts());
    const reply = await pages.handle(new Request(service.dashboardUrl), '/<img src=x>');
    const text = await reply.text();
    expect(text).toContain('&lt;img src=x&gt;');
    expect(text).not.toContain('<img');
  });
});

describe('a dashboard below a path', () => {
  test('has its links and assets below that path', async () => {
    const settings = { PETSTORE_DASHBOARD_URL: 'https://petstore.example/console' };
    await using service = await TestService.start({ parts: PARTS, settings });
    const origin = `http://localhost:${service.port}`;
    for (const path of ['', '/', '/keys', ...REFERENCE_PATHS, '/nowhere']) {
      const text = await (await fetch(`${origin}/console${path}`)).text();
      for (const address of await loadedBy(text)) {
        expect(address).toStartWith('/console/');
        expect((await fetch(origin + address)).status).toBe(200);
      }
      const links = (await elements(text, 'a')).map(({ attributes }) => attributes.get('href'));
      const elsewhere = links.filter(
        (link) => !/^(?:\/console\/|#)|\/openapi\.(?:json|yaml)$/.test(link ?? ''),
      );
      expect(elsewhere).toEqual([]);
    }
  });

  test('has scripts that load one another from there', async () => {
    const { files } = await bundleAssets();
    const scripts = files.filter(({ type }) => /javascript/.test(type));
    const imported = scripts.flatMap(({ bytes }) =>
      new Bun.Transpiler({ loader: 'js' }).scanImports(bytes).map(({ path }) => path),
    );
    const served = new Set(files.map(({ name }) => `./${name}`));
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((path) => !served.has(path))).toEqual([]);
  });
});

/** The addresses of scripts, styles, modules and icons in a page. */
async function loadedBy(page: string): Promise<string[]> {
  const scripts = (await elements(page, 'script')).map(({ attributes }) => attributes.get('src'));
  const links = (await elements(page, 'link:not([rel=canonical])')).map(({ attributes }) =>
    attributes.get('href'),
  );
  return [...scripts, ...links].filter((address) => address !== undefined);
}

function addressesOf(service: TestService) {
  return {
    production: service.url('production'),
    staging: service.url('staging'),
    quickstart: service.url('quickstart'),
    sandbox: service.url('sandbox'),
    dashboard: service.dashboardUrl,
  };
}
