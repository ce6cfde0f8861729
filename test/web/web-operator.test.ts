import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { subscribe } from '../../src/core/limits/plans.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { describeWithBrowser, layoutShift, PHONE, type Visitor } from '../support/browser.ts';
import { createKey, customer, dashboardScene, operator } from '../support/dashboard-scene.ts';
import { PASSWORD } from '../support/dashboard-visitor.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { enter, expectSound, headerWidths, isTooWide, tabTo } from './web-entrance.ts';

function accounts({ page }: Visitor) {
  return page.getByRole('list', { name: 'Accounts' }).getByRole('listitem');
}

async function limitOf(service: TestService, key: string): Promise<string | null> {
  return (await service.request('/pets', { key })).headers.get('X-RateLimit-Limit');
}

describeWithBrowser('the accounts page', (open) => {
  test('finds accounts while typing', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    for (const name of ['ada', 'grace', 'edsger']) {
      await service.stores.accounts.create(`${name}@zoo.example`, subscribe('free'), 0, 'test');
    }
    await using browser = await enter(open, service, boss, '/operator');
    const { page } = browser;
    await accounts(browser).nth(3).waitFor();
    const search = page.getByRole('searchbox', { name: 'E-mail address' });
    await search.pressSequentially('GRACE');
    await eventually(async () => (await accounts(browser).count()) === 1);
    expect(await accounts(browser).innerText()).toContain('grace@zoo.example');
    await search.fill('nobody');
    await page.getByRole('heading', { name: 'No account found' }).waitFor();
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('keeps the focus on an account while the reply to a longer search arrives', async () => {
    await using scene = await dashboardScene();
    const boss = await operator(scene.service);
    await using browser = await enter(open, scene.service, boss, '/operator');
    const { page } = browser;
    const held = Promise.withResolvers<void>();
    await page.route(/search=.*%40/, async (route) => {
      await held.promise;
      await route.continue();
    });
    const opener = page.getByRole('button', { name: `Change plan of ${boss.email}` });
    await opener.waitFor();
    const asked = page.waitForRequest(/search=.*%40/);
    await page.getByRole('searchbox', { name: 'E-mail address' }).fill(boss.email);
    await asked;
    await opener.focus();
    const answered = page.waitForResponse(/search=.*%40/);
    held.resolve();
    await (await answered).finished();
    await page.getByRole('main').locator('.mantine-Loader-root').waitFor({ state: 'detached' });
    expect(await opener.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  test('changes a plan, and the next reply of the API shows its limits', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service, subscribe('free'));
    const { text: key } = await createKey(visitor);
    expect(await limitOf(service, key)).toBe('60');
    const boss = await operator(service);
    // The browser logs the refusal that requires the password. On a slow machine the channel for changes may be opened
    // with the session that the next sign-in replaces.
    const expected = [/403.*api\/operator/, /401.*api\/live/];
    await using browser = await enter(open, service, boss, '/operator', { expected });
    const { page } = browser;
    await page.getByRole('button', { name: `Change plan of ${visitor.email}` }).click();
    const dialog = page.getByRole('dialog', { name: `Plan of ${visitor.email}` });
    await dialog.getByRole('radio', { name: 'Business' }).check();
    scene.clock.advance(HOUR);
    await dialog.getByRole('button', { name: 'Change plan' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`${visitor.email} is on Business now.`).waitFor();
    await eventually(async () => (await limitOf(service, key)) === '1000');
    const row = accounts(browser).filter({ hasText: visitor.email });
    await row.getByText('1,000 a minute, 100,000 a day').waitFor();
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('gives Enterprise its own numbers, by keyboard alone', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service, subscribe('free'));
    const { text: key } = await createKey(visitor);
    const boss = await operator(service);
    await using browser = await enter(open, service, boss, '/operator');
    const { page } = browser;
    await accounts(browser).first().waitFor();
    await tabTo(browser, 'input[type=search]');
    await page.keyboard.type(visitor.email);
    await eventually(async () => (await accounts(browser).count()) === 1);
    await tabTo(browser, `[aria-label="Change plan of ${visitor.email}"]`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await tabTo(browser, 'input[type=radio]');
    await page.keyboard.press('ArrowUp');
    await page.getByRole('radio', { name: 'Enterprise', checked: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const problem = page.getByText('Enter a whole number of at least 1.');
    await problem.first().waitFor();
    expect(await problem.count()).toBe(2);
    await page.keyboard.type('77');
    await page.keyboard.press('Tab');
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.getByText('Fewer a day than a minute?').waitFor();
    await page.getByRole('button', { name: 'Change it anyway' }).waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('7,000');
    await page.keyboard.press('Enter');
    await page.getByText(`${visitor.email} is on Enterprise now.`).waitFor();
    await eventually(async () => (await limitOf(service, key)) === '77');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const opener = page.getByRole('button', { name: `Change plan of ${visitor.email}` });
    await eventually(() => opener.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Enter');
    // The account's own numbers.
    expect(await page.getByLabel('Requests a minute').inputValue()).toBe('77');
    expect(await page.getByLabel('Requests a day').inputValue()).toBe('7,000');
    expect(browser.problems).toEqual([]);
  });

  test('keeps the dialog of an account open when a cancelled change of another one succeeds', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    const other = await customer(service);
    await using browser = await enter(open, service, boss, '/operator');
    const { page } = browser;
    const held = Promise.withResolvers<void>();
    await page.route(`**/accounts/${other.accountId}/plan`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: `Change plan of ${other.email}` }).click();
    const first = page.getByRole('dialog', { name: `Plan of ${other.email}` });
    await first.getByRole('radio', { name: 'Pro' }).check();
    await first.getByRole('button', { name: 'Change plan' }).click();
    await first.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: `Change plan of ${boss.email}` }).click();
    const second = page.getByRole('dialog', { name: `Plan of ${boss.email}` });
    await second.getByRole('radio', { name: 'Pro' }).check();
    held.resolve();
    await page.getByText(`${other.email} is on Pro now.`).waitFor();
    await second.getByRole('button', { name: 'Change plan' }).click();
    await page.getByText(`${boss.email} is on Pro now.`).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('fits a phone', async () => {
    await using scene = await dashboardScene();
    const boss = await operator(scene.service);
    const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.example`;
    await scene.service.stores.accounts.create(long, subscribe('free'), 0, 'test');
    await using browser = await enter(open, scene.service, boss, '/operator', {
      viewport: PHONE,
    });
    await accounts(browser).nth(1).waitFor();
    expect(await isTooWide(browser)).toBe(false);
    expect(await headerWidths(browser)).toEqual([40, 40]);
    const menu = browser.page.getByRole('button', { name: 'Open the menu' });
    await menu.click();
    await browser.page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).waitFor();
    await browser.page.keyboard.press('Escape');
    await eventually(() => menu.evaluate((button) => button === document.activeElement));
    await browser.page.getByRole('button', { name: `Change plan of ${long}` }).click();
    await browser.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await browser.page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await layoutShift(browser.page)).toBe(0);
  });

  test('is sound in light and dark, with its dialog and without', async () => {
    await using scene = await dashboardScene();
    const boss = await operator(scene.service);
    const ready = (page: Page) => page.getByRole('button', { name: 'Change plan of' }).waitFor();
    await expectSound(open, scene.service, boss, '/operator', ready);
    await expectSound(open, scene.service, boss, '/operator', async (page) => {
      await page.getByRole('button', { name: 'Change plan of' }).click();
      await page.getByRole('dialog').getByRole('radio', { name: 'Enterprise' }).check();
      await page.getByLabel('Requests a day').waitFor();
    });
  });

  test('shows everybody else that it is for operators', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    for (const page of ['', '/bans', '/audit']) {
      await using browser = await enter(open, scene.service, visitor, `/operator${page}`);
      await browser.page.getByRole('heading', { name: 'For operators' }).waitFor();
      expect(browser.requests.filter((address) => address.includes('/api/operator'))).toEqual([]);
      expect(browser.problems).toEqual([]);
    }
  });
});
