import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { describeWithBrowser, layoutShift, PHONE, type Visitor } from '../support/browser.ts';
import { customer, dashboardScene } from '../support/dashboard-scene.ts';
import { enter, expectSound, isTooWide } from './web-entrance.ts';

async function cards({ page }: Visitor): Promise<string[]> {
  await page.getByText('Your plan', { exact: true }).waitFor();
  const texts = await page.locator('.plans').getByRole('listitem').allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim().toLowerCase());
}

describeWithBrowser('the plan page', (open) => {
  test("shows the four plans with their limits, the account's own marked", async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service, subscribe('pro'));
    await using browser = await enter(open, scene.service, visitor, '/plan');
    expect(await cards(browser)).toEqual([
      'free 60 requests per minute 1,000 requests per utc day',
      'pro your plan 300 requests per minute 10,000 requests per utc day',
      'business 1,000 requests per minute 100,000 requests per utc day',
      'enterprise custom requests per minute custom requests per utc day',
    ]);
    const own = browser.page.locator('[aria-current=true]').filter({ hasText: 'Pro' });
    expect(await own.count()).toBe(1);
    expect(await layoutShift(browser.page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('shows the limits of an Enterprise account', async () => {
    await using scene = await dashboardScene();
    const agreed = subscribe('enterprise', { perMinute: 2_500, perDay: 1_000_000 });
    const visitor = await customer(scene.service, agreed);
    await using browser = await enter(open, scene.service, visitor, '/plan', { viewport: PHONE });
    expect(await cards(browser)).toContain(
      'enterprise your plan 2,500 requests per minute 1,000,000 requests per utc day',
    );
    expect(await isTooWide(browser)).toBe(false);
    expect(await layoutShift(browser.page)).toBe(0);
  });

  test.each([
    ['plans@example.com', 'mailto:plans@example.com?subject=Petstore%20plan%20for%20'],
    ['r&d?#%@example.com', 'mailto:r%26d%3F%23%25@example.com?subject=Petstore%20plan%20for%20'],
    ['https://example.com/plans', 'https://example.com/plans'],
  ])('leads to %s to ask for another plan', async (contact, address) => {
    await using scene = await dashboardScene({ PETSTORE_CONTACT: contact });
    const visitor = await customer(scene.service);
    await using browser = await enter(open, scene.service, visitor, '/plan');
    const link = browser.page.getByRole('link', { name: contact });
    expect(await link.getAttribute('href')).toStartWith(address);
  });

  test('refers to the operator where no contact is set', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await using browser = await enter(open, scene.service, visitor, '/plan');
    const words = browser.page.getByRole('region', { name: 'Change your plan' });
    await words.getByText('Ask the operator of this service.').waitFor();
    await words.getByText(visitor.email).waitFor();
  });

  test('is sound in light and dark, on a desktop and on a phone', async () => {
    await using scene = await dashboardScene({ PETSTORE_CONTACT: 'plans@example.com' });
    const visitor = await customer(scene.service, subscribe('business'));
    await expectSound(open, scene.service, visitor, '/plan', (page) =>
      page.getByText('Your plan', { exact: true }).waitFor(),
    );
  });

  test('follows a change that an operator made', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service, subscribe('free'));
    await using browser = await enter(open, service, visitor, '/usage');
    await service.stores.accounts.setSubscription(
      visitor.accountId,
      subscribe('business'),
      Date.now(),
      'test',
    );
    await browser.page.getByRole('link', { name: 'Plan', exact: true }).click();
    const own = browser.page.locator('[aria-current=true]').filter({ hasText: 'Business' });
    await own.waitFor();
    expect(browser.problems).toEqual([]);
  });
});
