import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, sendMessage } from '../support/dashboard-scene.ts';
import { enter } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

/** The width of A4 paper within its usual margins. */
const PAPER = { width: 718, height: 1_000 };

/** The colors of the text on the page. */
function inks(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const shown = [...document.querySelectorAll('main *')].filter(
      (element) => element.checkVisibility() && element.textContent !== '',
    );
    return [...new Set(shown.map((element) => getComputedStyle(element).color))];
  });
}

/** The boxes in which a part of the content is cut off. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main, main pre, main section, main .inbox')]
      .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => {
        return scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
      })
      .map(({ tagName, className }) => `${tagName}.${className}`),
  );
}

describeWithBrowser('on paper', (open) => {
  test.each(['light', 'dark'] as const)(
    'a guide is its text alone, in the %s scheme',
    async (colorScheme) => {
      await using service = await startWithPages();
      await using visitor = await open({
        service: service.dashboardUrl,
        viewport: PAPER,
        colorScheme,
      });
      const { page } = visitor;
      for (const path of [
        '/docs/guides/limits',
        '/docs/guides/errors',
        '/docs/operations/createPet',
        '/docs',
      ]) {
        await page.emulateMedia({ media: 'screen' });
        await page.goto(service.dashboardUrl + path);
        expect(await page.getByRole('banner').isVisible()).toBe(true);
        await page.emulateMedia({ media: 'print' });
        expect([path, await page.getByRole('banner').isVisible()]).toEqual([path, false]);
        expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
        expect(await page.getByRole('main').locator('button:visible').count()).toBe(0);
        expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
        expect([await inks(page), await cutOff(page)]).toEqual([['rgb(0, 0, 0)'], []]);
      }
      expect(visitor.problems).toEqual([]);
    },
  );

  test('a sheet of keys is a table of keys, and every message is there', async () => {
    await using service = await startWithPages();
    const person = await customer(service);
    const { text } = await createKey(person, { name: 'nightly import' });
    for (let sent = 0; sent < 8; sent += 1) await sendMessage(service, text, `Message ${sent}`);
    const options = { viewport: PAPER, colorScheme: 'dark' } as const;
    await using visitor = await enter(open, service, person, '/keys', options);
    const { page } = visitor;
    const check = async () => {
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('banner').isVisible()).toBe(false);
      expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
      expect(await page.getByRole('main').locator('button:visible, input:visible').count()).toBe(0);
      expect([await inks(page), await cutOff(page)]).toEqual([['rgb(0, 0, 0)'], []]);
    };
    await page.getByText('nightly import').waitFor();
    await check();
    const columns = page.locator('thead').getByRole('columnheader').filter({ visible: true });
    expect(await columns.allInnerTexts()).toEqual(['Key', 'State', 'Created', 'Last used']);
    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${service.dashboardUrl}/messages`);
    await page.getByText('Message 7').waitFor();
    await check();
    expect(visitor.problems).toEqual([]);
  });

  test('an open dialog, such as a new key, is printed instead of its page', async () => {
    await using service = await startWithPages();
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/keys', { viewport: PAPER });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a key' });
    await dialog.getByLabel('Name').fill('on paper');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const issued = page.getByRole('dialog', { name: 'Your new key' });
    await issued.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('heading', { level: 1, includeHidden: true }).isVisible()).toBe(
      false,
    );
    expect(await issued.getByLabel('on paper').isVisible()).toBe(true);
    expect(await issued.locator('button:visible').count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });
});
