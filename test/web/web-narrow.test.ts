import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { REFERENCE_PATHS } from '../../src/dashboard/reference/paths.ts';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { SEARCH_PATH } from '../../src/dashboard/shared/search.ts';
import { describeWithBrowser, type Visitor } from '../support/browser.ts';
import { createKey, customer, operator, sendMessage } from '../support/dashboard-scene.ts';
import { ManualClock, type TestService } from '../support/harness.ts';
import { addOrder } from './order-scene.ts';
import { enterAs } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

/** The width of a page that is enlarged by 400 % on a screen of 1,280 px (WCAG 1.4.10). */
const NARROWEST = { width: 320, height: 640 };

/** A name that cannot be wrapped at a space. */
const LONG = 'Aardvark'.repeat(8);

const PUBLIC = [
  ...REFERENCE_PATHS,
  ...[SEARCH_PATH, `${SEARCH_PATH}?q=limit`, '/docs/guides/none', '/'],
  ...NARROW_PAGES,
];
const OF_OPERATORS = [...PAGE_TITLES.keys()].filter((path) => path.startsWith('/operator'));
const OF_CUSTOMERS = [...PAGE_TITLES.keys()].filter(
  (path) => !NARROW_PAGES.has(path) && !OF_OPERATORS.includes(path),
);
/** Opened over other pages. */
const OPENED = ['/animals?animal=1'];

describeWithBrowser('a window of 320 px', (open) => {
  const visit = (service: TestService) =>
    open({
      service: service.dashboardUrl,
      viewport: NARROWEST,
      expected: [/status of 404 .*\/docs\/guides\/none/],
    });

  test('shows every public page without scrolling sideways', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    expect(await overflows(visitor, service, PUBLIC)).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('shows every page of customers, full and empty, without scrolling sideways', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    await enterAs(visitor, service, await customer(service));
    expect(await overflows(visitor, service, OF_CUSTOMERS)).toEqual([]);
    await enterAs(visitor, service, await busyCustomer(service));
    expect(await overflows(visitor, service, [...OF_CUSTOMERS, ...OPENED])).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('shows every page of operators without scrolling sideways', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    const { accountId } = await busyCustomer(service);
    await enterAs(visitor, service, await operator(service));
    const ofAccount = `/operator/accounts/${accountId}`;
    const paths = [...OF_OPERATORS, ofAccount, `${ofAccount}/usage`];
    expect(await overflows(visitor, service, paths)).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });
});

/** A customer with long names, orders, messages, requests, errors and a ban. */
async function busyCustomer(service: TestService) {
  const person = await customer(service, {
    plan: 'enterprise',
    limits: { perMinute: 3, perDay: 9 },
  });
  const { text, key } = await createKey(person, {
    name: LONG.slice(0, 60),
    environment: 'staging',
  });
  await createKey(person, {
    name: LONG.slice(0, 60),
    simulate: 'delay;ms=1',
    environment: 'staging',
  });
  const { pets } = service.stores.environment('production');
  const long = { name: LONG.repeat(3), categoryId: -(2n ** 63n), status: 'available' } as const;
  await pets.import(Array.from({ length: 26 }, () => ({ ...long, owner: person.accountId })));
  for (const message of [LONG.repeat(20), 'short']) await sendMessage(service, text, message);
  for (const path of ['/pets', `/pets/${LONG}`, '/pets']) {
    await fetch(service.url('staging') + path, { headers: { Authorization: `Bearer ${text}` } });
  }
  const { accountId } = person;
  for (const status of ['placed', 'delivered'] as const) {
    await addOrder(service, { accountId, status, name: LONG.repeat(3) });
  }
  await person.json('PUT', `/api/sandbox/bans/${key.id}`, { seconds: 86_400 });
  await service.runJobs();
  return person;
}

/** What is wider than the window on these pages, in both colour schemes. */
async function overflows(
  visitor: Visitor,
  service: TestService,
  paths: Iterable<string>,
): Promise<string[]> {
  const { page } = visitor;
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(service.dashboardUrl + path);
    await page.locator('#root h1[tabindex], body:not(:has(#root)) h1').first().waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const wide = await tooWide(page);
      if (wide.length > 0) found.push(`${path} (${colorScheme}): ${wide.join(', ')}`);
    }
  }
  return found;
}

/** The elements that make the page wider than the window; none if it fits. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth)
      .map(({ tagName, className }) => `${tagName}.${className}`);
  });
}
