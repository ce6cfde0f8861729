import { expect, test } from 'bun:test';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { DESKTOP, describeWithBrowser, PHONE } from '../support/browser.ts';
import { operator } from '../support/dashboard-scene.ts';
import { enterAs } from './web-entrance.ts';
import {
  fillCredentials,
  goTo,
  heading,
  signUp,
  startWithPages,
  tabTo,
  untilFocused,
  visit,
} from './web-sign-in-scene.ts';

describeWithBrowser('the heading of a page', (open) => {
  test('is the same in the frame of the service and in the page that replaces it', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    const check = async (path: string) => {
      const reply = await page.goto(service.dashboardUrl + path);
      const [, rendered = ''] = /<h1[^>]*>(.*?)<\/h1>/.exec((await reply?.text()) ?? '') ?? [];
      // The placeholder of a page that is still loading has a heading that cannot be focused.
      await page.locator('#root h1[tabindex]').waitFor();
      expect([path, await heading(page, rendered).count()]).toEqual([path, 1]);
    };
    for (const path of NARROW_PAGES) await check(path);
    await enterAs(visitor, service, await operator(service));
    for (const path of PAGE_TITLES.keys()) if (!NARROW_PAGES.has(path)) await check(path);
    expect(visitor.problems).toEqual([]);
  });

  test.each([DESKTOP, PHONE])(
    'has the focus after a link of the menu, $width wide',
    async (viewport) => {
      await using service = await startWithPages();
      await using visitor = await visit(open, service, { viewport });
      const { page } = visitor;
      await signUp(page, 'reader@example.com');
      for (const name of ['Keys', 'Account', 'Usage', 'Start']) {
        await goTo(page, name);
        await untilFocused(page, heading(page, name));
      }
      expect(visitor.problems).toEqual([]);
    },
  );

  test('of a page that loads slowly has the focus, unless the reader has moved it', async () => {
    await using service = await startWithPages();
    for (const isMoved of [false, true]) {
      await using visitor = await visit(open, service);
      const { page } = visitor;
      await page.getByRole('link', { name: 'Create account' }).click();
      await fillCredentials(page, `slow-${isMoved}@example.com`);
      const code = Promise.withResolvers<void>();
      await page.route(/\.js$/, async (route) => {
        await code.promise;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('Loading the page').waitFor();
      if (isMoved) {
        await tabTo(page, /^Account /);
        await page.keyboard.press('Enter');
        await tabTo(page, 'Account', 1);
      }
      code.resolve();
      await page.locator('#root h1[tabindex]').waitFor();
      await page.getByRole('button', { name: 'Create a key' }).waitFor();
      const menu = page.getByRole('banner').getByRole('link', { name: 'Account' });
      await untilFocused(page, isMoved ? menu : heading(page, 'Start'));
      expect(await menu.isVisible()).toBe(isMoved);
      expect(visitor.problems).toEqual([]);
    }
  });
});
