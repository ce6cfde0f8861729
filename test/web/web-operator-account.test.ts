import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { checkAccessibility, describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, dashboardScene, operator } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { enter, expectSound } from './web-entrance.ts';

/** Makes a reset link on the page of an account, and closes the dialog that shows it. */
async function makeResetLink(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Make reset link' }).click();
  await dialog.getByRole('button', { name: 'Make reset link' }).click();
  await dialog.getByText('/reset-password#token=').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
}

/** Deletes the account of the page, which leads to the list of accounts. */
async function deleteAccount(page: Page, email: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByRole('textbox').fill(email);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
}

describeWithBrowser('the page of an account for operators', (open) => {
  test('leads from the list to an account, which is suspended, resumed and deleted', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const other = await customer(service);
    const { text: key } = await createKey(other, { name: 'mine' });
    const status = async () => (await service.request('/pets', { key })).status;
    await using browser = await enter(open, service, boss, '/operator');
    const { page } = browser;
    await page.getByRole('link', { name: other.email }).click();
    await page.getByRole('heading', { level: 1, name: other.email }).waitFor();
    await page.getByRole('button', { name: 'Revoke mine' }).waitFor();
    expect(await checkAccessibility(page)).toEqual([]);

    await page.getByRole('button', { name: 'Suspend account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Spam was sent');
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByRole('alert').getByText('Spam was sent').waitFor();
    expect(await status()).toBe(401);
    await page.getByRole('button', { name: 'Resume account' }).click();
    await dialog.getByRole('button', { name: 'Resume account' }).click();
    await page.getByRole('button', { name: 'Suspend account' }).waitFor();
    expect(await status()).toBe(200);

    await service.request('/pets/77', { key });
    // The log is saved at the end of the second.
    scene.clock.advance(1_000);
    await service.runJobs();
    await page.getByRole('link', { name: 'Charts and errors' }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.getByRole('link', { name: 'Show all 4xx: Not found' }).click();
    await page.getByRole('button', { name: 'GET /v1/pets/77' }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).locator('option').allInnerTexts()).toEqual(
      ['All', `mine (…${key.slice(-4)})`],
    );
    expect(await checkAccessibility(page)).toEqual([]);
    await page.getByRole('link', { name: other.email }).click();
    await page.getByRole('heading', { level: 1, name: other.email }).waitFor();

    await makeResetLink(page);

    await deleteAccount(page, other.email);
    expect(await service.stores.accounts.find(other.accountId)).toBeUndefined();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('list', { name: 'Checks' }).getByText('store').waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('textbox', { name: 'Account' }).fill(other.accountId);
    const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
    await entries.filter({ hasText: 'Account deleted' }).waitFor();
    await entries.filter({ hasText: boss.email }).first().waitFor();
    await page.getByRole('link', { name: '(CSV, the latest 10,000 at most)' }).waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    expect(browser.problems).toEqual([]);
  });

  test('takes the next action while the account is loading after the one before', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const other = await customer(service);
    const path = `/operator/accounts/${other.accountId}`;
    await using browser = await enter(open, service, boss, path);
    const { page } = browser;
    await page.getByRole('heading', { level: 1, name: other.email }).waitFor();
    const deleted = Promise.withResolvers<void>();
    await page.route(`**/api${path}`, async (route) => {
      await deleted.promise;
      await route.abort();
    });

    await makeResetLink(page);
    await deleteAccount(page, other.email);
    deleted.resolve();
    expect(await service.stores.accounts.find(other.accountId)).toBeUndefined();
  });

  test('shows the result of an action that was cancelled too late in no other dialog', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const other = await customer(service);
    const path = `/operator/accounts/${other.accountId}`;
    await using browser = await enter(open, service, boss, path);
    const { page } = browser;
    const held = Promise.withResolvers<void>();
    await page.route(`**/api${path}/reset-link`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Make reset link' }).click();
    await dialog.getByRole('button', { name: 'Make reset link' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Suspend account' }).click();
    await dialog.getByRole('textbox').fill('Spam was sent');
    const reloaded = page.waitForResponse(`**/api${path}`);
    held.resolve();
    await (await reloaded).finished();
    await page.getByText('Reset link made').waitFor();
    expect(await page.getByText('/reset-password#token=').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await page.getByRole('alert').getByText('Spam was sent').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('is sound in light and dark, on a desktop and on a phone', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const address = 'somebody.whose.address@is-longer-than-the-screen-of-a-phone.example.com';
    const other = await Visitor.signUp(service, address);
    const { text: key } = await createKey(other, { name: 'mine' });
    await service.request('/pets', { key });
    await scene.service.runJobs();
    await service.stores.accounts.suspend(other.accountId, 'Spam was sent', 0, 'test');
    const account = `/operator/accounts/${other.accountId}`;
    for (const [path, sign] of [
      [account, 'Spam was sent'],
      ['/operator', address],
      ['/operator/overview', 'listPets'],
      ['/operator/audit', 'Account suspended'],
    ] as const) {
      const ready = (page: Page) => page.getByText(sign).first().waitFor();
      await expectSound(open, service, boss, path, ready);
    }
  });
});
