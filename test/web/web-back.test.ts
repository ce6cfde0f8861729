import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { AuthenticatorApp } from '../sign-in/second-factor-scene.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { Visitor as Owner } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { pressBack, untilLeft } from './web-history.ts';
import { goTo, heading, type Open, startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** A new customer on a page that was opened from the start page. */
async function enterPage(open: Open, name: string) {
  const service = shared();
  const visitor = await enter(open, service, await Owner.signUp(service), '/');
  await heading(visitor.page, 'Start').waitFor();
  await goTo(visitor.page, name);
  return visitor;
}

/** Creates a key on the page *Keys*; returns the dialog that shows it. */
async function createKey(page: Page) {
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill('Shop server');
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  await shown.waitFor();
  return shown;
}

describeWithBrowser('Back in the browser', (open) => {
  test('asks before the dialog with a new key closes', async () => {
    await using visitor = await enterPage(open, 'Keys');
    const { page } = visitor;
    const shown = await createKey(page);
    const key = await shown.getByRole('textbox').inputValue();
    await pressBack(page);
    await shown.getByRole('button', { name: 'Keep it open' }).click();
    expect(await shown.getByRole('textbox').inputValue()).toBe(key);
    await pressBack(page);
    await shown.getByRole('button', { name: 'Close for good' }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Shop server/ }).waitFor();
    expect(await heading(page, 'Keys').isVisible()).toBe(true);
    expect(visitor.problems).toEqual([]);
  });

  test('leaves the page at once after the dialog with a new key was closed', async () => {
    await using visitor = await enterPage(open, 'Keys');
    const { page } = visitor;
    const shown = await createKey(page);
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    await untilLeft(page);
    await pressBack(page);
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('keeps the dialog with new recovery codes open', async () => {
    await using visitor = await enterPage(open, 'Account');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
    const secret = await dialog.getByRole('group', { name: 'the key' }).innerText();
    const app = new AuthenticatorApp(secret.replaceAll(/\s/g, ''), shared().clock);
    await dialog.getByLabel('Code', { exact: true }).fill(app.code());
    await dialog.getByRole('button', { name: 'Add the app' }).click();
    const codes = dialog.getByRole('group', { name: 'the recovery codes' });
    await codes.waitFor();
    await pressBack(page);
    await dialog.getByText('Save the codes first.').waitFor();
    expect((await codes.innerText()).trim().split('\n')).toHaveLength(10);
    await dialog.getByRole('button', { name: 'Close, I saved them' }).click();
    await dialog.waitFor({ state: 'detached' });
    await untilLeft(page);
    await pressBack(page);
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });
});
