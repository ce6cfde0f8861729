import { describe, expect, test } from 'bun:test';
import { bundlePages } from '../../src/dashboard/pages/bundle.ts';
import { describeWithBrowser, layoutShift, type Visitor } from '../support/browser.ts';
import { customer, operator } from '../support/dashboard-scene.ts';
import { elements } from '../support/html.ts';
import { CUSTOMER_PATHS, OPERATOR_PATHS, PUBLIC_PATHS } from './page-paths.ts';
import { enterAs } from './web-entrance.ts';
import {
  accountButton,
  heading,
  OVERTAKEN,
  signOut,
  signUp,
  startWithPages,
} from './web-sign-in-scene.ts';

describe('the frame', () => {
  test('is rendered by the service for every page, without a style of its own', async () => {
    await using service = await startWithPages();
    for (const path of [...PUBLIC_PATHS, ...CUSTOMER_PATHS, ...OPERATOR_PATHS]) {
      for (const cookie of ['', 'petstore_session=any']) {
        const reply = await fetch(service.dashboardUrl + path, {
          headers: { Accept: 'text/html', Cookie: cookie },
        });
        const text = await reply.text();
        expect([path, await elements(text, 'style, [style]')]).toEqual([path, []]);
        for (const part of ['.skip-link', '.top-bar', 'nav#menu', 'main#content', 'h1']) {
          expect([path, part, (await elements(text, part)).length]).toEqual([path, part, 1]);
        }
      }
    }
  });

  test('has the style sheet of each component of Mantine that the pages use, and no other', async () => {
    const { sources } = await bundlePages();
    const found = (pattern: RegExp) =>
      [...new Set(sources.flatMap((path) => pattern.exec(path)?.[1] ?? []))].sort();
    expect(found(/@mantine\/core\/styles\/([A-Z]\w+)\.css$/)).toEqual(
      found(/@mantine\/core\/.*\/(\w+)\.module\.mjs$/),
    );
  });
});

describeWithBrowser('the frame of every page', (open) => {
  test('stays the same element while the application takes it over, and from page to page', async () => {
    await using service = await startWithPages();
    await using visitor = await open({
      service: service.dashboardUrl,
      expected: [OVERTAKEN],
    });
    const { page } = visitor;
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        for (const part of document.querySelectorAll<HTMLElement>('.top-bar, #menu, #content')) {
          part.dataset['served'] = 'yes';
        }
      });
    });
    const served = () => page.locator('[data-served]').count();
    await page.goto(service.dashboardUrl);
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await served()).toBe(3);
    await signUp(page, 'reader@example.com');
    await page.goto(`${service.dashboardUrl}/keys`);
    await page.getByText('No keys yet').waitFor();
    expect(await served()).toBe(3);
    await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click();
    await heading(page, 'Usage').waitFor();
    expect(await served()).toBe(3);
    const marked = page.getByRole('navigation').locator('[aria-current]');
    expect(await marked.allTextContents()).toEqual(['Usage']);
    await signOut(page);
    await heading(page, 'A petstore that really behaves').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('has the menu of the account in the reference, too', async () => {
    await using service = await startWithPages();
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/docs`);
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await accountButton(page).isVisible()).toBe(false);
    await enterAs(visitor, service, await customer(service));
    await page.goto(`${service.dashboardUrl}/docs`);
    await accountButton(page).waitFor();
    await signOut(page);
    await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test.each(['/', '/docs/operations/createPet', '/keys'])(
    'stays in place while %s arrives in parts',
    async (path) => {
      await using service = await startWithPages();
      await using slow = inParts(service.dashboardUrl, ['aria-label="Colors"', '</header>', '<h1']);
      await using visitor = await open({ service: [service.dashboardUrl, slow.url] });
      if (path === '/keys') await enterAs(visitor, service, await customer(service));
      await visitor.page.goto(slow.url + path, { waitUntil: 'domcontentloaded' });
      expect(await layoutShift(visitor.page)).toBe(0);
    },
  );

  test('is loaded with the page under its content security policy, without a report', async () => {
    await using service = await startWithPages();
    await using visitor = await open({
      service: service.dashboardUrl,
      expected: [/status of 404 .*\/docs\/guides\/none/],
    });
    await visitor.page.addInitScript(() => {
      window.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        document.documentElement.dataset['reports'] += ` ${violatedDirective} ${blockedURI}`;
      });
    });
    expect(await reports(visitor, service.dashboardUrl, PUBLIC_PATHS)).toEqual([]);
    await enterAs(visitor, service, await customer(service));
    expect(await reports(visitor, service.dashboardUrl, CUSTOMER_PATHS)).toEqual([]);
    await enterAs(visitor, service, await operator(service));
    expect(await reports(visitor, service.dashboardUrl, OPERATOR_PATHS)).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });
});

/** What the browser has reported about these pages. */
async function reports(
  { page }: Visitor,
  address: string,
  paths: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(address + path);
    await page.locator('#root h1[tabindex], body:not(:has(#root)) h1').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const reported = await page.evaluate(() => document.documentElement.dataset['reports']);
    if (reported !== undefined) found.push(`${path}:${reported}`);
  }
  return found;
}

/** Serves what an address serves, but each page in parts, which begin at the given texts. */
function inParts(address: string, beginnings: readonly string[]) {
  const server = Bun.serve({
    hostname: 'localhost',
    port: 0,
    async fetch({ url, headers }) {
      const { pathname, search } = new URL(url);
      const reply = await fetch(address + pathname + search, {
        headers: { cookie: headers.get('cookie') ?? '', 'accept-encoding': 'identity' },
      });
      const isPage = reply.headers.get('content-type')?.startsWith('text/html') ?? false;
      const body = isPage ? delayed(await reply.text(), beginnings) : await reply.bytes();
      return new Response(body, { status: reply.status, headers: typeOf(reply) });
    },
  });
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
}

function typeOf({ headers }: Response): Record<string, string> {
  return { 'content-type': headers.get('content-type') ?? '' };
}

/** Long enough for the browser to draw each part. */
const PAUSE = 250;

function delayed(text: string, beginnings: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(parts) {
      const encoder = new TextEncoder();
      let start = 0;
      for (const beginning of beginnings) {
        const end = text.indexOf(beginning, start);
        if (end === -1) throw new Error(`The page has no ${beginning}.`);
        parts.enqueue(encoder.encode(text.slice(start, end)));
        await Bun.sleep(PAUSE);
        start = end;
      }
      parts.enqueue(encoder.encode(text.slice(start)));
      parts.close();
    },
  });
}
