import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { checkAccessibility, DESKTOP, describeWithBrowser, PHONE } from '../support/browser.ts';
import { customer, operator } from '../support/dashboard-scene.ts';
import { TestService } from '../support/harness.ts';
import { enterAs } from './web-entrance.ts';

describeWithBrowser('the search', (open) => {
  test('opens by keyboard on every page, leads to what it found, and is accessible to axe', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: [service.dashboardUrl] });
    const { page } = visitor;
    const options = page.getByRole('dialog').getByRole('option');
    await page.goto(`${service.dashboardUrl}/docs`);
    const index = `${service.dashboardUrl}/docs/search.json`;
    expect(visitor.requests).not.toContain(index);
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Search' });
    await field.waitFor();
    expect(visitor.requests).toContain(index);
    await field.fill('pet_not_found');
    const best = options.first();
    await best.getByText('404: No animal has this id.').waitFor();
    expect(await best.getAttribute('aria-selected')).toBe('true');
    expect(await checkAccessibility(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    expect(await best.getAttribute('aria-selected')).toBe('false');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.dashboardUrl}/docs/guides/errors#pet_not_found`);

    // On a page of the application with the focus in a field, the slash is text.
    await page.goto(`${service.dashboardUrl}/sign-in`);
    await page.getByLabel('E-mail').fill('/');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await field.fill('limits');
    await options.first().waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Search' }).click();
    await field.fill('nothing-like-this');
    await page.getByText('Nothing was found.').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('offers the pages for operators to operators alone', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: [service.dashboardUrl] });
    const { page } = visitor;
    const found = async (path: string) => {
      const session = () => page.waitForResponse(/\/api\/session$/);
      const loaded = session();
      await page.goto(service.dashboardUrl + path);
      await page.locator('#root h1[tabindex], body:not(:has(#root)) h1').first().waitFor();
      await loaded;
      // The reference knows the session from its start, and the search of the application asks again.
      const answered = path === '/docs' ? undefined : session();
      await page.getByRole('link', { name: 'Search' }).click();
      await page.getByRole('combobox', { name: 'Search' }).fill('audit log');
      await answered;
      await page
        .getByRole('dialog')
        .getByText(/Nothing was found|result/)
        .first()
        .waitFor();
      return page.getByRole('dialog').getByRole('option', { name: 'Audit log' }).count();
    };
    expect(await found('/docs')).toBe(0);
    await enterAs(visitor, service, await customer(service));
    expect([await found('/docs'), await found('/keys')]).toEqual([0, 0]);
    await enterAs(visitor, service, await operator(service));
    for (const path of ['/docs', '/keys']) {
      await found(path);
      await page.getByRole('dialog').getByRole('option', { name: 'Audit log' }).waitFor();
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/operator/audit');
    expect(visitor.problems).toEqual([]);
  });

  test.each([
    { viewport: DESKTOP, colorScheme: 'light' },
    { viewport: PHONE, colorScheme: 'dark' },
  ] as const)('has a page that works without a script: $viewport.width wide', async (look) => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: [service.dashboardUrl], ...look });
    const { page } = visitor;
    await page.route('**/*.js', (route) => route.abort());
    await page.goto(`${service.dashboardUrl}/docs/guides/limits`);
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('ban');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'api_key_banned' }).first().click();
    await page.waitForURL(`${service.dashboardUrl}/docs/guides/errors#api_key_banned`);
  });
});
