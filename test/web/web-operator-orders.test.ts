import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser, layoutShift } from '../support/browser.ts';
import { customer, dashboardScene, operator } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { addOrder } from './order-scene.ts';
import { enter, expectSound, tabTo } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

function rows(page: Page) {
  return page.getByRole('table', { name: 'Orders' }).locator('tbody').getByRole('row');
}

describeWithBrowser("the operators' page of orders", (open) => {
  test('cancels an order after confirmation; the audit log shows it', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [boss, ada] = [await operator(service), await customer(service)];
    const { id, petId } = await addOrder(service, { accountId: ada.accountId, name: 'Biscuit' });
    await using browser = await enter(open, service, boss, '/operator/orders');
    const { page } = browser;
    const row = rows(page).filter({ hasText: 'Biscuit' });
    expect(await row.getByRole('link', { name: ada.email }).getAttribute('href')).toBe(
      `/operator/accounts/${ada.accountId}`,
    );
    const opener = row.getByRole('button', { name: `Cancel order ${id}` });
    await opener.click();
    const dialog = page.getByRole('dialog', { name: `Cancel order ${id}?` });
    await dialog.getByRole('button', { name: 'Keep order' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { orders, pets } = service.stores.environment('production');
    expect((await orders.find(id))?.status).toBe('placed');
    // With the keyboard: the focus returns to the button.
    await eventually(() => opener.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo(browser, '[role=dialog] [data-autofocus] + button');
    await page.keyboard.press('Enter');
    await row.getByText('cancelled').waitFor();
    await row.getByText('Ended').waitFor();
    await eventually(() => page.evaluate(() => document.activeElement !== document.body));
    expect((await pets.get(petId))?.status).toBe('available');
    expect(await layoutShift(page)).toBe(0);
    await page.getByRole('link', { name: 'Audit log' }).click();
    const newest = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').first();
    await newest.getByText(`production order ${id} for animal ${petId}`).waitFor();
    await newest.getByText(`By ${boss.email}`).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('shows the orders of an environment by status, page by page, as they are placed', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const { accountId } = await customer(service);
    await using browser = await enter(open, service, boss, '/operator/orders?environment=staging');
    const { page } = browser;
    await page.getByRole('heading', { name: 'No such orders in staging' }).waitFor();
    const environment = 'staging';
    await addOrder(service, { accountId, environment, name: 'No. 1' });
    await rows(page).first().getByText('No. 1').waitFor();
    for (let number = 2; number <= 26; number += 1) {
      await addOrder(service, {
        accountId,
        environment,
        status: 'delivered',
        name: `No. ${number}`,
      });
    }
    await rows(page).first().getByText('No. 26').waitFor();
    await page.getByRole('link', { name: 'Older orders' }).click();
    await rows(page).first().getByText('No. 1', { exact: true }).waitFor();
    await page.getByLabel('Status').selectOption('delivered');
    await rows(page).first().getByText('No. 26').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('is sound in light and dark, also with the dialog open', async () => {
    await using scene = await dashboardScene();
    const boss = await operator(scene.service);
    const { accountId } = await customer(scene.service);
    for (const status of ['delivered', 'placed'] as const) {
      await addOrder(scene.service, { accountId, status, name: 'Aardvark'.repeat(30) });
    }
    await expectSound(open, scene.service, boss, '/operator/orders', (page) =>
      rows(page).nth(1).waitFor(),
    );
    await expectSound(open, scene.service, boss, '/operator/orders', async (page) => {
      await page.getByRole('button', { name: 'Cancel order' }).click();
      await page.getByRole('dialog').waitFor();
    });
  });

  test('goes on cancelling where customers are served no orders', async () => {
    await using service = await startWithPages({ settings: { PETSTORE_STABILITY: 'stable' } });
    const boss = await operator(service);
    const { id } = await addOrder(service, { accountId: boss.accountId });
    await using browser = await enter(open, service, boss, '/operator');
    const { page } = browser;
    await page.getByRole('navigation').getByRole('link', { name: 'All orders' }).click();
    await page.getByRole('button', { name: `Cancel order ${id}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel order' }).click();
    await rows(page).first().getByText('cancelled').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('is for operators alone', async () => {
    await using service = await startWithPages();
    await using browser = await enter(open, service, await customer(service), '/operator/orders');
    await browser.page.getByRole('heading', { name: 'For operators' }).waitFor();
    expect(browser.problems).toEqual([]);
  });
});
