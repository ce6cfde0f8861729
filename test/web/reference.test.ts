import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { PARTS, type Part } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import {
  checkAccessibility,
  DESKTOP,
  describeWithBrowser,
  PHONE,
  type Visitor,
} from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { AMPLE, TestService } from '../support/harness.ts';

interface Attempt {
  readonly part: Exclude<Part, 'dashboard'>;
  /** Of the key. */
  readonly environment: Environment;
  readonly operation: string;
  readonly status: number;
  readonly body: unknown;
}

const ATTEMPTS: readonly Attempt[] = [
  { part: 'production', environment: 'production', operation: 'get /pets', status: 200, body: [] },
  { part: 'staging', environment: 'staging', operation: 'get /pets', status: 200, body: [] },
  {
    part: 'production',
    environment: 'production',
    operation: 'post /pets',
    status: 201,
    body: { id: 1, name: 'Biscuit', categoryId: 7, status: 'available' },
  },
  {
    part: 'quickstart',
    environment: 'production',
    operation: 'post /messages',
    status: 202,
    body: expect.objectContaining({ message: 'Hello, petstore!', status: 'queued' }),
  },
];

describeWithBrowser('the API reference', (open) => {
  test('shows the operations of the pets and the one of the quickstart', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    await openReference(visitor, service);
    const { page } = visitor;
    for (const title of ['List all animals', 'Add an animal', 'Get an animal']) {
      await page.getByRole('heading', { name: title }).waitFor();
    }
    await page.getByRole('button', { name: 'Pets', exact: true }).first().click();
    await page.getByRole('option', { name: 'Quickstart' }).click();
    await page.getByRole('heading', { name: 'Send a message' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('opens at the deprecated operation by the link that its replies have', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    const { secret } = await service.account();
    const { headers } = await service.request('/pets/1', { key: secret });
    const [, link = ''] = /<([^>]+)>; rel="deprecation"/.exec(headers.get('Link') ?? '') ?? [];
    const { page } = visitor;
    await page.goto(link);
    const section = page.locator(`[id="${decodeURIComponent(new URL(link).hash.slice(1))}"]`);
    await section.getByText('removed on 5 December 2030').waitFor();
    await page.waitForFunction(isInView, await section.elementHandle());
  });

  for (const { part, environment, operation, status, body } of ATTEMPTS) {
    test(`sends "${operation}" to ${part} with a pasted key and shows the ${status}`, async () => {
      await using service = await TestService.start({ parts: PARTS });
      const { secret } = await service.account(AMPLE, environment);
      await using visitor = await open({ service: service.dashboardUrl });
      const { page } = visitor;
      await openReference(visitor, service, part === 'quickstart' ? 'quickstart' : 'pets');
      await pasteKey(page, secret);
      await startTrying(page, operation);
      await chooseServer(page, service.url(part));
      const [, path] = operation.split(' ');
      const [response] = await Promise.all([
        page.waitForResponse(
          (response) =>
            response.url() === service.url(part) + path &&
            response.request().method() !== 'OPTIONS',
        ),
        page.getByRole('button', { name: /^Send .* request to/ }).click(),
      ]);
      expect(response.status()).toBe(status);
      expect(await response.json()).toEqual(body);
      await page.getByRole('dialog').getByText(String(status)).first().waitFor();
      expect(visitor.problems).toEqual([]);
    });
  }

  test('reaches an API at another origin, as the API allows it', async () => {
    const port = await freePort();
    const settings = { PETSTORE_PORT: `${port}`, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
    await using service = await TestService.start({ parts: PARTS, settings });
    const { secret } = await service.account();
    expect(new URL(service.dashboardUrl).origin).not.toBe(new URL(service.url()).origin);
    await using visitor = await open({ service: [service.dashboardUrl, service.url()] });
    const { page } = visitor;
    await openReference(visitor, service);
    await pasteKey(page, secret);
    await startTrying(page, 'get /pets');
    const [response] = await Promise.all([
      page.waitForResponse(`${service.url()}/pets`),
      page.getByRole('button', { name: /^Send .* request to/ }).click(),
    ]);
    expect(response.status()).toBe(200);
    await page.getByRole('dialog').getByText('200').first().waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('stores a pasted key nowhere, neither in browser storage nor in the address', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account();
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await openReference(visitor, service);
    await pasteKey(page, secret);
    await startTrying(page, 'get /pets');
    const [response] = await Promise.all([
      page.waitForResponse(`${service.url()}/pets`),
      page.getByRole('button', { name: /^Send .* request to/ }).click(),
    ]);
    expect(response.status()).toBe(200);
    const kept = await visitor.context.storageState({ indexedDB: true });
    const session = await page.evaluate(() => JSON.stringify(sessionStorage));
    expect(JSON.stringify(kept) + session + page.url()).not.toContain(secret);
    expect(JSON.stringify(kept)).toContain('colorMode');
    expect(visitor.requests.filter((address) => address.includes(secret))).toEqual([]);
    await page.reload();
    await page.getByPlaceholder('Token').first().waitFor();
    expect(await page.getByPlaceholder('Token').first().inputValue()).toBe('');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is ${colorScheme} when the system is`, async () => {
      await using service = await TestService.start({ parts: PARTS });
      await using visitor = await open({ service: service.dashboardUrl, colorScheme });
      await openReference(visitor, service);
      expect(await appearance(visitor.page)).toEqual({ bar: colorScheme, scalar: colorScheme });
      expect(visitor.problems).toEqual([]);
    });
  }

  for (const [colorScheme, viewport] of [
    ['light', DESKTOP],
    ['dark', PHONE],
  ] as const) {
    test(`is accessible in ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      await using service = await TestService.start({ parts: PARTS });
      await using visitor = await open({ service: service.dashboardUrl, colorScheme, viewport });
      await openReference(visitor, service);
      await untilStill(visitor.page);
      expect(await checkAccessibility(visitor.page)).toEqual([]);
    });
  }

  test("follows the dashboard's choice of light or dark, and changes it for the dashboard", async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl, colorScheme: 'light' });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/robots.txt`);
    await page.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
    await openReference(visitor, service);
    expect(await appearance(page)).toEqual({ bar: 'dark', scalar: 'dark' });
    await page.getByRole('button', { name: 'Set light mode' }).click();
    await page.waitForFunction(
      () => localStorage.getItem('mantine-color-scheme-value') === 'light',
    );
    expect(await appearance(page)).toEqual({ bar: 'light', scalar: 'light' });
  });

  test('links back to the dashboard, and fits a phone', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl, viewport: PHONE });
    const { page } = visitor;
    await openReference(visitor, service);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(PHONE.width);
    const link = page.getByRole('link', { name: 'Dashboard', exact: true });
    expect(await link.getAttribute('href')).toBe('/');
    expect(visitor.problems).toEqual([]);
  });
});

async function openReference(
  { page }: Visitor,
  service: TestService,
  document: 'pets' | 'quickstart' = 'pets',
): Promise<void> {
  await page.goto(`${service.dashboardUrl}/docs#${document}`);
  const last = { pets: 'Get an animal', quickstart: 'Send a message' }[document];
  await page.getByRole('heading', { name: last }).waitFor();
}

/** Waits until the whole reference is drawn: it comes in parts, those out of sight the last. */
function untilStill(page: Page): Promise<void> {
  return page.evaluate(
    (quiet) =>
      new Promise<void>((resolve) => {
        let timer = setTimeout(resolve, quiet);
        new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(resolve, quiet);
        }).observe(document.body, { childList: true, subtree: true });
      }),
    3_000,
  );
}

async function pasteKey(page: Page, secret: string): Promise<void> {
  await page.getByPlaceholder('Token').first().fill(secret);
}

async function startTrying(page: Page, operation: string): Promise<void> {
  const name = new RegExp(`^Test Request\\s*${RegExp.escape(`(${operation})`)}$`);
  await page.getByRole('button', { name }).click();
}

/** In the dialog that sends requests. */
async function chooseServer(page: Page, address: string): Promise<void> {
  const chooser = page.getByRole('dialog').getByRole('button', { name: 'Server:' });
  await chooser.waitFor();
  if ((await chooser.textContent())?.includes(address)) return;
  await chooser.click();
  await page.getByText(address, { exact: true }).last().click();
}

/** Whether the dashboard's bar and Scalar's part are light or dark. */
async function appearance(page: Page): Promise<{ bar: string; scalar: string }> {
  return page.evaluate(() => {
    const brightness = (element: Element) => {
      const [red = 0] = getComputedStyle(element).backgroundColor.match(/\d+/g) ?? [];
      return Number(red) > 127 ? 'light' : 'dark';
    };
    const scalar = document.querySelector('.references-layout') ?? document.documentElement;
    return { bar: brightness(document.body), scalar: brightness(scalar) };
  });
}

/** Whether the top of an element is in the upper half of the window; runs in the browser. */
function isInView(element: Element | null): boolean {
  const top = element?.getBoundingClientRect().top ?? Number.NaN;
  // Scrolling ends at whole pixels.
  return top > -1 && top < window.innerHeight / 2;
}
