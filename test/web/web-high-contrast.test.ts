import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { describeWithBrowser } from '../support/browser.ts';
import { customer } from '../support/dashboard-scene.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

const service = sharedService(() => startWithPages());

describeWithBrowser('in high contrast', (open) => {
  test('what is chosen differs from what is not, and icons and colors of charts are there', async () => {
    await using visitor = await enter(open, service(), await customer(service()), '/plan');
    const { page } = visitor;
    await page.emulateMedia({ forcedColors: 'active' });
    const go = (path: string) => page.goto(service().dashboardUrl + path);
    await go('/');
    await expectChosen(page.getByRole('tab', { name: 'curl' }), page.getByRole('tab').last());
    await go('/docs/operations/createPet');
    const language = (name: string) => page.locator('.tab', { hasText: name });
    await expectChosen(language('curl'), language('Python'));

    await go('/usage');
    const segment = (text: string) => page.locator('label').filter({ hasText: text });
    await expectChosen(segment('24 hours'), segment('7 days'));
    const { background } = await lookOf(page.locator('.legend i').first());
    expect(background).not.toBe((await lookOf(page.locator('body'))).background);
    // The icon shows the choice; its field has no text of its own.
    expect((await lookOf(page.getByLabel('Colors'))).color).toBe('rgba(0, 0, 0, 0)');

    await go('/docs');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search' }).fill('limit');
    const options = page.locator('#search-options li');
    await options.last().waitFor();
    await page.keyboard.press('ArrowDown');
    await expectChosen(page.locator('#search-options [aria-selected="true"]'), options.last());
    expect(visitor.problems).toEqual([]);
  });
});

async function expectChosen(chosen: Locator, other: Locator): Promise<void> {
  await chosen.waitFor();
  expect(await lookOf(chosen)).not.toEqual(await lookOf(other));
}

/** The colors and the outline of an element. */
function lookOf(element: Locator) {
  return element.evaluate((shown) => {
    const { color, backgroundColor, outlineStyle } = getComputedStyle(shown);
    return { color, background: backgroundColor, outline: outlineStyle };
  });
}
