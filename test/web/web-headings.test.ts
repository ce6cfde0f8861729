import { expect, test } from 'bun:test';
import { NARROW_PAGES, PAGE_TITLES } from '../../src/dashboard/shared/page-titles.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { operator } from '../support/dashboard-scene.ts';
import { enterAs } from './web-entrance.ts';
import { heading, startWithPages, visit } from './web-sign-in-scene.ts';

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
});
