import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  checkAccessibility,
  describeWithBrowser,
  layoutShift,
  type Visitor,
} from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { addOrder } from './order-scene.ts';
import { enter, expectSound, isTooWide, tabTo } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

/** The refusal of a second order is an error in the browser's console. */
const REFUSED = [/status of 409 .*\/api\/production\/orders/];

function rows(page: Page) {
  return page.getByRole('table', { name: 'Your orders' }).locator('tbody').getByRole('row');
}

function petStatus({ stores }: TestService, id: number) {
  return stores.environment('production').pets.get(id);
}

/** The name of the element that has the focus: its label or its id. */
function focused({ page }: Visitor): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('aria-label') ?? element?.id ?? '';
  });
}

describeWithBrowser('the orders page', (open) => {
  test('says how to place a first order, in either environment', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await using browser = await enter(open, scene.service, visitor, '/orders', {
      clipboard: true,
    });
    const { page } = browser;
    await page.getByRole('heading', { name: 'No orders in production yet' }).waitFor();
    await page.getByLabel('Environment').selectOption('staging');
    await page.getByRole('heading', { name: 'No orders in staging yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy the request' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toStartWith(`curl -i '${scene.service.url('staging')}/store/orders' \\\n`);
    expect(new URL(page.url()).search).toBe('?environment=staging');
    await page.getByLabel('Status').selectOption('approved');
    await page.getByRole('heading', { name: 'No order is approved' }).waitFor();
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('leads an order to its end by keyboard, and the animal with it', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { id, petId } = await addOrder(service, visitor);
    await using browser = await enter(open, service, visitor, '/orders');
    const { page } = browser;
    const row = rows(page).first();
    await row.getByText('placed').waitFor();
    await tabTo(browser, `[aria-label="Approve order ${id}"]`);
    await page.keyboard.press('Enter');
    await row.getByText('approved').waitFor();
    await eventually(async () => (await focused(browser)) === `order-${id}`);
    await tabTo(browser, `[aria-label="Deliver order ${id}"]`);
    await page.keyboard.press('Enter');
    await row.getByText('delivered').waitFor();
    await row.getByText('Ended').waitFor();
    await page.getByText(`Order ${id} is delivered.`).waitFor();
    await eventually(async () => (await focused(browser)) === `order-${id}`);
    expect(await row.getByRole('button').count()).toBe(0);
    expect((await petStatus(service, petId))?.status).toBe('sold');
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('keeps the focus on the page when a filter hides the order that was changed', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const { id } = await addOrder(scene.service, visitor);
    await using browser = await enter(open, scene.service, visitor, '/orders?status=placed');
    const { page } = browser;
    await page.getByRole('button', { name: `Cancel order ${id}` }).click();
    await page.getByRole('heading', { name: 'No order is placed' }).waitFor();
    await eventually(async () => (await focused(browser)) === 'content');
    expect(browser.problems).toEqual([]);
  });

  test('shows what a second buyer gets: the reply of the service to a second order', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { petId } = await addOrder(service, visitor);
    await using browser = await enter(open, service, visitor, '/orders', { expected: REFUSED });
    const { page } = browser;
    const opener = page.getByRole('button', { name: `Try a second order for animal ${petId}` });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: 'A second order for the same animal' });
    const shown = await dialog.getByRole('group', { name: 'the reply' }).innerText();
    const { text: key } = await createKey(await customer(service));
    const reply = await service.request('/store/orders', {
      ...{ key, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ petId }),
    });
    expect(JSON.parse(shown)).toEqual(await reply.json());
    expect(JSON.parse(shown)).toMatchObject({ status: 409, code: 'pet_unavailable' });
    const links = await dialog
      .getByRole('link')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual([
      '/docs/operations/createOrder',
      '/docs/guides/errors#pet_unavailable',
      '/docs/guides/orders',
    ]);
    expect(await checkAccessibility(page)).toEqual([]);
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/orders');
    await opener.click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await eventually(() => opener.evaluate((button) => button === document.activeElement));
    expect(await rows(page).count()).toBe(1);
    expect(browser.problems).toEqual([]);
  });

  test('says so if the second order was placed, because the first one had just ended', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { id, petId } = await addOrder(service, visitor);
    await using browser = await enter(open, service, visitor, '/orders');
    const { page } = browser;
    const opener = page.getByRole('button', { name: `Try a second order for animal ${petId}` });
    await opener.waitFor();
    // The page has not learnt of the cancellation when the second order is sent.
    await page.route('**/api/production/orders', async (route) => {
      const { orders } = service.stores.environment('production');
      if (route.request().method() === 'POST') {
        await orders.update({ id, accountId: visitor.accountId }, 'cancelled', service.clock.now());
      }
      await route.continue();
    });
    await opener.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`It is order ${id + 1}, which you can cancel.`).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: `Cancel order ${id + 1}` }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('links to the animal of an order', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { accountId } = visitor;
    await addOrder(service, { accountId, environment: 'staging', name: 'قطة' });
    const path = '/orders?environment=staging';
    await using browser = await enter(open, service, visitor, path);
    const { page } = browser;
    await rows(page).getByRole('link', { name: 'قطة' }).click();
    await page.getByRole('dialog').getByText('قطة').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/animals');
    expect(browser.problems).toEqual([]);
  });

  test('shows what happens elsewhere without a reload', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { accountId } = visitor;
    await using browser = await enter(open, service, visitor, '/orders');
    const { page } = browser;
    await page.getByRole('heading', { name: 'No orders in production yet' }).waitFor();
    const { id } = await addOrder(service, { accountId, name: 'Biscuit' });
    const row = rows(page).filter({ hasText: 'Biscuit' });
    await row.getByText('placed').waitFor();
    const { orders } = service.stores.environment('production');
    await orders.update({ id, accountId }, 'approved', service.clock.now());
    await row.getByText('approved').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('has pages and filters with addresses, through which Back leads', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const { accountId } = visitor;
    for (let number = 1; number <= 27; number += 1) {
      const status = number === 1 ? 'placed' : 'cancelled';
      await addOrder(service, { accountId, name: `No. ${number}`, status });
    }
    await using browser = await enter(open, service, visitor, '/orders');
    const { page } = browser;
    await rows(page).first().getByText('No. 27').waitFor();
    expect(await rows(page).count()).toBe(25);
    await page.getByRole('link', { name: 'Older orders' }).click();
    await rows(page).first().getByText('No. 2', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?before=3');
    expect(await rows(page).count()).toBe(2);
    await page.reload();
    await rows(page).first().getByText('No. 2', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Latest orders' }).click();
    await rows(page).first().getByText('No. 27').waitFor();
    await page.goBack();
    await rows(page).first().getByText('No. 2', { exact: true }).waitFor();
    await page.getByLabel('Status').selectOption('placed');
    await rows(page).first().getByText('No. 1', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=placed');
    expect(browser.problems).toEqual([]);
  });

  test('shows any name as it is, in a window of 320 px', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const { accountId } = visitor;
    const names = ['<b>x</b>', 'W'.repeat(255), 'قطة جميلة جدا '.repeat(18).trim(), '🐈 cat'];
    for (const name of names) await addOrder(scene.service, { accountId, name });
    await using browser = await enter(open, scene.service, visitor, '/orders', {
      viewport: { width: 320, height: 640 },
    });
    await rows(browser.page)
      .nth(names.length - 1)
      .waitFor();
    const shown = await browser.page.locator('.order-animal .address').allInnerTexts();
    expect(shown).toEqual(names.toReversed());
    expect(await isTooWide(browser)).toBe(false);
    expect(browser.problems).toEqual([]);
  });

  test.each([0, 4])('is sound in light and dark, with %i orders', async (count) => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const statuses = ['placed', 'approved', 'delivered', 'cancelled'] as const;
    for (const status of statuses.slice(0, count)) {
      await addOrder(scene.service, { accountId: visitor.accountId, status });
    }
    await expectSound(open, scene.service, visitor, '/orders', (page) =>
      count === 0
        ? page.getByRole('heading', { name: 'No orders in production yet' }).waitFor()
        : rows(page)
            .nth(count - 1)
            .waitFor(),
    );
    if (count === 0) return;
    await expectSound(open, scene.service, visitor, '/orders?order=1', (page) =>
      page.getByRole('dialog', { name: 'Order 1' }).getByText('Get it').waitFor(),
    );
  });

  test.each(['beta', 'stable'])('is absent where %s operations alone are served', async (level) => {
    await using service = await startWithPages({ settings: { PETSTORE_STABILITY: level } });
    const visitor = await customer(service);
    const expected = [/status of 404/];
    await using browser = await enter(open, service, visitor, '/keys', { expected });
    const { page } = browser;
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Keys' }).waitFor();
    expect(await menu.getByRole('link', { name: 'Orders' }).count()).toBe(0);
    const orders = await page.goto(`${service.dashboardUrl}/orders`);
    expect(orders?.status()).toBe(404);
    const index = await fetch(`${service.dashboardUrl}/docs/search.json`);
    expect(await index.text()).not.toContain('"/orders"');
    expect(browser.problems).toEqual([]);
  });
});
